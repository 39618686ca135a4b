"""Ranges, scores, dates, telephone numbers and sizes are no arithmetic; sums and products still are."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "in another spelling": [
        ("10 - 20", "10-20"),
        ("10–20", "10-20"),
        ("10-20 years", r"10-20\text{ years}"),
        (r"4\times6\text{ cm}", r"6\times4\text{ cm}"),
    ],
    "arithmetic": [(r"1-\sqrt2", r"-\sqrt2+1"), (r"2^{10}-1", r"2^{10} - 1"), (r"\frac{3}{4}", "3/4"), ("2/3", "4/6")],
    "an amount as a product": [(r"24\text{ cm}^2", r"6\cdot4\text{ cm}^2")],
}
DIFFERENT = {
    "ranges": [
        ("5-10", "6-11"),
        ("-10", "10-20"),
        ("10-20", "-10"),
        ("1939-1945", "1912-1918"),
        ("10--20", "5--25"),
        ("2.5-3.5", "3.5-4.5"),
        (r"10-20\text{ years}", r"20-30\text{ years}"),
        (r"10-20\%", r"20-30\%"),
        ("3:4", "3-4"),
    ],
    "scores": [("2-0", "3-1"), ("1", "3-2"), ("0-2", "2-0")],
    "dates": [("2/4/2020", "1/2/2020"), ("2020-01-02", "2020-02-01")],
    "telephone numbers": [("555-1234", "556-1235")],
    "sizes": [(r"6\times4\text{ cm}", r"8\times3\text{ cm}")],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
