"""Gives the number that an answer evaluates to, and reads expressions of plain numbers exactly.

``amount`` is for comparing with a tolerance and for checking written arithmetic; ``read_arithmetic`` for puzzles, where
the numbers used count as well.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from grpo_rewards.answers.formulas.exact import TooLarge, Undefined, start
from grpo_rewards.answers.formulas.high_precision import computed
from grpo_rewards.answers.latex.tree import Malformed, parse, too_large, too_long
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.reading.numerals import read_plain
from grpo_rewards.answers.reading.phrases import stripped
from grpo_rewards.answers.values.kinds import Approximated, Expression, Named, Number, Value

# Gives the number that an answer evaluates to, for comparing with a tolerance and for checking written arithmetic.

CACHED_AMOUNTS = 4_096
CACHED_AMOUNT_CHARACTERS = 200  # longer texts are not cached
# 70-75 is a range, not the difference -5. What may stand around its numbers: signs of money, units, dollars of LaTeX.
RANGE_END = r"(?:\\?[$€£])?-?\d[\d.,]{0,60}(?:\s?\\?%|\s?(?:\\text\{)?\s?[A-Za-z°]{1,20}\}?)?"
NUMBER_RANGE = re.compile(
    rf"\s*\(?{RANGE_END}\s?(?:-{{1,3}}|–|—|~|\\sim|\\text\{{\s*(?:to|-+|–|through)\s*\}}|\bto\b|\bthrough\b|\\ldots|\\dots|\.\.\.?|\\pm|±)\s?{RANGE_END}\)?\s*"
)
RANGE_WORDS = re.compile(
    r"\b(?:between|from|at (?:least|most)|(?:more|less|fewer|greater) than|up to|or (?:more|less))\b", re.IGNORECASE
)


class Amount(NamedTuple):
    """A number and its unit. ``places``: how many digits follow the decimal point; ``None`` if it is not a decimal."""

    value: Fraction
    unit: str | None = None
    places: int | None = None


def amount(text: str) -> Amount | None:
    """The real number that a LaTeX text evaluates to; ``None`` if it is not one. Formulas are computed. Never raises.

    A rational number is exact, any other is computed to 30 digits. ``10\\%`` is 10 with the unit ``percent``.

    >>> amount(r"\\frac{1}{3} + 1").value
    Fraction(4, 3)
    """
    return _cached(text) if len(text) <= CACHED_AMOUNT_CHARACTERS else _amount(text)


def is_range(text: str) -> bool:
    """Whether a text is a range or a bound and so no number: ``70-75``, ``4 \\pm 1``, "between 3 and 5", "3 to 5".

    >>> is_range("70-75 km"), is_range("-5")
    (True, False)
    """
    return NUMBER_RANGE.fullmatch(text) is not None or RANGE_WORDS.search(text) is not None


def _amount(text: str) -> Amount | None:
    plain = read_plain(text)
    if plain is not None:
        return _of(plain[1])
    if too_long(text):
        return None
    try:
        nodes = stripped(parse(text))
        start()
        return None if too_large(nodes) else _of(read(nodes))
    except (Malformed, TooLarge, Undefined):
        return None


_cached = lru_cache(maxsize=CACHED_AMOUNTS)(_amount)


def _of(value: Value) -> Amount | None:
    """The amount of a value; ``None`` if the value is not one real number."""
    if isinstance(value, Named):
        return _of(value.of)
    if isinstance(value, Approximated):
        return _of(value.exact)
    if isinstance(value, Number):
        return Amount(value.value, value.unit, value.places)
    if isinstance(value, Expression) and value.measure is not None:
        return _of(value.measure)
    if not isinstance(value, Expression) or value.formula is None:
        return None
    number = computed(value.formula)
    return None if number is None else Amount(number, value.unit)


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


@dataclass(slots=True, eq=False)
class WrittenNumber:
    """A number as it stands in an expression, or a fraction of two of them such as ``1/2``.

    Attributes:
        value: without its sign.
        has_sign: whether a minus stands before it that subtracts it from nothing: the number may be negative.
        parts: the two numbers of a fraction, else ``()``.
    """

    value: Fraction
    has_sign: bool = False
    parts: tuple[WrittenNumber, ...] = ()


class Arithmetic(NamedTuple):
    """What an expression evaluates to, and what it is made of.

    Attributes:
        value: ``None`` after a division by zero.
        numbers: the numbers in it, in order.
        fractions: those pairs of them that may be meant as one number.
        is_number: whether it is a number, or such a fraction, and nothing else.
    """

    value: Fraction | None
    numbers: tuple[WrittenNumber, ...]
    fractions: tuple[WrittenNumber, ...] = ()
    is_number: bool = False


def read_arithmetic(text: str) -> Arithmetic:
    """The value of an expression and its numbers; a sign before a number or bracket is no number of its own.

    Raises:
        NotArithmetic: it is no expression.
        TooLong: it has more than 1,000 characters, a number of more than 20 digits, or very many parts.

    >>> read_arithmetic("(1 + 2) × 3").value
    Fraction(9, 1)
    """
    if len(text) > ARITHMETIC_CHARACTERS:
        raise TooLong("too many characters")
    numbers: list[WrittenNumber] = []
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
            numbers.append(WrittenNumber(Fraction(found[kind])))
        else:
            code += IN_PYTHON.get(kind, found[kind])
    fractions: list[WrittenNumber] = []
    try:
        value, alone = _evaluated(ast.parse(code.strip(), mode="eval").body, numbers, fractions)
    except SyntaxError:
        raise NotArithmetic("no expression") from None
    except (RecursionError, MemoryError):
        raise TooLong("too many parts") from None
    return Arithmetic(value, tuple(numbers), tuple(fractions), alone is not None)


def uses_only(written: Arithmetic, given: Sequence[Fraction], needs_all: bool) -> bool:
    """Whether an expression uses nothing but the given numbers, each at most once, or (``needs_all``) exactly once.

    A given -2 is written with its sign: in ``5 - 2`` it is not used. A given fraction may be written as ``1/2`` or 0.5.

    >>> uses_only(read_arithmetic("1 - -2/3"), [Fraction(1), Fraction(-2, 3)], needs_all=True)
    True
    """
    left, used = Counter(given), list(written.numbers)
    wanted = Counter(abs(one) for one in given if one.denominator != 1)
    wanted.subtract(one.value for one in used)
    for one in sorted(written.fractions, key=lambda one: one.parts[1].value):  # 1/2 before 2/4
        if wanted[one.value] > 0 and all(part in used for part in one.parts):
            wanted[one.value] -= 1
            used = [other for other in used if other not in one.parts] + [one]
    count, signed = Counter(one.value for one in used), Counter(one.value for one in used if one.has_sign)
    negative = {value: left[-value] if value else 0 for value in count}
    if needs_all:
        sizes = Counter(abs(one) for one in given)
        return count == sizes and all(negative[value] <= signed[value] for value in count)
    return all(size - min(signed[value], negative[value]) <= left[value] for value, size in count.items())


# The value of a part, and the number that it is if it is nothing else.
Part: TypeAlias = tuple[Fraction | None, WrittenNumber | None]


def _evaluated(node: ast.expr, numbers: Sequence[WrittenNumber], fractions: list[WrittenNumber]) -> Part:
    """The value of a part of an expression; what may be a fraction of two numbers is added to ``fractions``."""
    if isinstance(node, ast.List) and len(node.elts) == 1:  # a bracket
        return _evaluated(node.elts[0], numbers, fractions)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return numbers[node.value].value, numbers[node.value]
    if isinstance(node, ast.UnaryOp):
        value, alone = _evaluated(node.operand, numbers, fractions)
        if isinstance(node.op, ast.UAdd):
            return value, alone
        if alone is not None:
            alone.has_sign = True
        return None if value is None else -value, alone
    if not isinstance(node, ast.BinOp):
        raise NotArithmetic("no expression")
    (left, over), (right, under) = (_evaluated(one, numbers, fractions) for one in (node.left, node.right))
    if isinstance(node.op, ast.Div):
        pair = _fraction(over or _last_factor(node.left, numbers), under)
        fractions += [] if pair is None else [pair]
        return left / right if left is not None and right else None, pair if over is not None else None
    if left is None or right is None:
        return None, None
    if isinstance(node.op, ast.Mult):
        return left * right, None
    return left + right if isinstance(node.op, ast.Add) else left - right, None


def _last_factor(node: ast.expr, numbers: Sequence[WrittenNumber]) -> WrittenNumber | None:
    """The number that a product ends with: 1 of ``3 * 1``, which may be the upper part of ``3 * 1/2``."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return None
    return _evaluated(node.right, numbers, [])[1] if isinstance(node.right, ast.Constant) else None


def _fraction(above: WrittenNumber | None, below: WrittenNumber | None) -> WrittenNumber | None:
    """Two numbers as one; ``None`` if one of them is no number, or a fraction itself."""
    if above is None or below is None or above.parts or below.parts or not below.value:
        return None
    return WrittenNumber(above.value / below.value, above.has_sign, (above, below))
