"""Spellings that are one and the same, and what cannot be parsed."""

import pytest
from answer_pairs import assert_different, assert_equal_both_ways

SPELLINGS = [
    (r"\frac12", r"\frac{1}{2}"),
    (r"\dfrac34", r"\tfrac{3}{4}"),
    (r"\sqrt2", r"\sqrt{2}"),
    (r"\left(1, 2\right)", "(1,2)"),
    (r"\displaystyle 284", "284"),
    ("$6 - 5i$", "6-5i"),
    (r"{243 \over 625}", r"\frac{243}{625}"),
    ("72.", "72"),
    (" 72 \n", "72"),
    (r"\text{0.264}", "0.264"),
    (r"\textbf{18.0}", "18"),
    (r"\mathbf{2220}", "2220"),
    (r"a \leq 1", "a ≤ 1"),
    (r"A \bigcup B", r"A \cup B"),
]
MALFORMED = [
    (r"\frac{1}", "1"),
]


@pytest.mark.parametrize(("prediction", "answer"), SPELLINGS)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), MALFORMED)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)
