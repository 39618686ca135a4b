"""Unicode mathematics is the LaTeX that it looks like."""

from answer_pairs import assert_equal_both_ways
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

UNICODE = TABLES["unicode"]


@each_row("prediction, answer", UNICODE)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)
