"""Values of different kinds, and arithmetic that is not carried out."""

from answer_pairs import assert_different_by_value, assert_equal, rows
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
DIFFERENT = TABLES["different"]


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)
