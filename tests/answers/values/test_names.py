"""Names of segments and angles from either end, of numbered values, and of what bounds one coordinate of a point."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "segments and angles": [
        ("AB=5", "BA=5"),
        (r"AB=\sqrt2", r"BA=\sqrt2"),
        (r"\angle CBA", r"\angle ABC"),
        (r"\angle CBA=30^\circ", r"\angle ABC=30^\circ"),
    ],
    "numbered": [
        ("a_2=2,a_1=3", "3,2"),
        ("a_2=2,a_1=3", "a_1=3,a_2=2"),
        ("f(3)=6,f(2)=5", "5,6"),
        ("x_1=3,x_2=2", "2,3"),
        ("x_2=2,x_1=3", r"\{2,3\}"),
    ],
    "points": [("A(1,2)", "x=1,y=2")],
}
DIFFERENT = {
    "segments and angles": [
        ("AB=5", "BC=5"),
        (r"\angle ABC", r"\angle BCA"),
        (r"\angle CAB=30^\circ", r"\angle ABC=30^\circ"),
        (r"\triangle ABC\cong\triangle DEF", r"\triangle CBA\cong\triangle DEF"),
        (r"\overrightarrow{AB}=(1,2)", r"\overrightarrow{BA}=(1,2)"),
    ],
    "numbered": [("a_2=2,a_1=3", "2,3"), ("f(3)=6,f(2)=5", "6,5")],
    "points": [("1<x<2", "x=1,y=2"), ("x=1,y=2", "1<x<2")],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
