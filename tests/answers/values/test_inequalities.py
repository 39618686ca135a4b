"""Inequalities in one unknown that say the same, and neighbours that do not."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "turned and scaled": [
        (r"-x>-1", r"x<1"),
        (r"2x<2", r"(-\infty,1)"),
        (r"3-2x \ge 1", r"x\le1"),
        (r"5>2x-1\ge -3", r"[-1,3)"),
        (r"\frac{x}{2}<3", r"x<6"),
        (r"\sqrt2x<2", r"x<\sqrt2"),
        (r"2x<x+3", r"x<3"),
        (r"2x\ne4", r"x\ne2"),
    ],
    "absolute values": [
        (r"0<|x|<1", r"(-1,0)\cup(0,1)"),
        (r"|x-2|\le5", r"[-3,7]"),
        (r"|2x-1|>3", r"(-\infty,-1)\cup(2,\infty)"),
        (r"2|x|<6", r"(-3,3)"),
        (r"3>|x-10|", r"(7,13)"),
        (r"|x|\ne1", r"x\ne1, x\ne-1"),
        (r"|x|>-1", r"\mathbb{R}"),
    ],
}
DIFFERENT = {
    "turned and scaled": [
        (r"-x>-1", r"x>1"),
        (r"-2x<2", r"x<-1"),
        (r"2x<3", r"x<3"),
        (r"2x\le2", r"x<1"),
        (r"xy<1", r"x<1"),
        (r"2x<2y", r"(-\infty,1)"),
    ],
    "absolute values": [
        (r"|x-2|<5", r"[-3,7]"),
        (r"|x+2|\le5", r"[-3,7]"),
        (r"|x|<1", r"(0,1)"),
        (r"|x|<-1", r"(-1,1)"),
        (r"|x-10|<3", r"(-13,-7)"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
