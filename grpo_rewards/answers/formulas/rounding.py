"""Decides whether a decimal is a correct rounding of an exact value."""

from __future__ import annotations

from fractions import Fraction

from grpo_rewards.answers.formulas.exact import Undefined
from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.formulas.high_precision import MOST_DIGITS, SPARE_DIGITS, numeric

__all__ = ["is_rounding", "rounds", "significant_digits", "terminates"]


def rounds(decimal: Fraction, places: int, exact: Fraction) -> bool:
    """Whether a decimal with ``places`` digits behind the point is a correct rounding of an exact number."""
    return bool(abs(exact - decimal) * 2 * 10**places <= 1)


def is_rounding(formula: Formula, decimal: Fraction, places: int) -> bool:
    """Whether a decimal with ``places`` digits behind the point is a correct rounding of a formula without symbols.

    Draws on the budget.

    Raises:
        TooLarge: computing the formula would take too much.
    """
    try:
        value, _ = numeric(formula, {}, min(SPARE_DIGITS + places, MOST_DIGITS))
    except Undefined:
        return False
    context = value.context
    if isinstance(value, context.mpc):
        return False
    error = abs(value - context.mpf(decimal.numerator) / decimal.denominator)
    return bool(error * 2 * context.mpf(10) ** places <= 1)


def significant_digits(decimal: Fraction, places: int) -> int:
    """How many digits a decimal with ``places`` digits behind the point has, without leading zeros: 2 for 0.050."""
    return len(str(abs(decimal.numerator * 10**places // decimal.denominator)))


def terminates(value: Fraction) -> bool:
    """Whether the decimal expansion of a value ends, that is, its denominator divides a power of ten."""
    remainder: int = pow(10, value.denominator.bit_length(), value.denominator)
    return remainder == 0
