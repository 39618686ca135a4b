"""Gives the number that an answer evaluates to, and reads expressions of plain numbers exactly.

``amount`` is for comparing with a tolerance and for checking written arithmetic; ``read_arithmetic`` for puzzles, where
the numbers used count as well.
"""

from __future__ import annotations

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
ARITHMETIC_DEPTH = 40
EXPRESSION_TOKEN = re.compile(
    r"(?:\s|\\[,;:! ]|\\(?:left|right|displaystyle)(?![A-Za-z])|\$)*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<times>\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|\*(?!\*)|[×·∙⋅✕xX])|(?P<over>\\div(?![A-Za-z])|/(?!/)|[÷∕⁄:])"
    r"|(?P<plus>\+)|(?P<minus>[-−–])|(?P<fraction>\\[dt]?frac(?![A-Za-z]))|(?P<open>[(\[{])|(?P<close>[)\]}]))"
)
BRACKET_PAIRS = {"(": ")", "[": "]", "{": "}"}


class NotArithmetic(ValueError):
    """The text is no such expression."""


class TooLong(NotArithmetic):
    """The text, or a number in it, is too long, or brackets nest too deeply."""


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
        TooLong: it has more than 1,000 characters, a number of more than 20 digits, or 40 brackets in each other.

    >>> read_arithmetic("(1 + 2) × 3").value
    Fraction(9, 1)
    """
    if len(text) > ARITHMETIC_CHARACTERS:
        raise TooLong("too many characters")
    reader = _ExpressionReader(text)
    value, alone = reader.sum(0)
    if reader.kind:
        raise NotArithmetic("something follows the expression")
    return Arithmetic(value, tuple(reader.numbers), tuple(reader.fractions), alone is not None)


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


class _ExpressionReader:
    """Reads the tokens of an expression by recursive descent; ``kind`` and ``token`` are the current one.

    What reads a part gives its value and, if it is a number and nothing else, that number.
    """

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.numbers: list[WrittenNumber] = []
        self.fractions: list[WrittenNumber] = []
        self.kind = self.token = ""
        self.step()

    def step(self) -> str:
        """The token that is passed; the next one becomes the current one, of kind ``""`` at the end."""
        passed = self.token
        found = EXPRESSION_TOKEN.match(self.text, self.at)
        if found is None:
            if self.text[self.at :].strip(" \t\r\n$"):
                raise NotArithmetic("an unknown sign")
            self.kind = self.token = ""
            return passed
        self.at, self.kind = found.end(), str(found.lastgroup)
        self.token = found[self.kind]
        return passed

    def sum(self, depth: int) -> Part:
        value, alone = self.product(depth)
        while self.kind in ("plus", "minus"):
            sign = -1 if self.kind == "minus" else 1
            self.step()
            term, _ = self.product(depth)
            value, alone = None if value is None or term is None else value + sign * term, None
        return value, alone

    def product(self, depth: int) -> Part:
        value, alone = self.factor(depth)
        last = alone  # the factor before, unless it divides: in 3 / 1 / 2 there is no 1/2
        while self.kind in ("times", "over"):
            is_quotient = self.kind == "over"
            self.step()
            factor, number = self.factor(depth)
            pair = self.fraction(last, number) if is_quotient else None
            alone = pair if alone is not None and alone is last else None
            last = None if is_quotient else number
            if value is None or factor is None or (is_quotient and not factor):
                value = None
            else:
                value = value / factor if is_quotient else value * factor
        return value, alone

    def factor(self, depth: int) -> Part:
        if depth > ARITHMETIC_DEPTH:
            raise TooLong("nested too deeply")
        if self.kind in ("plus", "minus"):
            sign = -1 if self.kind == "minus" else 1
            self.step()
            value, alone = self.factor(depth + 1)
            if alone is not None and sign < 0:
                alone.has_sign = True
            return None if value is None else sign * value, alone
        if self.kind == "fraction":
            self.step()
            (above, over), (below, under) = self.bracket("{", depth), self.bracket("{", depth)
            return above / below if above is not None and below else None, self.fraction(over, under)
        if self.kind == "open" and self.token != "{":
            return self.bracket(self.token, depth)
        if self.kind != "number":
            raise NotArithmetic("no number")
        return self.number()

    def fraction(self, above: WrittenNumber | None, below: WrittenNumber | None) -> WrittenNumber | None:
        """The two numbers as one; ``None`` if one of them is no number, or a fraction itself."""
        if above is None or below is None or above.parts or below.parts or not below.value:
            return None
        self.fractions.append(WrittenNumber(above.value / below.value, above.has_sign, (above, below)))
        return self.fractions[-1]

    def bracket(self, opening: str, depth: int) -> Part:
        if self.token != opening:
            raise NotArithmetic(f"no {opening}")
        self.step()
        part = self.sum(depth + 1)
        if self.token != BRACKET_PAIRS[opening]:
            raise NotArithmetic("a bracket without a partner")
        self.step()
        return part

    def number(self) -> Part:
        if len(self.token) > ARITHMETIC_DIGITS:
            raise TooLong("a number of too many digits")
        value = Fraction(self.step())
        self.numbers.append(WrittenNumber(value))
        return value, self.numbers[-1]
