"""Remarks behind an answer that leave it as it is, and those that do not."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
NOT_EQUAL = TABLES["not_equal"]


@each_row("prediction, answer", EQUAL)
def test_a_remark_changes_nothing(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", NOT_EQUAL)
def test_what_changes_an_answer_is_no_remark(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"


@each_row(
    "prediction, answer",
    [
        (r"\approx3.16", "3.16"),
        (r"\text{about }5.2\text{ m}", r"5.2\text{ m}"),
        (r"5.2\text{ m (approx.)}", r"5.2\text{ m}"),
        (r"5.2\text{ approx.}", "5.2"),
    ],
)
def test_a_decimal_may_be_stated_to_be_rounded(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row(
    "prediction, answer",
    [(r"\text{about }5", "5"), (r"\approx 3", r"\pi"), (r"\approx3.16", r"\sqrt{10}"), (r"5\text{ approx}", "5")],
)
def test_a_whole_number_that_is_only_near_is_no_answer(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
