"""What is a factor, an exponent, a function: the precedences of mathematics."""

import pytest
from answer_pairs import assert_equal, rows

EQUAL = {
    "digits as factors": [
        ("n2^{n-1}", r"n \cdot 2^{n-1}"),
        (r"\frac{1}{2} 5^{n}", r"\frac{5^n}{2}"),
        ("72", "2^3 3^2"),
        ("5 + -3x", "5-3x"),
    ],
    "exponents without braces": [
        ("10^-7", "10^{-7}"),
        ("x^-1", "x^{-1}"),
        ("x^(n+1)", "x^{n+1}"),
        ("x_10", "x_{10}"),
    ],
    "letters before parentheses": [
        (r"\frac{(a+b)h}{2}", r"\frac12 h(a+b)"),
        ("mgh-mgR", "mg(h-R)"),
        ("1+g(x)", "g(x)+1"),
        (r"f^{\prime}(x)", "f'(x)"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)
