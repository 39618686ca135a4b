"""Gives the number that an answer evaluates to, and reads expressions of plain numbers exactly.

``amount`` is for comparing with a tolerance and for checking written arithmetic; ``read_arithmetic`` for puzzles, where
the numbers used count as well.
"""

from __future__ import annotations

import ast
import operator
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from grpo_rewards.answers.formulas.evaluation import TooLarge, Undefined, computed, start
from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.latex.tree import Malformed, parse, too_large, too_long
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.reading.numerals import read_plain
from grpo_rewards.answers.reading.phrases import stripped
from grpo_rewards.answers.values.kinds import Approximated, Expression, Named, Number, Value

# Gives the number that an answer evaluates to, for comparing with a tolerance and for checking written arithmetic.

# 70-75 is a range, not the difference -5. What may stand around its numbers: signs of money, units, dollars of LaTeX.
RANGE_END = r"(?:\\?[$€£])?-?\d[\d.,]{0,60}(?:\s?\\?%|\s?(?:\\text\{)?\s?[A-Za-z°]{1,20}\}?)?"
NUMBER_RANGE = re.compile(
    rf"\s*\(?{RANGE_END}\s?(?:-{{1,3}}|–|—|~|\\sim|\\text\{{\s*(?:to|-+|–|through)\s*\}}|\bto\b|\bthrough\b|\\ldots|\\dots|\.\.\.?|\\pm|±)\s?{RANGE_END}\)?\s*"
)
RANGE_WORDS = re.compile(
    r"\b(?:between|from|at (?:least|most)|(?:more|less|fewer|greater) than|up to|or (?:more|less))\b", re.IGNORECASE
)


def amount(text: str) -> Number | None:
    """The real number that a LaTeX text evaluates to; ``None`` if it is not one. Formulas are computed. Never raises.

    A rational number is exact, any other is computed to 30 digits. ``10\\%`` is 10 with the unit ``percent``.

    >>> amount(r"\\frac{1}{3} + 1").value
    Fraction(4, 3)
    """
    plain = read_plain(text)
    if plain is not None:
        return plain[1]
    if too_long(text):
        return None
    try:
        nodes = stripped(parse(text))
        start()
        return None if too_large(nodes) else _of(read(nodes))
    except (Malformed, TooLarge, Undefined):
        return None


def is_range(text: str) -> bool:
    """Whether a text is a range or a bound and so no number: ``70-75``, ``4 \\pm 1``, "between 3 and 5", "3 to 5".

    >>> is_range("70-75 km"), is_range("-5")
    (True, False)
    """
    return NUMBER_RANGE.fullmatch(text) is not None or RANGE_WORDS.search(text) is not None


def _of(value: Value) -> Number | None:
    """The number that a value is, with its unit; ``None`` if the value is not one real number."""
    match value:
        case Named(of=inner) | Approximated(exact=inner) | Expression(measure=Number() | Expression() as inner):
            return _of(inner)
        case Number():
            return value
        case Expression(formula=Formula() as formula):
            number = computed(formula)
            return None if number is None else Number(number, value.unit)
    return None


# Reads an expression of numbers, ``+ - × ÷`` and brackets, and gives its exact value and the numbers in it.
#
# Nothing else is an expression here: no power, no function, no name, no two numbers side by side. Nothing is run.

ARITHMETIC_CHARACTERS = 1_000  # of one expression
ARITHMETIC_DIGITS = 20  # of one number
EXPRESSION_TOKEN = re.compile(
    r"(?:\s|\\[,;:! ]|\\(?:left|right|displaystyle)(?![A-Za-z])|\$)*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<times>\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|\*(?!\*)|[×·∙⋅✕xX])|(?P<over>\\div(?![A-Za-z])|/(?!/)|[÷∕⁄:])"
    r"|(?P<minus>[-−–])|(?P<fraction>\\[dt]?frac\s*\{)|(?P<bar>\}\s*\{)|(?P<end>\})|(?P<sign>[+()\[\]])|(?P<rest>\s*\Z))"
)
# Each token as Python writes it; a number as its place among the numbers.
IN_PYTHON = {"times": "*", "over": "/", "minus": "-", "fraction": "((", "bar": ")/(", "end": "))", "rest": ""}


class NotArithmetic(ValueError):
    """The text is no such expression."""


class TooLong(NotArithmetic):
    """The text, or a number in it, is too long, or it has too many parts."""


class Arithmetic(NamedTuple):
    """What an expression evaluates to, ``None`` after a division by zero, and the numbers in it, in order."""

    value: Fraction | None
    numbers: tuple[Fraction, ...]


def read_arithmetic(text: str) -> Arithmetic:
    """The value of an expression and its numbers, each without a sign that stands before it.

    Raises:
        NotArithmetic: it is no expression.
        TooLong: it has more than 1,000 characters, a number of more than 20 digits, or very many parts.

    >>> read_arithmetic("(1 + 2) × 3").value
    Fraction(9, 1)
    """
    if len(text) > ARITHMETIC_CHARACTERS:
        raise TooLong("too many characters")
    numbers: list[Fraction] = []
    code, at = "", 0
    while at < len(text):
        found = EXPRESSION_TOKEN.match(text, at)
        if found is None:
            raise NotArithmetic("an unknown sign")
        at, kind = found.end(), str(found.lastgroup)
        if kind == "number":
            if len(found[kind]) > ARITHMETIC_DIGITS:
                raise TooLong("a number of too many digits")
            code += f" {len(numbers)}"
            numbers.append(Fraction(found[kind]))
        else:
            code += IN_PYTHON.get(kind, found[kind])
    try:
        value = _evaluated(ast.parse(code.strip(), mode="eval").body, numbers)
    except SyntaxError:
        raise NotArithmetic("no expression") from None
    except (RecursionError, MemoryError):
        raise TooLong("too many parts") from None
    except ZeroDivisionError:
        value = None
    return Arithmetic(value, tuple(numbers))


def uses_only(written: Arithmetic, given: Sequence[Fraction], needs_all: bool) -> bool:
    """Whether an expression uses nothing but the given numbers, each at most once, or (``needs_all``) exactly once.

    >>> uses_only(read_arithmetic("1 - 2/3"), [Fraction(1), Fraction(2), Fraction(3)], needs_all=True)
    True
    """
    used, wanted = Counter(written.numbers), Counter(given)
    return used == wanted if needs_all else used <= wanted


OPERATIONS: dict[type[ast.AST], Callable[..., Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def _evaluated(node: ast.expr, numbers: Sequence[Fraction]) -> Fraction:
    """The value of a part of an expression."""
    match node:
        case ast.List([inner]):  # a bracket
            return _evaluated(inner, numbers)
        case ast.Constant(int(place)):
            return numbers[place]
        case ast.UnaryOp(sign, operand) if type(sign) in OPERATIONS:
            return OPERATIONS[type(sign)](_evaluated(operand, numbers))
        case ast.BinOp(left, sign, right) if type(sign) in OPERATIONS:
            return OPERATIONS[type(sign)](_evaluated(left, numbers), _evaluated(right, numbers))
        case _:
            raise NotArithmetic("no expression")
