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
]


@pytest.mark.parametrize(("prediction", "answer"), UNICODE)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)
