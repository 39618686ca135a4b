"""Sets of real numbers as disjoint intervals: unions, intersections, differences, and the solutions of inequalities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any

from grpo_rewards.answers.formulas.exact import NotExact, Undefined, exact
from grpo_rewards.answers.formulas.formula import (
    HALF,
    Formula,
    difference,
    has_symbols,
    negative,
    number,
    power,
    product,
    quotient,
    replaced,
    symbols,
    total,
)
from grpo_rewards.answers.formulas.high_precision import SPARE_DIGITS, numeric
from grpo_rewards.answers.formulas.identity import same
from grpo_rewards.answers.values.kinds import (
    Bracketed,
    Expression,
    Infinity,
    Named,
    Number,
    Union,
    Unordered,
    Value,
    as_formula,
    as_value,
)

# Unions, intersections and differences of sets of real numbers, brought to one form: disjoint intervals in order.
#
# Look here if ``x < 3`` or ``(-\infty, 1) \cup [1, 3)`` are not seen as the same set.

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


# Solves inequalities in one unknown to sets of numbers: ``-x > -1``, ``|x - 2| \le 5``, ``x \ne 0``.
#
# Look here if an inequality is not seen to be the same as another one, or as an interval. Only what is linear or
# quadratic in the unknown, or in one absolute value, is solved.

LESS, GREATER = ("<", "\\le"), (">", "\\ge")
MIRRORED = {">": "<", "\\ge": "\\le", "<": ">", "\\le": "\\ge", "\\ne": "\\ne"}
UNKNOWN = Formula("symbol", "?unknown")  # stands for an absolute value while the inequality is solved for it
ZERO, ONE = number(0), number(1)


def ray(sign: str, bound: Value) -> Value:
    """The interval of the numbers below or above a bound; both intervals for ``\\ne``."""
    if sign == "\\ne":
        return Union((ray("<", bound), ray(">", bound)))
    if sign in LESS:
        return Bracketed("(", (Infinity(-1), bound), ")" if sign == "<" else "]")
    return Bracketed("(" if sign == ">" else "[", (bound, Infinity(1)), ")")


def solved(left: Formula, sign: str, right: Formula) -> tuple[str, Value] | None:
    """(name, set) of what an inequality between two formulas says of its one unknown; ``None`` if it is not solved.

    ``-2x < 6`` gives x and the interval from -3 to infinity.

    Raises:
        TooLarge: comparing the coefficients would take too much.
    """
    names = symbols(left) | symbols(right)
    if len(names) != 1 or sign not in MIRRORED:
        return None
    (name,) = names
    if name.startswith("?"):
        return None
    try:
        found = _linear(difference(left, right), Formula("symbol", name), sign)
        return None if found is None else (name, found)
    except (NotReal, Undefined):
        return None


def as_condition(items: Sequence[Value], separators: Collection[str]) -> Value | None:
    """Several conditions on one name as one: ``x < -1 or x > 2``, ``x > 2 and x < 5``; ``None`` for other lists.

    With only commas between them, all must hold if that is possible (``x > 2, x < 5``); if not, they are alternatives
    (``x < -1, x > 2``).
    """
    named = [item for item in items if isinstance(item, Named)]
    if len(named) < len(items) or len({item.name for item in named}) != 1:
        return None
    if not any(isinstance(item.of, Bracketed | Union) for item in named):
        return None  # x = 1 or x = 2 is a list
    sets = [item.of for item in named]
    try:
        together = intersection(sets)
        either = "or" in separators or ("and" not in separators and together == Unordered(()))
        return Named(named[0].name, union(sets) if either else together)
    except NotReal:
        return None


def _linear(formula: Formula, unknown: Formula, sign: str) -> Value | None:
    """The numbers for which ``formula`` is below 0, or as ``sign`` says; ``None`` if it is not linear."""
    if any(_absolute_values(formula)):
        return _of_absolute_value(formula, unknown, sign)
    slope, offset = replaced(formula, unknown, ONE), replaced(formula, unknown, ZERO)
    slope = difference(slope, offset)
    line = total((product((slope, unknown)), offset))
    direction = None if symbols(slope) else _sign_at(slope)
    if not direction or not same(formula, line):
        return _quadratic(formula, unknown, sign)
    bound = as_value(quotient(negative(offset), slope))
    return ray(sign if direction > 0 else MIRRORED[sign], bound)


def _quadratic(formula: Formula, unknown: Formula, sign: str) -> Value | None:
    """``_linear`` for a quadratic formula: the numbers between its roots, or beyond them; ``None`` if it is none."""
    at = [replaced(formula, unknown, number(value)) for value in (-1, 0, 1)]
    if any(map(symbols, at)):
        return None
    first = _folded(product((HALF, total((at[0], at[2], product((number(-2), at[1])))))))
    second, third = _folded(product((HALF, difference(at[2], at[0])))), _folded(at[1])
    parabola = total((product((first, power(unknown, number(2)))), product((second, unknown)), third))
    opens = _sign_at(first)
    discriminant = _folded(difference(power(second, number(2)), product((number(4), first, third))))
    if not opens or not same(formula, parabola) or _sign_at(discriminant) <= 0:
        return None  # always or never so, or at one point: that is no interval
    root = power(discriminant, HALF)
    ends = [
        as_value(quotient(total((negative(second), product((number(side), root)))), product((number(2), first))))
        for side in (-opens, opens)
    ]
    if sign == "\\ne":
        return intersection([ray(sign, end) for end in ends])
    below, above = (sign, MIRRORED[sign]) if sign in LESS else (MIRRORED[sign], sign)
    is_between = (sign in LESS) == (opens > 0)
    low, high = ends
    return (
        intersection([ray(above, low), ray(below, high)]) if is_between else union([ray(below, low), ray(above, high)])
    )


def _of_absolute_value(formula: Formula, unknown: Formula, sign: str) -> Value | None:
    """``_linear``, for a formula that holds the unknown in one absolute value only, as ``2|x - 1| - 6`` does."""
    inside = set(_absolute_values(formula))
    if len(inside) != 1 or unknown == UNKNOWN:
        return None
    (absolute,) = inside
    outside = replaced(formula, absolute, UNKNOWN)
    if symbols(outside) != {UNKNOWN.name}:
        return None
    found = _linear(outside, UNKNOWN, sign)
    if not isinstance(found, Bracketed | Union):
        return None
    pieces = [_between(absolute.args[0], unknown, *piece) for piece in _pieces(found)]
    return None if None in pieces else union([piece for piece in pieces if piece is not None])


def _between(
    inner: Formula, unknown: Formula, low: Formula | None, has_low: bool, high: Formula | None, has_high: bool
) -> Value | None:
    """The numbers for which the absolute value of ``inner`` lies between two bounds; ``None`` if it is not linear."""
    both_signs = inner, negative(inner)
    found: list[Value | None] = []
    if high is not None:
        found += [_linear(difference(one, high), unknown, "\\le" if has_high else "<") for one in both_signs]
    if low is not None:
        sides = [_linear(difference(one, low), unknown, "\\ge" if has_low else ">") for one in both_signs]
        found.append(None if None in sides else union([side for side in sides if side is not None]))
    return None if None in found or not found else intersection([one for one in found if one is not None])


def _pieces(found: Bracketed | Union) -> Iterator[tuple[Formula | None, bool, Formula | None, bool]]:
    """(low, has_low, high, has_high) of each interval of a set of numbers; a bound is ``None`` if it is infinite."""
    for one in found.items if isinstance(found, Union) else (found,):
        if isinstance(one, Bracketed):
            low, high = (None if isinstance(item, Infinity) else _finite(item) for item in one.items)
            yield low, one.opening == "[", high, one.closing == "]"


def _finite(bound: Value) -> Formula:
    formula = as_formula(bound) if isinstance(bound, Number | Expression) else None
    if formula is None:
        raise NotReal
    return formula


def _absolute_values(formula: Formula) -> Iterator[Formula]:
    if formula.kind == "call" and formula.name == "abs" and symbols(formula):
        yield formula
        return
    for arg in formula.args:
        yield from _absolute_values(arg)


def _folded(formula: Formula) -> Formula:
    """The same formula as a number, if it is a rational one."""
    return as_formula(as_value(formula)) or formula


def _sign_at(formula: Formula) -> int:
    """-1, 0 or 1: the sign of a formula without symbols."""
    try:
        value = exact(formula, {})
        return (value > 0) - (value < 0)
    except NotExact:
        found, is_real = numeric(formula, {}, SPARE_DIGITS)
    if not is_real or isinstance(found, found.context.mpc):
        raise NotReal
    return int(found > 0) - int(found < 0)
