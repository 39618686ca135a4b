"""How formulas are built: what is folded to one number, what stays a tree, and what depends on a symbol."""

from fractions import Fraction

from tables import each_row

from grpo_rewards.answers.formulas.formula import (
    NUMBER_BITS,
    Formula,
    call,
    difference,
    has_symbols,
    in_radians,
    negative,
    number,
    power,
    product,
    quotient,
    total,
)

X, PI = Formula("symbol", "x"), Formula("constant", "pi")


def test_what_is_one_number_is_folded_to_a_number() -> None:
    assert quotient(number(6), number(-4)) == number(Fraction(-3, 2))  # 6 / -4 in lowest terms
    assert negative(number(3)) == number(-3)
    assert difference(number(5), number(3)).args == (number(5), number(-3))
    assert total([X]) == product([X]) == X  # of one there is nothing to add or multiply


def test_what_is_no_one_number_stays_a_tree() -> None:
    assert negative(X) == product((number(-1), X))
    assert quotient(X, number(2)) == product((X, power(number(2), number(-1))))
    assert quotient(number(1), number(0)).kind == "product"  # whose value is undefined, not an exception here
    assert quotient(number(1), number(2 ** (NUMBER_BITS - 1))).kind == "number"  # 1 and then 7,999 noughts: 8,000 bits
    assert quotient(number(1), number(2**NUMBER_BITS)).kind == "product"


@each_row(
    "formula, depends",
    [
        (number(3), False),
        (PI, False),
        (call("sin", PI), False),
        (call("sin", total((PI, X))), True),
        (call("?f", number(2)), True),  # f is not known, so neither is f(2)
    ],
)
def test_what_depends_on_a_symbol(formula: Formula, depends: bool) -> None:
    assert has_symbols(formula) is depends


def test_degrees_become_radians_wherever_they_stand() -> None:
    # 60° is 60 · π / 180
    radians = product((number(60), number(Fraction(1, 180)), PI))
    assert in_radians(call("sin", call("degree", number(60)))) == call("sin", radians)
    assert in_radians(call("sin", X)) == call("sin", X)
