"""Letters that stand apart from a number: its unit beside an amount, a variable otherwise."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

# Letters that a space parts from a number may be a unit, beside a bare number or an amount.
APART = TABLES["apart"]
VARIABLES = TABLES["variables"]


@each_row("prediction, answer", APART)
def test_letters_apart_from_a_number_may_be_its_unit(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", VARIABLES)
def test_most_letters_are_variables(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
