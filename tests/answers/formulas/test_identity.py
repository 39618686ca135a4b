"""Formulas that are the same, and formulas that only look like it. The verdicts are a mathematics teacher's."""

from answer_pairs import assert_different_by_value, assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
DIFFERENT = TABLES["different"]


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)


# Sums that are only spelled: that they are spelled otherwise does not make them different.
UNDECIDED = [
    (r"\sum_{d|n}\frac nd", r"\sum_{d|n} d"),
    (r"2\prod_{p|n}p-\prod_{p|n}p^2", r"\prod_{p|n}(2p-p^2)"),
    (r"\sum_{n|d}\varphi(d)", r"\sum_{d|n}\varphi(d)"),
]


@each_row("prediction, answer", UNDECIDED)
def test_sums_that_are_not_read_are_never_called_different(prediction, answer):
    assert compare(prediction, answer).outcome == "not_compared"
