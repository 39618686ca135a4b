"""Answers that a data set mangled, and spellings that only look so."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "doubled backslashes": [
        (r"\frac{1}{2}", r"\\frac{1}{2}"),
        (r"2\pi", r"2\\pi"),
        (r"7.6\times10^{-4}", r"$7.6 \\times 10^{-4}$"),
        (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\\begin{pmatrix}1 \\\\ 2\\end{pmatrix}"),
        (r"\\frac12", r"0.5"),
    ],
    "other slips": [
        (r"90^", r"90"),
        (r"90^\circ", r"90^"),
        (r"**5**", r"5"),
        (r"2**3", r"2^3"),
        (r"\sqrt2", r"sqrt(2)"),
    ],
    "spellings of keyboards": [
        (r"a >= 5", r"a\ge5"),
        (r"a<=5", r"a\le5"),
        (r"x != 3", r"x\ne3"),
        (r"x := 2x+y", r"x=2x+y"),
        (r"v^2_0", r"v_0^2"),
        (r"√((a+b)(c+d))", r"\sqrt{(a+b)(c+d)}"),
        (r"3∛2", r"3\sqrt[3]{2}"),
        (r"(-infinity,5)", r"(-\infty,5)"),
        (r"\boxed{5}", r"5"),
    ],
}
DIFFERENT = {
    "rows of a matrix stay": [
        (r"\begin{pmatrix}\pi\\\pi\end{pmatrix}", r"\begin{pmatrix}\pi\pi\end{pmatrix}"),
    ],
    "other answers": [
        (r"5**2", r"5"),
        (r"**5** 6", r"5"),
        (r"5^", r"6"),
        (r"--5", r"5"),
        (r"\boxed{5}\boxed{6}", r"56"),
        (r"x!=6", r"6"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
