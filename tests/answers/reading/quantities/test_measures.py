"""Units of measure, money, percent and degrees: the same in any spelling, optional, and never another one."""

import pytest
from answer_pairs import assert_different, assert_different_by_value, assert_equal, assert_equal_both_ways, rows
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

UNITS = TABLES["units"]
OTHER_UNITS = [
    ("5 cm", r"5 \text{ inches}"),
    ("18 ft^2", r"18 \text{ ft}^3"),
]
EQUAL = TABLES["equal"]
DIFFERENT = TABLES["different"]


@each_row("prediction, answer", UNITS)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), OTHER_UNITS)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)
