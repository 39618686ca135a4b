"""What stands around an answer and is none of it."""

from answer_pairs import assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@each_row("prediction", TABLES["a_choice_with_another_one_is_no_choice"])
def test_a_choice_with_another_one_is_no_choice(prediction):
    assert compare(prediction, "C").outcome != "correct"
