"""What can be the name of a value, and what is an equation that is still to be solved."""

from __future__ import annotations

import pytest

from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.names import is_combination, is_derivative, is_letter_tuple, is_name

# As the left side of "… = 5" is meant in problems and their answers.
NAMES = r"x|x_{1}|\theta|f(2)|f(x)|f'(x)|P(X=1)|AB|\angle ABC|\triangle ABC|\cos A|\gcd(a,b)|(x,y)|E[X]|\text{Area}"
NO_NAMES = r"2x|x+1|x^{2}|\cos x|xy|5|\frac{x}{y}|\text{not x}|(x+1)|\sqrt{x}|\gcd(4,6)|E[5+X]"


@pytest.mark.parametrize("text", [*NAMES.split("|"), "|AB|", r"\frac{dy}{dx}"])
def test_what_names_a_value(text: str) -> None:
    assert is_name(parse(text))


@pytest.mark.parametrize("text", [*NO_NAMES.split("|"), "|x|"])
def test_what_names_no_value(text: str) -> None:
    assert not is_name(parse(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("m+n", True), ("abc", True), ("m+m", False), ("2m", False), ("m-n", False), ("m", False), ("m^{n}", False)],
)
def test_a_combination_is_a_sum_or_product_of_different_symbols(text: str, expected: bool) -> None:
    formula = read_formula(parse(text))
    assert formula is not None
    assert is_combination(formula) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("(x,y)", True), (r"(\alpha,y,z)", True), ("(x)", False), ("(x,1)", False), ("(x;y)", False), ("[x,y]", False)],
)
def test_a_tuple_of_letters(text: str, expected: bool) -> None:
    assert is_letter_tuple(parse(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [(r"\frac{dy}{dx}", True), (r"\frac{\partial f}{\partial x}", True), (r"\frac{d}{x}", False), ("dy/dx", False)],
)
def test_a_derivative(text: str, expected: bool) -> None:
    assert is_derivative(parse(text)) is expected
