"""Lines and multiples of vectors are tuples; points with a name and other lines are not."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "lines": [
        (r"(1,0,2)+t(1,-1,3)", r"(1+t,-t,2+3t)"),
        (r"\begin{pmatrix}1\\0\end{pmatrix}+t\begin{pmatrix}2\\3\end{pmatrix}", r"(1+2t,3t)"),
        (r"\mathbf r=(1,2)+s(0,1)", r"(1,2+s)"),
    ],
    "multiples": [
        (r"-(1,2)", r"(-1,-2)"),
        (r"2(1,2)", r"(2,4)"),
        (r"\frac12(4,6)", r"(2,3)"),
        (r"\pm(1,2)", r"(1,2),(-1,-2)"),
        (r"(1,2)-(0,1)", r"(1,1)"),
    ],
}
DIFFERENT = {
    "other lines": [
        (r"(1,0,2)+t(1,-1,3)", r"(1+t,t,2+3t)"),
        (r"(1,2)+(1,2,3)", r"(2,4,3)"),
        (r"2(1,2)", r"(2,2)"),
    ],
    "no vectors": [
        (r"A(1,2)", r"A"),
        (r"f(1,2)", r"(1,2)"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
