"""Words beside equal numbers: which say that two answers speak of different things, and which do not matter."""

from __future__ import annotations

from answer_pairs import rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

SAME = TABLES["same"]
OTHER = TABLES["other"]


@each_row("prediction, answer", rows(SAME))
def test_words_that_contradict_nothing_do_not_matter(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == compare(answer, prediction).outcome == "correct"


@each_row("prediction, answer", rows(OTHER))
def test_equal_numbers_of_different_things_differ(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
    assert compare(answer, prediction).outcome != "correct"
