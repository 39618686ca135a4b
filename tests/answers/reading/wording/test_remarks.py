"""Remarks behind an answer that leave it as it is, and those that do not."""

from __future__ import annotations

import pytest

from grpo_rewards.answers import compare

EQUAL = [
    (r"5 \text{ (apples)}", "5"),
    (r"7\text{ cm (exact)}", "7"),
    (r"\therefore 42", "42"),
    (r"5\sqrt{3}\ (\approx 8.66)", r"5\sqrt3"),
    (r"17\text{ (a prime)}", "17"),
    ("12 (exactly)", "12"),
    (r"12\text{ total}", "12"),
    (r"12\text{ in all}", "12"),
    (r"12\text{ (total)}", "12"),
    ("12 ✓", "12"),
    ("12 ✅", "12"),
    (r"5\text{ (units)}", "5"),
    (r"5 (\text{in cm})", "5"),
    (r"\frac{1}{3} (\approx 0.333)", r"\frac13"),
]
NOT_EQUAL = [
    (r"5\text{ (not prime)}", "7"),
    (r"5\text{ (wrong)}", "5"),
    (r"5\text{ (false)}", "5"),
    (r"5 \text{ (or } 6)", "5"),
    ("5 (6)", "5"),
    (r"5(\approx 6)", "5"),
    ("5 (= 6)", "5"),
    ("5 (=2+4)", "5"),
    ("5✗", "5"),
    ("5 ❌", "5"),
    (r"\sqrt{2}(\approx 1.5)", r"\sqrt2"),
    (r"17\text{ (composite?)}", "17"),
    (r"17 \text{ (maybe)}", "17"),
    (r"17\text{ (approximately)}", "18"),
    (r"12 \text{ (rejected)}", "12"),
    (r"12 \text{ (extraneous)}", "12"),
    (r"12 \text{ (impossible)}", "12"),
    ("12 (13)", "12"),
    (r"12 (\text{not } 13)", "12"),
    (r"12(\approx 13)", "12"),
    ("5 (=5.5)", "5"),
    (r"\text{only}", "5"),
    (r"\text{total}", "12"),
    (r"12 - \text{total}", "12"),
    (r"\frac{1}{3} (\approx 0.4)", r"\frac13"),
    ("5 g(x)", "5"),
    ("5 h(x)", "5"),
]


@pytest.mark.parametrize(("prediction", "answer"), EQUAL)
def test_a_remark_changes_nothing(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@pytest.mark.parametrize(("prediction", "answer"), NOT_EQUAL)
def test_what_changes_an_answer_is_no_remark(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"


@pytest.mark.parametrize(
    ("prediction", "answer"),
    [
        (r"\approx3.16", "3.16"),
        (r"\text{about }5.2\text{ m}", r"5.2\text{ m}"),
        (r"5.2\text{ m (approx.)}", r"5.2\text{ m}"),
        (r"5.2\text{ approx.}", "5.2"),
    ],
)
def test_a_decimal_may_be_said_to_be_rounded(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@pytest.mark.parametrize(
    ("prediction", "answer"),
    [(r"\text{about }5", "5"), (r"\approx 3", r"\pi"), (r"\approx3.16", r"\sqrt{10}"), (r"5\text{ approx}", "5")],
)
def test_a_whole_number_that_is_only_near_is_no_answer(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
