"""Amounts in units: converted where both sides have one, optional elsewhere, and never another unit."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
NOT_EQUAL = TABLES["not_equal"]


@each_row("prediction, answer", EQUAL)
def test_equal_amounts_are_equal_in_any_unit_of_their_kind(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", NOT_EQUAL)
def test_another_unit_or_another_amount_is_never_paid(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
