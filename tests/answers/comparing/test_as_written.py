"""Ranges, scores, dates, telephone numbers and sizes are no arithmetic; sums and products still are."""

from answer_pairs import assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

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
DIFFERENT = TABLES["different"]


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
