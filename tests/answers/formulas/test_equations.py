"""Equations that say the same in other forms, and those that only share some of their solutions."""

from __future__ import annotations

from answer_pairs import assert_different, assert_equal_both_ways, rows
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
DIFFERENT = TABLES["different"]


@each_row("prediction, answer", rows(EQUAL))
def test_equations_in_another_form(prediction: str, answer: str) -> None:
    assert_equal_both_ways(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_equations_with_other_solutions(prediction: str, answer: str) -> None:
    assert_different(prediction, answer)
    assert_different(answer, prediction)
