"""Sets of real numbers: their unions and intersections, and what is left without some points."""

import pytest
from answer_pairs import assert_different_by_value, assert_equal, rows
from tables import each_row

EQUAL = {
    "inequalities": [
        (r"(-\infty,1)\cup(1,\infty)", r"x\neq 1"),
        (r"x>3 \text{ or } x<-1", r"(-\infty,-1)\cup(3,\infty)"),
        ("x<-1, x>3", r"(-\infty,-1)\cup(3,\infty)"),
        (r"\mathbb{R}\setminus\{1,2\}", r"x \neq 1, x \neq 2"),
        (r"0<x<36, x \ne 9", r"(0,9)\cup(9,36)"),
        (r"(0,1]\cup[1,2)", "(0,2)"),
        (r"(-\infty,3)\cap(0,\infty)", "(0,3)"),
    ],
}
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
