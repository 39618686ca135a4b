"""Equations, inequalities and chains of them: what they say, and what they say that is something else."""

import pytest
from answer_pairs import assert_different, assert_different_by_value, assert_equal, assert_equal_both_ways, rows
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

NAMED = [
    ("x = 5", "5"),
    ("5", "x=5"),
    (r"\theta = 30^\circ", "30"),
    (r"x \in (1, 2]", "(1,2]"),
]
OTHER_NAMES = [
    ("y=5", "x=5"),
    ("x=5,y=6", "5"),
]
EQUAL = TABLES["equal"]
DIFFERENT = TABLES["different"]


@each_row("prediction, answer", NAMED)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), OTHER_NAMES)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)
