"""Words before ``=``: which name what has a value, and which take it back or only mention it."""

from __future__ import annotations

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

SAME = {
    "a noun of quantity": [
        (r"\text{Area}=5", "5"),
        (r"\text{Area of }ABC=5", "5"),
        (r"\text{the area of the triangle}=5", "5"),
        (r"\text{Number of apples}=5", "5"),
        (r"\text{length } AB=5", "5"),
        (r"\text{the value of }x=5", "5"),
        (r"\text{imaginary part of }z=5", "5"),
        ("Imaginary part = -1", "-1"),
        (r"\text{LHS}=5", "5"),
        (r"\text{intersect at }y=5", "5"),
        (r"P(\text{at least one})=\frac38", r"\frac38"),
    ],
    "words alone": [
        (r"\text{apples}=5", "5"),
        (r"\text{John} = 45", "45"),
        (r"\text{men} = 12", "12"),
        (r"\text{Students who passed} = 40", "40"),
    ],
    "what is possible and extreme": [(r"\text{the least possible value of } n = 8", "8")],
    "an announcement": [
        (r"\text{so } x=5", "5"),
        (r"\text{we get }x=5", "5"),
        (r"\text{Hence, } x=5", "5"),
        ("解得x=5", "5"),
        ("故x=5", "5"),
    ],
    "Chinese quantities": [("面积=5", "5"), ("三角形的面积=5", "5"), ("长=5", "5")],
}
REFUSED = {
    "taken back": [
        (r"\text{impossible }x=5", "5"),
        (r"\text{discard }x=5", "5"),
        (r"\text{rather than }x=5", "5"),
        (r"\text{impossible}=5", "5"),
        (r"\text{nothing}=5", "5"),
        (r"\text{mistake}=5", "5"),
        (r"\text{possible}=5", "5"),
        (r"\text{at least } x = 5", "5"),
        (r"\text{not John}=5", "5"),
        (r"\text{wrong area}=5", "5"),
        (r"\text{upper bound}=5", "5"),
        ("舍去x=5", "5"),
        ("增根x=5", "5"),
    ],
    "assumed": [
        (r"\text{set }x=5", "5"),
        (r"\text{plug in }x=5", "5"),
        (r"\text{test }x=5", "5"),
        (r"\text{test value }x=5", "5"),
        ("令x=5", "5"),
        ("设x=5", "5"),
        ("当x=6时", "6"),
    ],
    "a place": [(r"\text{undefined at }x=5", "5"), (r"\text{pole at }x=5", "5"), (r"\text{before }x=5", "5")],
    "something made of it": [
        (r"\text{square of }x=5", "5"),
        (r"\text{reciprocal of }x=5", "5"),
        (r"\text{percent of }x=5", "5"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(SAME))
def test_words_that_name_a_quantity_leave_its_value(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(REFUSED))
def test_the_value_behind_other_words_never_counts(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
