"""When a decimal stands for an exact value that it only rounds."""

from __future__ import annotations

from fractions import Fraction

from grpo_rewards.answers.formulas.exact import Undefined
from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.formulas.high_precision import numeric

__all__ = ["is_rounding", "rounds", "significant_digits", "terminates"]

DIGITS = 50  # beyond those of the decimal
DIGITS_AT_MOST = 2_500


def rounds(decimal: Fraction, places: int, exact: Fraction) -> bool:
    """Whether a decimal is the correct rounding of an exact number to its number of places."""
    return bool(abs(exact - decimal) * 2 * 10**places <= 1)


def is_rounding(formula: Formula, decimal: Fraction, places: int) -> bool:
    """Whether a decimal is the correct rounding of a formula without symbols to its number of places.

    Raises:
        TooLarge: the formula must not be computed.
    """
    try:
        value, _ = numeric(formula, {}, min(DIGITS + places, DIGITS_AT_MOST))
    except Undefined:
        return False
    context = value.context
    if isinstance(value, context.mpc):
        return False
    error = abs(value - context.mpf(decimal.numerator) / decimal.denominator)
    return bool(error * 2 * context.mpf(10) ** places <= 1)


def significant_digits(decimal: Fraction, places: int) -> int:
    """How many digits a decimal has as written, without the zeros before the first."""
    return len(str(abs(decimal.numerator * 10**places // decimal.denominator)))


def terminates(value: Fraction) -> bool:
    """Whether the decimal expansion ends: the denominator divides a power of ten."""
    remainder: int = pow(10, value.denominator.bit_length(), value.denominator)
    return remainder == 0
