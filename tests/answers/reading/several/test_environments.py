"""Matrices, systems of equations, functions defined by cases."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "matrices": [
        (r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"),
        (r"\left[\begin{array}{ll}1 & 2 \\ 3 & 4\end{array}\right]", r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"),
        (r"\begin{pmatrix}1\\[4pt]2\end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
        (r"\frac{1}{2}\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1/2\\1\end{pmatrix}"),
        (
            r"\begin{pmatrix}3\\4\end{pmatrix}, \begin{pmatrix}1\\2\end{pmatrix}",
            r"\begin{pmatrix}1\\2\end{pmatrix}, \begin{pmatrix}3\\4\end{pmatrix}",
        ),
        (
            r"\begin{cases}\frac12x & \text{if } x>0\\-x & x\le0\end{cases}",
            r"\begin{cases}x/2, & x>0\\-x, & x \leq 0\end{cases}",
        ),
        (r"2\hat{i}+3\hat{j}", r"2\mathbf{i}+3\mathbf{j}"),
        (r"\begin{pmatrix}0.5\\ \sqrt8\end{pmatrix}", r"\begin{pmatrix}1/2\\2\sqrt2\end{pmatrix}"),
    ],
    "cases whose conditions have no sign": [
        (
            r"\begin{cases}1,&x\text{ even}\\0,&x\text{ odd}\end{cases}",
            r"\begin{cases}0&x\text{ odd}\\1&x\text{ even}\end{cases}",
        ),
    ],
}
DIFFERENT = {
    "cases whose conditions have no sign": [
        (
            r"\begin{cases}1&x\text{ even}\\0&x\text{ odd}\end{cases}",
            r"\begin{cases}0&x\text{ even}\\1&x\text{ odd}\end{cases}",
        ),
    ],
    "systems": [(r"\begin{cases}x&=1\\y&=2\end{cases}", r"\begin{cases}x&=2\\y&=1\end{cases}")],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction, answer):
    assert compare(prediction, answer).outcome != "correct"
