"""Gives the number that an answer evaluates to, for comparing with a tolerance and for checking written arithmetic."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from grpo_rewards.answers.formulas.budget import TooLarge, start
from grpo_rewards.answers.formulas.exact import NotExact, Undefined, exact
from grpo_rewards.answers.formulas.formula import Formula, has_symbols
from grpo_rewards.answers.formulas.high_precision import numeric
from grpo_rewards.answers.latex.limits import too_large, too_long
from grpo_rewards.answers.latex.tree import Malformed, parse
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.reading.numerals import read_plain
from grpo_rewards.answers.reading.phrases import stripped
from grpo_rewards.answers.values.kinds import Approximated, Expression, Named, Number, Value

__all__ = ["Amount", "amount", "is_range"]

AMOUNT_DIGITS = 30  # to which a root or a constant such as pi is computed
CACHED_AMOUNTS = 4_096
CACHED_AMOUNT_CHARACTERS = 200  # longer texts are not cached
AMOUNT_SCALE = 10**AMOUNT_DIGITS
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
    if not isinstance(value, Expression) or value.formula is None or has_symbols(value.formula):
        return None
    number = _computed(value.formula)
    return None if number is None else Amount(number, value.unit)


def _computed(formula: Formula) -> Fraction | None:
    try:
        return exact(formula, {})
    except NotExact:
        value, is_real = numeric(formula, {}, AMOUNT_DIGITS)
    context = value.context
    if not is_real or isinstance(value, context.mpc):
        return None
    return Fraction(int(context.nint(value * AMOUNT_SCALE)), AMOUNT_SCALE) if abs(value) < AMOUNT_SCALE else None
