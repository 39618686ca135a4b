"""Values as fractions, worked by hand; and what has none, is none, or is too large to compute."""

from fractions import Fraction

import pytest
from tables import each_row

from grpo_rewards.answers.formulas.formula import (
    HALF,
    Formula,
    NotExact,
    TooLarge,
    Undefined,
    call,
    exact,
    number,
    power,
    product,
    quotient,
    repeated,
    total,
)

X, INDEX = Formula("symbol", "x"), Formula("symbol", "#1")


def of(name: str, *args: int | Fraction) -> Formula:
    return call(name, *map(number, args))


def raised(base: int | Fraction, exponent: int | Fraction) -> Formula:
    return power(number(base), number(exponent))


@each_row(
    "formula, value",
    [
        (total((X, product((X, X)), HALF)), Fraction(5, 4)),  # 1/2 + 1/4 + 1/2 for x = 1/2
        (raised(Fraction(2, 3), -2), Fraction(9, 4)),
        (raised(Fraction(4, 9), Fraction(3, 2)), Fraction(8, 27)),  # the root is 2/3, its cube 8/27
        (raised(-1, 10**100 + 1), -1),  # whatever the exponent, at once
        (raised(0, 10**100), 0),
        (of("floor", Fraction(-7, 2)), -4),
        (of("ceil", Fraction(-7, 2)), -3),
        (of("sgn", Fraction(-7, 2)), -1),
        (of("factorial", 5), 120),
        (of("binom", 5, 2), 10),
        (of("binom", 5, 7), 0),
        (of("binom", 5, -1), 0),
        (of("gcd", 12, 18, 27), 3),
        (of("lcm", 4, 6), 12),
        (of("max", 2, Fraction(5, 2)), Fraction(5, 2)),
        (repeated("sum", "#1", number(1), number(100), INDEX), 5050),
        (repeated("product", "#1", number(1), number(5), INDEX), 120),
        (repeated("sum", "#1", number(1), number(0), INDEX), 0),  # no terms
        (repeated("product", "#1", number(1), number(0), INDEX), 1),
        (repeated("sum", "#1", number(1), number(3), product((X, INDEX))), 3),  # 6x for x = 1/2
    ],
)
def test_the_value_of_a_formula(formula: Formula, value: int | Fraction) -> None:
    assert exact(formula, {"x": Fraction(1, 2)}) == value


@each_row(
    "formula, error",
    [
        (raised(2, Fraction(1, 2)), NotExact),
        (raised(-4, Fraction(1, 2)), NotExact),  # 2i
        (raised(8, Fraction(1, 3)), NotExact),  # 2, but only square roots are taken
        (Formula("constant", "pi"), NotExact),
        (of("sin", 0), NotExact),
        (quotient(number(1), number(0)), Undefined),
        (raised(0, 0), Undefined),
        (of("factorial", -1), Undefined),
        (of("factorial", Fraction(1, 2)), Undefined),
        (of("binom", -1, 2), Undefined),
        (of("gcd", 2, Fraction(1, 2)), Undefined),
        (of("factorial", 10_001), TooLarge),
        (repeated("sum", "#1", number(1), number(20_000), INDEX), TooLarge),
        (repeated("sum", "#1", number(1), number(Fraction(1, 2)), INDEX), Undefined),
        (repeated("sum", "#1", number(3), number(1), INDEX), Undefined),  # backwards
        (raised(2, 120_001), TooLarge),  # of more than 120,000 bits
        (raised(2, 10**100), TooLarge),
        (product([raised(2, 90_000)] * 3), TooLarge),  # each fits, their product has 270,000 bits
    ],
)
def test_what_is_no_fraction(formula: Formula, error: type[ArithmeticError]) -> None:
    with pytest.raises(error):
        exact(formula, {})
