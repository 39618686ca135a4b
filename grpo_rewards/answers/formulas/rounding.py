"""Decides whether a decimal is a correct rounding of an exact value, and how exactly a float is known."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from fractions import Fraction

from grpo_rewards.answers.formulas.exact import Undefined
from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.formulas.high_precision import MOST_DIGITS, SPARE_DIGITS, numeric

__all__ = [
    "FLOAT_DIGITS",
    "float_error",
    "half_unit",
    "is_near",
    "is_rounding",
    "is_short",
    "rounds",
    "significant_digits",
    "terminates",
]

SPARED_DIGITS = 3  # by which a decimal is shorter than what is known of a float, if the float stands for it
FLOAT_DIGITS = 15  # a float is known to so many significant digits: its printed digits beyond them are its own
FEWEST_DIGITS = 13  # that are printed of one which stands for a fraction
SINGLE_PRECISION = 2**24  # a float of 32 bits is known to one part in so many
DIGITS_PER_BIT = 0.302
EXACT_WHOLE = 2**53  # below it a float holds every whole number


def half_unit(places: int) -> Fraction:
    """Half a unit of the last digit of a decimal with ``places`` digits behind the point; -1 rounds to tens."""
    return Fraction(1, 2 * 10**places) if places >= 0 else Fraction(10**-places, 2)


def rounds(decimal: Fraction, places: int, exact: Fraction) -> bool:
    """Whether a decimal with ``places`` digits behind the point is a correct rounding of an exact number."""
    return abs(exact - decimal) <= half_unit(places)


def is_rounding(formula: Formula, decimal: Fraction, places: int) -> bool:
    """Whether a decimal with ``places`` digits behind the point is a correct rounding of a formula without symbols.

    Draws on the budget.

    Raises:
        TooLarge: computing the formula would take too much.
    """
    return is_near(formula, decimal, half_unit(places))


def is_near(formula: Formula, number: Fraction, distance: Fraction) -> bool:
    """Whether a formula without symbols is at most a distance away from a number. Draws on the budget.

    Raises:
        TooLarge: computing the formula would take too much.
    """
    places = round(DIGITS_PER_BIT * distance.denominator.bit_length())
    try:
        value, _ = numeric(formula, {}, min(SPARE_DIGITS + places, MOST_DIGITS))
    except Undefined:
        return False
    context = value.context
    if isinstance(value, context.mpc):
        return False
    error = abs(value - context.mpf(number.numerator) / number.denominator)
    return bool(error * distance.denominator <= distance.numerator)


def float_error(value: Fraction) -> Fraction:
    """How far a number may be from what it stands for, if it is a float that was printed; else 0.

    A float is printed with the fewest digits that give it back, and one that stands for 1/3 or 0.1 + 0.2 needs at least
    15 of them, or by chance 13 or 14. It is known to 15 digits, or to 7 if it has 32 bits only. A whole number that a
    float holds exactly is known exactly.

    >>> float_error(Fraction("0.30000000000000004")) > 4e-17, float_error(Fraction("0.3"))
    (True, Fraction(0, 1))
    """
    try:
        printed = repr(float(value))
    except OverflowError:  # no float is as large
        return Fraction(0)
    digits = Decimal(printed).normalize().as_tuple().digits
    if len(digits) < FEWEST_DIGITS or Fraction(printed) != value:
        return Fraction(0)
    if value.denominator == 1 and abs(value) <= EXACT_WHOLE:
        return Fraction(0)
    if _has_32_bits(float(value)):
        return abs(value) / SINGLE_PRECISION
    return half_unit(FLOAT_DIGITS - 1 - Decimal(printed).adjusted())


def is_short(value: Fraction, error: Fraction) -> bool:
    """Whether a float that may be off by ``error`` stands for a short decimal: 0.30000000000000004 does for 0.3."""
    digits = round(-math.log10(error / abs(value))) - SPARED_DIGITS
    return abs(Fraction(f"{float(value):.{digits}g}") - value) <= error


def _has_32_bits(value: float) -> bool:
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:  # too large for 32 bits
        return False


def significant_digits(decimal: Fraction, places: int) -> int:
    """How many digits a decimal with ``places`` digits behind the point has, without leading zeros: 2 for 0.050."""
    return len(str(int(abs(decimal) * Fraction(10) ** places)))


def terminates(value: Fraction) -> bool:
    """Whether the decimal expansion of a value ends, that is, its denominator divides a power of ten."""
    remainder: int = pow(10, value.denominator.bit_length(), value.denominator)
    return remainder == 0
