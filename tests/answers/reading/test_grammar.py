"""What is a factor, an exponent, a function: the precedences of mathematics."""

from answer_pairs import assert_equal, rows
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)
