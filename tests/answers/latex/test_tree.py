"""Spellings that are one and the same, and what cannot be parsed."""

import pytest
from answer_pairs import assert_different, assert_equal_both_ways
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

SPELLINGS = TABLES["spellings"]
MALFORMED = [
    (r"\frac{1}", "1"),
]


@each_row("prediction, answer", SPELLINGS)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), MALFORMED)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)
