r"""Decides whether two families of numbers are the same: ``\frac{\pi}{2} + k\pi`` and ``\pm\frac{\pi}{2} + 2k\pi``.

Look here if general solutions or congruences are not seen as the same. A family is compared as arithmetic progressions:
all are written with one common period, and then have the same remainders or not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from grpo_rewards.answers.formulas.exact import Undefined
from grpo_rewards.answers.formulas.formula import (
    Formula,
    difference,
    has_symbols,
    in_radians,
    number,
    product,
    quotient,
    replaced,
    symbols,
    total,
)
from grpo_rewards.answers.formulas.high_precision import numeric
from grpo_rewards.answers.formulas.identity import same
from grpo_rewards.answers.values.kinds import (
    INDEX,
    Bracketed,
    Expression,
    Infinity,
    Named,
    Number,
    Unordered,
    Value,
    as_formula,
)

INDEX_LETTERS = frozenset("klmnpqjstN")  # that stand for a whole number even where nothing says so
FAMILY_DIGITS = 40  # to which offsets and periods are computed
LARGEST_RATIO = 1_000  # of two periods
MOST_REMAINDERS = 400
LISTED_WHOLE_NUMBERS = 100  # of a set such as the whole numbers from 1 to 9
LEAST = {"\\mathbb{N}": 0, "\\mathbb{N}^{+}": 1}
INDEX_SYMBOL = Formula("symbol", INDEX)
OTHER_INDICES = [(sign, shift) for sign in (1, -1) for shift in range(-3, 4)]  # that a family of points may have


class Progression(NamedTuple):
    """The numbers ``offset + k * period`` for all whole numbers k."""

    offset: Formula
    period: Formula


def with_index(value: Value) -> Value | None:
    """A formula with one symbol, which may stand for a whole number, as a formula in ``INDEX``; else ``None``."""
    if isinstance(value, Named):
        inner = with_index(value.of)
        return None if inner is None else Named(value.name, inner, value.symbol)
    if isinstance(value, Unordered):
        items = [with_index(item) for item in value.items]
        return None if None in items else Unordered(tuple(item for item in items if item is not None))
    formula = value.formula if isinstance(value, Expression) else None
    names = set() if formula is None else symbols(formula)
    if formula is None or len(names) != 1 or not names <= INDEX_LETTERS or not isinstance(value, Expression):
        return None
    return Expression(value.spelled, replaced(formula, Formula("symbol", names.pop()), INDEX_SYMBOL), value.unit)


def reindexed(value: Value, sign: int, shift: int) -> Value:
    """A family with ``sign * k + shift`` for its index k, in all its parts alike."""
    if isinstance(value, Named):
        return Named(value.name, reindexed(value.of, sign, shift), value.symbol)
    if isinstance(value, Unordered | Bracketed):
        return replace(value, items=tuple(reindexed(item, sign, shift) for item in value.items))
    if not isinstance(value, Expression) or value.formula is None:
        return value
    index = total((product((number(sign), INDEX_SYMBOL)), number(shift)))
    return replace(
        value, spelled=f"{value.spelled} at {sign}k{shift:+}", formula=replaced(value.formula, INDEX_SYMBOL, index)
    )


def whole_numbers_in(interval: Value, domain: str) -> Unordered | None:
    """The whole numbers of ``domain`` in an interval, as a set; ``None`` if they are too many, or not finitely many."""
    if not isinstance(interval, Bracketed) or len(interval.items) != 2:
        return None
    (low, high), opening = interval.items, interval.opening
    least = LEAST.get(domain)
    if least is not None and (isinstance(low, Infinity) or (isinstance(low, Number) and low.value < least)):
        low, opening = Number(Fraction(least)), "["
    if not isinstance(low, Number) or not isinstance(high, Number) or low.unit or high.unit:
        return None
    first = math.ceil(low.value) + (opening == "(" and low.value.denominator == 1)
    last = math.floor(high.value) - (interval.closing == ")" and high.value.denominator == 1)
    if last - first >= LISTED_WHOLE_NUMBERS:
        return None
    return Unordered(tuple(Number(Fraction(value)) for value in range(first, last + 1)), braced=True)


def progressions(value: Value) -> list[Progression] | None:
    """The progressions that a value in ``INDEX`` stands for; ``None`` if it is not linear in it.

    Raises:
        TooLarge: comparing the formulas would take too much.
    """
    if isinstance(value, Named):
        return progressions(value.of)
    if isinstance(value, Unordered):
        if len({item.name if isinstance(item, Named) else "" for item in value.items}) > 1:
            return None  # x = 5t, y = 2t is a family of points
        found = [progressions(item) for item in value.items]
        return None if None in found else [one for several in found for one in several or ()]
    formula = as_formula(value) if isinstance(value, Number | Expression) else None
    if formula is None or symbols(formula) != {INDEX}:
        return None
    formula = in_radians(formula)
    offset = replaced(formula, INDEX_SYMBOL, number(0))
    period = difference(replaced(formula, INDEX_SYMBOL, number(1)), offset)
    if has_symbols(offset) or not same(formula, total((offset, product((period, INDEX_SYMBOL))))):
        return None
    return [Progression(offset, period)]


def same_numbers(one: Sequence[Progression] | None, other: Sequence[Progression] | None) -> bool | None:
    """Whether two unions of progressions hold the same numbers; ``None`` if that cannot be computed.

    Raises:
        TooLarge: computing them would take too much.
    """
    if not one or not other:
        return None
    unit = one[0].period
    try:
        found = [[_ratios(progression, unit) for progression in side] for side in (one, other)]
    except Undefined:
        return None
    known = [[pair for pair in side if pair is not None] for side in found]
    if any(len(side) < len(all_of_it) for side, all_of_it in zip(known, found, strict=True)):
        return None
    periods = [period for side in known for _, period in side]
    common = Fraction(
        math.lcm(*(period.numerator for period in periods)), math.gcd(*(period.denominator for period in periods))
    )
    if sum(common / period for period in periods) > MOST_REMAINDERS:
        return None
    mine, theirs = (_remainders(side, common) for side in known)
    return all(_holds(theirs, value, common) for value in mine) and all(_holds(mine, value, common) for value in theirs)


def _ratios(progression: Progression, unit: Formula) -> tuple[Any, Fraction] | None:
    """(offset, period), both divided by ``unit``; ``None`` if the period is not a small rational multiple of it."""
    offset, _ = numeric(quotient(progression.offset, unit), {}, FAMILY_DIGITS)
    ratio, is_real = numeric(quotient(progression.period, unit), {}, FAMILY_DIGITS)
    context = ratio.context
    if not is_real or isinstance(offset, context.mpc) or isinstance(ratio, context.mpc) or not ratio:
        return None
    if abs(ratio) > LARGEST_RATIO or abs(offset) > 10**12:
        return None
    rational = Fraction(str(abs(ratio))).limit_denominator(LARGEST_RATIO)
    near = abs(abs(ratio) - context.mpf(rational.numerator) / rational.denominator) < context.mpf(10) ** -30
    return (offset, rational) if near and rational else None


def _remainders(side: Sequence[tuple[Any, Fraction]], common: Fraction) -> list[Any]:
    """All the numbers of the progressions between 0 and the common period."""
    found = []
    for offset, period in side:
        step, whole = (offset.context.mpf(one.numerator) / one.denominator for one in (period, common))
        found += [(offset + step * times) % whole for times in range(int(common / period))]
    return found


def _holds(remainders: Sequence[Any], value: Any, common: Fraction) -> bool:
    """Whether a number is among the remainders, up to rounding and to one common period."""
    near = value.context.mpf(10) ** -25
    whole = value.context.mpf(common.numerator) / common.denominator
    return any(min(abs(value - one), whole - abs(value - one)) < near for one in remainders)
