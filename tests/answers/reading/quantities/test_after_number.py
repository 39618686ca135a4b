"""Units, money and words in Chinese, Japanese and Russian; a word that changes the number is no unit."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
NOT_EQUAL = TABLES["not_equal"]


@each_row("prediction, answer", EQUAL)
def test_they_are_read_as_in_english(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", NOT_EQUAL)
def test_what_changes_or_denies_a_number_is_not_rewarded(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"


MONEY_AND_PERCENT = TABLES["money_and_percent"]
NEITHER = TABLES["neither"]


@each_row("prediction, answer", MONEY_AND_PERCENT)
def test_more_may_be_stated_of_money_and_of_percent(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", NEITHER)
def test_what_does_not_belong_to_them_is_not_rewarded(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
