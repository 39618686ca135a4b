"""Which kind of answer a text is: a list, a set, an interval, a choice, words, a time, a number of another base."""

import pytest
from answer_pairs import assert_different, assert_equal, assert_equal_both_ways, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

KINDS = TABLES["kinds"]
OTHERS = TABLES["others"]
EITHER_SIGN = {
    "plus-minus": [
        (r"3+2\sqrt2,3-2\sqrt2", r"3\pm2\sqrt2"),
        (r"x=\frac{-1\pm\sqrt{13}}4", r"\frac{-1+\sqrt{13}}4,\frac{-1-\sqrt{13}}4"),
        (r"\{\pm1,\pm2\}", "1,-1,2,-2"),
    ],
}


@each_row("prediction, answer", KINDS)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@each_row("prediction, answer", OTHERS)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(EITHER_SIGN))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@each_row(
    "prediction, answer, outcome",
    [
        (r"\text{CO}", r"\text{Co}", "wrong"),  # carbon monoxide, cobalt
        (r"\text{CoS}", r"\text{COS}", "wrong"),
        (r"\text{YES}", r"\text{Yes}", "correct"),
        (r"\text{no}", r"\text{No}", "correct"),
        (r"\text{Red}", r"\text{red}", "correct"),
    ],
)
def test_capitals_matter_in_short_words_that_may_be_symbols(prediction, answer, outcome):
    assert compare(prediction, answer).outcome == outcome
