"""What the kinds of values have in common: formulas, names, points."""

from fractions import Fraction

import pytest
from tables import each_row

from grpo_rewards.answers.formulas.formula import Formula, number
from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.values.kinds import (
    SHOWN_CHARACTERS,
    Bracketed,
    Expression,
    Infinity,
    Named,
    Number,
    Unordered,
    Value,
    are_named,
    as_formula,
    by_name,
    is_point,
    shown,
)

ONE, TWO = Number(Fraction(1)), Number(Fraction(2))
POINT, OPEN = Bracketed("(", (ONE, TWO), ")"), Bracketed("(", (ONE, Infinity(1)), ")")
HALF_OPEN = Bracketed("[", (ONE, TWO), ")")
X, Y = Named("x", ONE), Named("y", TWO)
X_1, X_2 = Named("x_{1}", ONE), Named("x_{2}", TWO)


def test_a_number_is_a_formula_without_its_unit_and_an_expression_may_be_none() -> None:
    symbol = Formula("symbol", "x")
    assert as_formula(Number(Fraction(3, 2), "meter")) == number(Fraction(3, 2))
    assert as_formula(Expression("x", symbol, "meter")) == symbol
    assert as_formula(Expression("?")) is None


def test_how_a_value_was_written_is_no_part_of_it() -> None:
    assert Unordered((ONE, TWO), braced=True) == Unordered((ONE, TWO))
    assert Named("x", ONE, Formula("symbol", "x")) == X
    assert Expression("x", Formula("symbol", "x")) == Expression("x") != Expression("y")


@each_row(
    "value, named",
    [
        (Unordered((X, Y)), True),
        (Unordered((X_1, X_2)), False),  # two values of one unknown
        (Unordered((X, TWO)), False),
        (Unordered((X,)), False),
        (X, False),
    ],
)
def test_values_of_different_unknowns(value: Value, named: bool) -> None:
    assert are_named(value) is named
    assert is_point(value) is named  # x = 1, y = 2 is the point (1, 2)


def test_values_with_names_of_one_letter_or_with_numbers_are_put_in_order() -> None:
    assert by_name((Y, X)) == [X, Y]
    assert by_name((X_2, X_1)) == [X_1, X_2]
    assert by_name((Y, ONE)) == (Y, ONE)


@pytest.mark.parametrize(("value", "point"), [(POINT, True), (HALF_OPEN, False), (ONE, False)])
def test_a_point_has_parentheses(value: Value, point: bool) -> None:
    assert is_point(value) is point


@each_row(
    "text, expected",
    [
        ("5pct", "5 percent"),
        ("5pcs", "5pcs"),
        ("1.50", "1.50"),
        (r"-\frac{1}{3}", "-1/3"),
        (r"-x^2+3\pi", r"-x^{2}+3\pi "),
        ("x = y = 5 cm", "x = y = 5 centimeter"),
        ("7" * 900, "a number of many digits"),
        ("(1, 2]", "as it is spelled"),
    ],
)
def test_an_amount_is_shown_as_it_was_read(text: str, expected: str) -> None:
    assert shown(read(parse(text)), "as it is spelled") == expected


def test_a_long_formula_is_cut_off() -> None:
    assert len(shown(read(parse("+".join(f"{n}x" for n in range(1, 200)))))) == SHOWN_CHARACTERS + 1
