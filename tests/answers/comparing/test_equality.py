"""Values of different kinds, and arithmetic that is not carried out."""

import pytest
from answer_pairs import assert_different_by_value, assert_equal, rows

EQUAL = {
    "unevaluated golds": [("63", r"7\times 9"), ("2147483647", "2^{31}-1"), (r"9 \cdot 7", r"7\times 9")],
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
    ],
    "kinds": [
        ("(1,2)", r"\begin{pmatrix}1\\2\end{pmatrix}"),
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
