"""Words before ``=``: which name what has a value, and which take it back or only mention it."""

from __future__ import annotations

from answer_pairs import assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

SAME = TABLES["same"]
REFUSED = TABLES["refused"]


@each_row("prediction, answer", rows(SAME))
def test_words_that_name_a_quantity_leave_its_value(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(REFUSED))
def test_the_value_behind_other_words_never_counts(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
