"""Answers to problems without a usual answer, in several wordings, and what leads to words."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "no solution": [
        (r"There are no solutions.", r"no solution"),
        (r"\text{No solution}", r"无解"),
    ],
    "does not exist": [
        (r"The limit does not exist", r"DNE"),
        (r"\text{does not exist}", r"DNE"),
    ],
    "many": [
        (r"infinitely many solutions", r"infinitely many"),
    ],
    "leading words": [
        (r"\text{A rhombus}", r"rhombus"),
        (r"\text{It is a Thursday.}", r"Thursday"),
        (r"\text{The statement is false.}", r"\text{False}"),
    ],
}
DIFFERENT = {
    "others": [
        (r"infinitely many", r"no solution"),
        (r"DNE", r"no solution"),
        (r"a rhombus", r"rectangle"),
        (r"no rhombus", r"rhombus"),
        (r"one solution", r"no solution"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
