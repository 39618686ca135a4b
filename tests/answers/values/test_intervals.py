"""Sets of real numbers: their unions and intersections, and what is left without some points."""

import pytest
from answer_pairs import assert_different_by_value, assert_equal, rows
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
DIFFERENT = {
    "inequalities": [
        (r"x<2 \text{ and } x>1", r"(-\infty,2)\cup(1,\infty)"),
    ],
}


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)
