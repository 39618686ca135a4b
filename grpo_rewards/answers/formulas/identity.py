"""Decides whether two formulas are the same, by evaluating both at the same points.

The values are exact fractions if possible; of fractions too large to be written out the remainders by some primes are
compared, and all other values have many digits. A polynomial that is not zero vanishes almost nowhere, so two formulas
that agree at several points are equal, if nobody chose the points to suit them (Schwartz 1980, Zippel 1979).
"""

from __future__ import annotations

from collections import Counter

from grpo_rewards.answers.formulas.budget import TooLarge, spend
from grpo_rewards.answers.formulas.exact import NotExact, Point, Undefined, exact
from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.formulas.high_precision import MOST_DIGITS, SPARE_DIGITS, digits_needed, numeric, size
from grpo_rewards.answers.formulas.modular import primes, remainders
from grpo_rewards.answers.formulas.points import Points, hash_of
from grpo_rewards.answers.formulas.structure import (
    has_bare_log,
    has_unread,
    is_algebraic,
    is_piecewise,
    looks_arbitrary,
    with_log,
    without_absolute_values,
)

__all__ = ["same"]

POINTS_NEEDED = 3  # at which formulas with symbols must agree
ENOUGH_AFTER_POINT = 5  # after the point with this index, that many are enough, unless a formula has kinks
SAME_VALUE, DIFFERENT_VALUES = "same", "different"
SAME_BEYOND, DIFFERENT_BEYOND = "same beyond the reals", "different beyond the reals"
ONE_REAL = "different, and only one is real"
ONE_UNDEFINED, BOTH_UNDEFINED = "one undefined", "both undefined"
SKIPPED = "too large"
LARGE_VALUE_BITS = 100  # larger values are computed to more digits


def same(one: Formula, other: Formula) -> bool | None:
    """Whether two formulas have the same value wherever both are real; ``None`` if undecided.

    ``\\log`` without a base may be natural or decimal, if it is the same in both. Formulas with operators that are not
    read are undecided unless they agree. Draws on the budget.

    Raises:
        TooLarge: comparing them would take too much.
    """
    if one == other:
        return True
    algebraic = is_algebraic(one) and is_algebraic(other)
    if algebraic:
        return _same(one, other, algebraic=True)
    if not (has_bare_log(one) or has_bare_log(other)):
        found = _same(one, other)
    else:
        results = [_same(with_log(one, name), with_log(other, name)) for name in ("ln", "lg")]
        found = True if True in results else None if None in results else False
    return None if found is False and (has_unread(one) or has_unread(other)) else found


def _same(one: Formula, other: Formula, *, algebraic: bool = False) -> bool | None:
    """``same``, for formulas whose logarithms all have a base.

    One real point at which they differ makes them different. Otherwise they are the same if they agree at enough real
    points or, where there are too few of these, at enough complex ones.
    """
    points = Points(one, other, algebraic=algebraic)
    digits = SPARE_DIGITS + digits_needed(one) + digits_needed(other)
    enough = points.count - 1 if points.kinked else ENOUGH_AFTER_POINT
    cost = 3 * (size(one)[0] + size(other)[0])
    found: Counter[str] = Counter()
    for index, point in enumerate(points):
        spend(cost)
        outcome = _at(point, one, other, digits)
        if outcome == DIFFERENT_VALUES or (outcome == ONE_REAL and _widened(point, one, other)):
            return False
        found[outcome] += 1
        if not points.names or (index >= enough and found[SAME_VALUE] >= POINTS_NEEDED):
            break
    if found[SKIPPED] and (not points.names or is_piecewise(one) or is_piecewise(other)):
        raise TooLarge("too large at a point")
    return _verdict(found, POINTS_NEEDED if points.names else 1)


def _verdict(found: Counter[str], needed: int) -> bool | None:
    """What follows if no point shows two formulas to be different. ``found`` counts how they compare at the points."""
    if found[SAME_VALUE] >= needed:
        return True
    if found[SKIPPED]:
        raise TooLarge("too large at most points")
    if found[DIFFERENT_BEYOND] or found[ONE_REAL]:
        return False
    agreed = found[SAME_VALUE] + found[SAME_BEYOND]
    if agreed >= needed:
        return True
    return False if found[ONE_UNDEFINED] and not agreed else None


