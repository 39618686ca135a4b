"""Constants of integration by any letter, and letters that are no such constants."""

from __future__ import annotations

from answer_pairs import assert_different, assert_equal, rows
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

# prediction, gold
EQUAL = TABLES["equal"]
DIFFERENT = TABLES["different"]


@each_row("prediction, answer", rows(EQUAL))
def test_constants_by_any_letter(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_what_is_not_the_same_up_to_constants(prediction: str, answer: str) -> None:
    assert_different(prediction, answer)
