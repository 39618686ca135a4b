"""Values of different kinds, and arithmetic that is not carried out."""

import pytest
from answer_pairs import assert_different_by_value, assert_equal, rows

EQUAL = {
    "unevaluated golds": [("63", r"7\times 9"), ("2147483647", "2^{31}-1"), (r"9 \cdot 7", r"7\times 9")],
    "numbers in scientific notation": [("10^{-2}", "0.01"), (r"5\times10^{3}", "5000")],
    "vectors": [
        (r"\begin{pmatrix}3\\4\end{pmatrix}", "(3,4)"),
        ("(3,4)", r"\begin{pmatrix}3&4\end{pmatrix}"),
        (r"3\mathbf{i}+4\mathbf{j}", "(3,4)"),
        (r"\langle 3,-4,0\rangle", r"3\hat{i}-4\hat{j}"),
        (r"\frac12\mathbf i+\mathbf k", r"(\frac12,0,1)"),
        (r"2\vec{i}-\vec{j}", r"\begin{bmatrix}2\\-1\end{bmatrix}"),
    ],
    "cases in any order and punctuation": [
        (
            r"\begin{cases} x^2, & x>0 \\ -x, & x\le 0 \end{cases}",
            r"\begin{cases} -x & x\le 0 \\ x^2 & x>0\end{cases}",
        ),
        (
            r"\begin{cases} x^2, & \text{if } x>0; \\ -x, & \text{if } x\le 0. \end{cases}",
            r"\begin{cases} x^2 & x>0\\ -x & x\le 0\end{cases}",
        ),
    ],
}
DIFFERENT = {
    "unevaluated arithmetic": [
        ("3+4", "7"),
        ("3 + 4", "x = 7"),
        (r"\sqrt{16}", "4"),
        ("2^3", "8"),
        ("2^10", "1024"),
        ("10!", "3628800"),
        (r"1\cdot5", "5"),
        ("x-x+5", "5"),
        ("5+0i", "5"),
        (r"\lim_{x\to 3} 2x", "6"),
        ("(3+4, 1)", "(7, 1)"),
        ("2^{-1}", r"\frac12"),
        ("i^2", "-1"),
        ("i^3", "-i"),
        ("2+i^3", "2-i"),
    ],
    "vectors": [
        (r"\begin{pmatrix}4\\3\end{pmatrix}", "(3,4)"),
        (r"\begin{pmatrix}3\\4\\0\end{pmatrix}", "(3,4)"),
        (r"3\mathbf{i}-4\mathbf{j}", "(3,4)"),
        (r"3\mathbf{i}+4\mathbf{k}", "(3,4,0)"),
        ("3+4i", "(3,4)"),  # a complex number
        (r"3\mathbf{i}\mathbf{j}", "(3,3)"),
        ("[3,4]", r"\begin{pmatrix}3\\4\end{pmatrix}"),
    ],
    "cases that say something else": [
        (
            r"\begin{cases} x^2, & x>0 \\ -x, & x\le 0 \end{cases}",
            r"\begin{cases} x^2, & x\le0 \\ -x, & x>0 \end{cases}",
        ),
    ],
    "kinds": [
        ("(1,2)", r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"),
        (r"\begin{pmatrix}1&2\end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
        ("1", r"\pm1"),
        ("H+1", "H"),
        (r"\{\emptyset\}", r"\emptyset"),
        (r"\text{(B) } 5", "C"),
        (r"(1,2)\cup(3,4)", "(1,2),(3,4)"),
        (
            r"\begin{cases}x & x>0\\-x & x\le0\end{cases}",
            r"\begin{cases}-x, & x>0\\x, & x \leq 0\end{cases}",
        ),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)
