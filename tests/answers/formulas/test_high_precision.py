"""Values to many digits, against digits from tables; what is not real on the way; what has no value or is too large."""

from fractions import Fraction

import pytest
from tables import each_row

from grpo_rewards.answers.formulas.formula import (
    HALF,
    Formula,
    TooLarge,
    Undefined,
    call,
    digits_needed,
    number,
    numeric,
    power,
    product,
    repeated,
    steps_needed,
    surely_differ,
    total,
)

X, INDEX = Formula("symbol", "x"), Formula("symbol", "#1")
PI, E, IMAGINARY = (Formula("constant", name) for name in ("pi", "e", "i"))
THIRD = number(Fraction(1, 3))


def of(name: str, *args: int | Formula) -> Formula:
    return call(name, *(number(arg) if isinstance(arg, int) else arg for arg in args))


@each_row(
    "formula, value",
    [
        # the first 40 decimals as tables have them
        (power(number(2), HALF), "1.4142135623730950488016887242096980785697"),
        (PI, "3.1415926535897932384626433832795028841972"),
        (E, "2.7182818284590452353602874713526624977572"),
        (of("ln", 2), "0.6931471805599453094172321214581765680755"),
        # exactly, by what is taught of them
        (of("lg", 1000), "3"),
        (of("log", 8, 2), "3"),
        (of("sin", product((PI, number(Fraction(1, 6))))), "0.5"),
        (power(number(-8), THIRD), "-2"),  # an odd root of a negative number is real
        (of("binom", 5, 2), "10"),
        (of("floor", PI), "3"),
        (power(X, number(2)), "0.0625"),  # x = 1/4
        (repeated("sum", "#1", number(1), number(3), power(INDEX, HALF)), "4.1462643699419723423291350657155704455124"),
        (repeated("product", "#1", number(1), number(4), INDEX), "24"),
        (repeated("sum", "#1", number(1), number(0), PI), "0"),
    ],
)
def test_the_value_of_a_real_formula(formula: Formula, value: str) -> None:
    found, is_real = numeric(formula, {"x": Fraction(1, 4)}, 60)
    assert abs(found - found.context.mpf(value)) < found.context.mpf(10) ** -39
    assert is_real


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (product((IMAGINARY, IMAGINARY)), -1),
        (power(E, product((IMAGINARY, PI))), -1),
        (power(power(number(-4), HALF), number(2)), -4),
    ],
)
def test_a_result_is_not_real_if_anything_on_the_way_was_not(formula: Formula, value: int) -> None:
    found, is_real = numeric(formula, {}, 40)
    assert abs(found - value) < found.context.mpf(10) ** -38
    assert not is_real


@each_row(
    "formula, error",
    [
        (power(number(0), number(-1)), Undefined),
        (of("ln", 0), Undefined),
        (of("gcd", 2, HALF), Undefined),
        (of("floor", IMAGINARY), Undefined),
        (power(E, power(E, number(100))), TooLarge),
        (of("sinh", number(10**30)), TooLarge),
        (of("sin", number(10**700)), TooLarge),  # of 2,326 bits; 2,000 are the most
        (total([of("sin", X)] * 10_000), TooLarge),  # 20 steps each, of a budget of 200,000
    ],
)
def test_what_has_no_value_or_is_too_large(formula: Formula, error: type[ArithmeticError]) -> None:
    with pytest.raises(error):
        numeric(formula, {"x": Fraction(1)}, 50)


def test_how_many_steps_and_how_many_digits_a_formula_needs() -> None:
    # sum, sin, x, arctan, x; the sine counts once, the arctangent as three
    assert steps_needed(total((of("sin", X), of("arctan", X))), 50) == 2 * 5 + 20 * 4
    # 1000 is of 10 bits above 1 of 1 bit: 11 · 0.302 digits, and 7 times as many for its seventh power, and 7 (3 + 1)
    assert digits_needed(power(number(1000), number(7))) == pytest.approx(7 * 11 * 0.302 + 4 * 0.302)
    assert digits_needed(power(X, number(2**70))) == float("inf")


def test_bounds_that_are_not_whole_have_no_value() -> None:
    with pytest.raises(Undefined):
        numeric(repeated("sum", "#1", number(1), PI, INDEX), {}, 40)


@each_row(
    "formula, other, differ",
    [
        (X, total((X, number(1))), True),
        (power(E, product((number(-20), X))), number(0), True),  # small, but nothing is lost
        (power(total((X, number(1))), number(101)), power(total((X, number(1))), number(102)), True),
        # next to 10^12 nothing of x is left in a float; the others are no functions of floats, or not real
        (total((number(10**12), X, number(-(10**12)))), product((number(2), X)), False),
        (of("sin", product((number(10**12), X))), X, False),
        (of("arcsinh", X), X, False),
        (of("arcsin", number(2)), X, False),
        (of("log", X), X, False),
    ],
)
def test_a_quick_look_says_nothing_where_floats_are_not_exact_enough(
    formula: Formula, other: Formula, differ: bool
) -> None:
    assert surely_differ(formula, other, {"x": Fraction("1.37")}) is differ
    assert not surely_differ(formula, formula, {"x": Fraction("1.37")})


def test_a_quick_look_at_a_tower_of_powers_takes_a_step_a_power() -> None:
    tower = X
    for _ in range(60):
        tower = power(X, tower)
    assert not surely_differ(tower, tower, {"x": Fraction("1.37")})
    assert surely_differ(power(X, power(X, X)), power(X, X), {"x": Fraction("1.37")})
