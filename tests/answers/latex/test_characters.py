"""Unicode mathematics is the LaTeX that it looks like."""

import pytest
from answer_pairs import assert_equal_both_ways

UNICODE = [
    ("½", "0.5"),
    ("√15", r"\sqrt{15}"),
    ("π", r"\pi"),
    ("−50", "-50"),
    ("7\u200b2", "72"),
    ("７２", "72"),
    ("x²", "x^2"),
    ("2ⁿ", "2^n"),
    ("3∛2", r"3\sqrt[3]{2}"),
    ("∛27x", r"\sqrt[3]{27}x"),
    ("∠ABC = 60°", r"\angle ABC = 60^\circ"),
    ("x∈ℝ", r"x \in \mathbb{R}"),
    ("20℃", r"20^\circ\text{C}"),
    ("15㎡", r"15\text{ m}^2"),
    ("（1，2）", "(1, 2)"),
    ("3或4", r"3\text{ or }4"),
    ("3、4", "3, 4"),
    ("5。", "5"),
    ("⌊x⌋", r"\lfloor x \rfloor"),
]


@pytest.mark.parametrize(("prediction", "answer"), UNICODE)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)
