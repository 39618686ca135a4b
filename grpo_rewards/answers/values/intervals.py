"""Unions, intersections and differences of sets of real numbers, brought to one form: disjoint intervals in order.

Look here if ``x < 3`` or ``(-\\infty, 1) \\cup [1, 3)`` are not seen as the same set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any

from grpo_rewards.answers.formulas.exact import Undefined
from grpo_rewards.answers.formulas.formula import Formula, difference, has_symbols
from grpo_rewards.answers.formulas.high_precision import numeric
from grpo_rewards.answers.values.kinds import (
    Bracketed,
    Expression,
    Infinity,
    Number,
    Union,
    Unordered,
    Value,
    as_formula,
)

__all__ = ["NotReal", "intersection", "union", "without"]

BOUND_DIGITS = 40  # to which bounds are computed to put them in order
MOST_INTERVALS = 50  # intervals in one set


class NotReal(ValueError):
    """A value is not a set of real numbers, or its bounds cannot be put in order."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from ``low`` to ``high``; ``has_low`` and ``has_high`` say whether it contains the bounds."""

    low: Value
    has_low: bool
    high: Value
    has_high: bool


def union(sets: Iterable[Value]) -> Value:
    """The numbers that are in at least one of the sets.

    Raises:
        NotReal: a value is not a set of real numbers with known bounds.
        TooLarge: the bounds must not be computed.
    """
    return _value(_merged([one for value in sets for one in _intervals(value)]))


def intersection(sets: Sequence[Value]) -> Value:
    """The numbers that are in all of the sets. Raises what ``union`` raises."""
    kept = _merged(_intervals(sets[0]))
    for other in sets[1:]:
        others = _merged(_intervals(other))
        both = [_common(one, another) for one in kept for another in others]
        kept = _merged([one for one in both if one is not None])
    return _value(kept)


def without(numbers: Value, points: Value) -> Value:
    """The set ``numbers`` without the set ``points``. Raises what ``union`` raises."""
    kept = [numbers]
    for point in _merged(_intervals(points)):
        below = Bracketed("(", (Infinity(-1), point.low), ")" if point.has_low else "]")
        above = Bracketed("(" if point.has_high else "[", (point.high, Infinity(1)), ")")
        kept.append(Union(tuple(one for one in (below, above) if one.items[0] != one.items[1])))
    return intersection(kept)


def _intervals(value: Value) -> list[Interval]:
    """The intervals that a value consists of, in any order; a number is an interval from itself to itself."""
    if isinstance(value, Union | Unordered):
        if len(value.items) > MOST_INTERVALS:
            raise NotReal
        return [one for item in value.items for one in _intervals(item)]
    if isinstance(value, Number | Expression):
        return [Interval(value, True, value, True)]
    if isinstance(value, Bracketed) and len(value.items) == 2 and value.opening in "([" and value.closing in ")]":
        low, high = value.items
        return [Interval(low, value.opening == "[", high, value.closing == "]")]
    raise NotReal


def _merged(intervals: list[Interval]) -> list[Interval]:
    """The same set of numbers as disjoint intervals in order, none of them empty."""
    if len(intervals) > MOST_INTERVALS * MOST_INTERVALS:
        raise NotReal
    filled = [one for one in intervals if _is_filled(one)]
    merged: list[Interval] = []
    for one in sorted(filled, key=cmp_to_key(_starts_before)):
        last = merged[-1] if merged else None
        gap = 1 if last is None else _order(one.low, last.high)
        if last is None or gap > 0 or (gap == 0 and not (one.has_low or last.has_high)):
            merged.append(one)
            continue
        further = _order(one.high, last.high)
        if further > 0:
            merged[-1] = Interval(last.low, last.has_low, one.high, one.has_high)
        elif further == 0:
            merged[-1] = Interval(last.low, last.has_low, last.high, last.has_high or one.has_high)
    if len(merged) > MOST_INTERVALS:
        raise NotReal
    return merged


def _starts_before(one: Interval, other: Interval) -> int:
    """Orders intervals by where they start: negative if ``one`` starts before ``other``."""
    return _order(one.low, other.low) or other.has_low - one.has_low


def _common(one: Interval, other: Interval) -> Interval | None:
    """The intersection of two intervals; ``None`` if they have no number in common."""
    low, high = _order(one.low, other.low), _order(one.high, other.high)
    found = Interval(
        one.low if low >= 0 else other.low,
        one.has_low and other.has_low if low == 0 else (one if low > 0 else other).has_low,
        one.high if high <= 0 else other.high,
        one.has_high and other.has_high if high == 0 else (one if high < 0 else other).has_high,
    )
    return found if _is_filled(found) else None


def _is_filled(one: Interval) -> bool:
    """Whether an interval contains any number."""
    order = _order(one.low, one.high)
    return order < 0 or (order == 0 and one.has_low and one.has_high)


def _order(one: Value, other: Value) -> int:
    """-1, 0 or 1: ``one`` is less than, equal to or greater than ``other``."""
    if one == other:
        return 0
    if isinstance(one, Infinity) or isinstance(other, Infinity):
        return _sign(one) - _sign(other)
    if isinstance(one, Number) and isinstance(other, Number):
        return (one.value > other.value) - (one.value < other.value)
    try:
        apart: Any = numeric(difference(_formula(one), _formula(other)), {}, BOUND_DIGITS)[0]
    except Undefined:
        raise NotReal from None
    if isinstance(apart, apart.context.mpc):
        raise NotReal
    return 0 if abs(apart) < apart.context.mpf(10) ** (-BOUND_DIGITS // 2) else 1 if apart > 0 else -1


def _formula(bound: Value) -> Formula:
    """A finite bound as a formula without symbols; raises ``NotReal`` if it is not one."""
    formula = as_formula(bound) if isinstance(bound, Number | Expression) else None
    if formula is None or has_symbols(formula):
        raise NotReal
    return formula


def _sign(bound: Value) -> int:
    """-1 or 1 for an infinity, 0 for a finite bound."""
    return bound.sign if isinstance(bound, Infinity) else 0


def _value(intervals: Sequence[Interval]) -> Value:
    """Disjoint intervals as a value: a point, one interval, a union, or the empty set."""
    found: list[Value] = [
        one.low
        if one.has_low and one.has_high and _order(one.low, one.high) == 0
        else Bracketed("[" if one.has_low else "(", (one.low, one.high), "]" if one.has_high else ")")
        for one in intervals
    ]
    return found[0] if len(found) == 1 else Union(tuple(found)) if found else Unordered(())
