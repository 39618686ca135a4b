"""Answers that look alike and are not: what a generous reading must not pay, and the right answers beside it."""

from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

WRONG = TABLES["wrong"]
RIGHT = TABLES["right"]


@each_row("prediction, answer", WRONG)
def test_what_looks_alike_is_not_rewarded(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"


@each_row("prediction, answer", RIGHT)
def test_its_right_neighbours_are(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"
