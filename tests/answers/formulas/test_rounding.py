"""When a decimal stands for a value that does not terminate: rounded correctly, to six significant digits or more."""

import pytest
from answer_pairs import assert_different, assert_different_by_value, assert_equal, assert_equal_both_ways, rows
from tables import each_row

ROUNDED = [
    ("0.333333", r"\frac13"),
    ("0.6666667", r"\frac23"),
    ("266.6667", r"\frac{800}{3}"),
]
NOT_ROUNDED = [
    ("4.9999999", "5"),
    ("0.3333", r"\frac13"),  # four digits only
    ("0.666666", r"\frac23"),  # cut off, not rounded
    ("100.0000004", "100"),
    ("0.0000002", "0.0000001"),
]
EQUAL = {
    "decimals for irrational golds": [
        ("1.414214", r"\sqrt2"),
        ("3.14159265", r"\pi"),
        ("-1.570796", r"-\frac{\pi}{2}"),
    ],
}
DIFFERENT = {
    "rounded too far": [("3.14", r"\pi"), ("1.4142", r"\sqrt2"), ("3.14159266", r"\pi")],
}


@pytest.mark.parametrize(("prediction", "answer"), ROUNDED)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@each_row("prediction, answer", NOT_ROUNDED)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)
