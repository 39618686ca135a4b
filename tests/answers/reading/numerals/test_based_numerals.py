"""Numerals in another base, in every spelling, and numbers that only look like them."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
NOT_EQUAL = TABLES["not_equal"]


@each_row("prediction, answer", EQUAL)
def test_the_same_numeral_in_every_spelling(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", NOT_EQUAL)
def test_another_base_or_a_digit_too_large_is_another_answer(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