def _at(point: Point, one: Formula, other: Formula, digits: float) -> str:
    """How two formulas compare at a point. "Beyond the reals" means that a value on the way is not real.

    Raises:
        TooLarge: the budget is used up.
    """
    try:
        return _of_values(point, one, other, digits)
    except Undefined:
        try:
            defined = _is_defined(one, point), _is_defined(other, point)
        except TooLarge:
            defined = False, False
    except TooLarge:
        spend(0)  # fails if there is no budget left for other points
        return SKIPPED
    return ONE_UNDEFINED if any(defined) else BOTH_UNDEFINED


def _of_values(point: Point, one: Formula, other: Formula, digits: float) -> str:
    """``_at``, for formulas that both have a value at the point."""
    try:
        return SAME_VALUE if exact(one, point) == exact(other, point) else DIFFERENT_VALUES
    except NotExact:
        found = None
    except TooLarge:
        found = _of_remainders(point, one, other)
    if found is not None:
        return found
    try:
        return _of_digits(point, one, other, digits)
    except TooLarge:
        found = _of_remainders(point, one, other)
        if found is None:
            raise
        return found


def _of_digits(point: Point, one: Formula, other: Formula, digits: float) -> str:
    """``_of_values``, to many digits."""
    if digits > MOST_DIGITS:
        raise TooLarge("too many digits")
    agree, real, other_real = _agree(one, other, point, int(digits))
    if real and other_real:
        return SAME_VALUE if agree else DIFFERENT_VALUES
    return SAME_BEYOND if agree else ONE_REAL if real != other_real else DIFFERENT_BEYOND


def _of_remainders(point: Point, one: Formula, other: Formula) -> str | None:
    """``_of_values``, by remainders; ``None`` if these show nothing."""
    by = primes(hash_of(one, other))
    try:
        value, against = remainders(one, point, by), remainders(other, point, by)
    except NotExact:
        return None
    if value.of == against.of:
        return SAME_VALUE
    return None if value.formal or against.formal else DIFFERENT_VALUES


def _agree(one: Formula, other: Formula, point: Point, digits: int) -> tuple[bool, bool, bool]:
    """Whether two formulas agree at a point, and whether all values on the way are real, for each of them.

    A difference that shrinks when the digits are doubled comes from rounding; one that does not is a real difference.
    """
    value, real = numeric(one, point, digits)
    against, other_real = numeric(other, point, digits)
    difference, size = abs(value - against), max(abs(value), abs(against))
    context = value.context
    magnitude = context.mag(size)
    if magnitude > LARGE_VALUE_BITS:  # next to a number so large, a small term would be lost in fifty digits
        if difference > size / 2 and _are_stable(one, other, point, digits):
            return False, real, other_real
        if magnitude > 4 * MOST_DIGITS or digits + magnitude * 66 // 100 > MOST_DIGITS:
            raise TooLarge("a number of too many digits")
        digits += magnitude * 66 // 100  # twice the number's decimal digits, and a tenth more
        value, against = numeric(one, point, digits)[0], numeric(other, point, digits)[0]
        difference, size = abs(value - against), max(abs(value), abs(against))
    if difference <= size * context.mpf(10) ** (-digits * 4 // 5):
        return True, real, other_real
    finer = abs(numeric(one, point, 2 * digits)[0] - numeric(other, point, 2 * digits)[0])
    return bool(finer < difference / 1000), real, other_real


def _are_stable(one: Formula, other: Formula, point: Point, digits: int) -> bool:
    """Whether the first digits of both values are right: whether they stay when twice as many digits are computed."""
    for formula in (one, other):
        value, finer = numeric(formula, point, digits)[0], numeric(formula, point, 2 * digits)[0]
        if abs(value - finer) > abs(finer) / 1000:
            return False
    return True


def _widened(point: Point, one: Formula, other: Formula) -> bool:
    """Whether it is an absolute value or a maximum that makes only one of two formulas real at a point.

    So ``\\sqrt{|x|}`` is not ``\\sqrt{x}``. But ``\\sqrt{xy}`` is ``\\sqrt{x}\\sqrt{y}``, as for positive numbers, and
    ``\\ln|x| + C`` may be written ``\\ln x + C``: nobody keeps account of where an antiderivative is defined.
    """
    if any(map(looks_arbitrary, point)):
        return False
    if all(value > 0 for value in point.values()):  # ln(-x) is not ln |x|
        return is_piecewise(one) or is_piecewise(other)
    try:
        bare = [numeric(without_absolute_values(formula), point, SPARE_DIGITS)[1] for formula in (one, other)]
    except Undefined:
        return True
    return bare[0] == bare[1]


def _is_defined(formula: Formula, point: Point) -> bool:
    """Whether a formula has a value at a point. Draws on the budget."""
    try:
        numeric(formula, point, SPARE_DIGITS)
    except Undefined:
        return False
    return True
