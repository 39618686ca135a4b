"""Amounts in several units are one amount, and no list; what only looks like one is none."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
NOT_EQUAL = TABLES["not_equal"]


@each_row("prediction, answer", EQUAL)
def test_several_units_are_one_amount(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", NOT_EQUAL)
def test_they_are_no_decimals_and_no_lists(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
