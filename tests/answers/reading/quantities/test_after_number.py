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
def test_what_changes_or_denies_a_number_is_not_paid(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"


MONEY_AND_PERCENT = [
    (r"\$5\text{ per hour}", r"\$5"),
    (r"\$5/hour", "5 dollars per hour"),
    (r"\$5\text{ per ticket}", "5 dollars per ticket"),
    (r"\$5 \text{ each}", "5"),
    (r"\$5 \text{ million}", "5000000"),
    (r"\$5\text{ USD}", "USD 5"),
    (r"20\%\text{ increase}", "20"),
    (r"20\% \text{ of the total}", r"20\%"),
]
NEITHER = [
    (r"\$5\text{ apples}", "5"),
    (r"\$5 \text{ cents}", "5"),
    (r"\$5\text{ wrong}", "5"),
    (r"\$5 m", "5"),
    (r"5\%\text{ wrong}", "5"),
    (r"20\%\text{ of six}", "20"),
    ("5 dollars per hour", "5 dollars per minute"),
    ("60 miles", "60 mph"),
]


@each_row("prediction, answer", MONEY_AND_PERCENT)
def test_more_may_be_said_of_money_and_of_percent(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", NEITHER)
def test_what_does_not_belong_to_them_is_not_paid(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
