"""The number that an answer is, for comparisons with a tolerance and for arithmetic that is written out."""

from __future__ import annotations

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
from grpo_rewards.answers.reading.phrases import stripped
from grpo_rewards.answers.reading.plain_numbers import read_plain
from grpo_rewards.answers.values.kinds import Approximated, Expression, Named, Number, Value

__all__ = ["Amount", "amount"]

DIGITS = 30  # to which a root or a constant is computed
CACHED = 4_096
CACHED_CHARACTERS = 200
PLACES = 10**DIGITS


class Amount(NamedTuple):
    """``value`` without its unit; ``places``: digits behind the point of a number that is written as a decimal."""

    value: Fraction
    unit: str | None = None
    places: int | None = None


def amount(text: str) -> Amount | None:
    """The real number that a text of LaTeX comes to, computed where it is a formula; ``None`` where it is none.

    Exact where the value is a fraction, else to 30 digits. ``10\\%`` is 10 with the unit ``percent``. Nothing raises.

    >>> amount(r"\\frac{1}{3} + 1").value
    Fraction(4, 3)
    """
    return _cached(text) if len(text) <= CACHED_CHARACTERS else _amount(text)


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


_cached = lru_cache(maxsize=CACHED)(_amount)


def _of(value: Value) -> Amount | None:
    if isinstance(value, Named):
        return _of(value.of)
    if isinstance(value, Approximated):
        return _of(value.exact)
    if isinstance(value, Number):
        return Amount(value.value, value.unit, value.places)
    if not isinstance(value, Expression) or value.formula is None or has_symbols(value.formula):
        return None
    number = _computed(value.formula)
    return None if number is None else Amount(number, value.unit)


def _computed(formula: Formula) -> Fraction | None:
    try:
        return exact(formula, {})
    except NotExact:
        value, is_real = numeric(formula, {}, DIGITS)
    context = value.context
    if not is_real or isinstance(value, context.mpc):
        return None
    return Fraction(int(context.nint(value * PLACES)), PLACES) if abs(value) < PLACES else None
