"""Numerals in another base, in every spelling, and numbers that only look like them."""

from __future__ import annotations

import pytest

from grpo_rewards.answers import compare

EQUAL = [
    ("110_2", r"110_{\text{two}}"),
    ("77_8", r"77\text{ (octal)}"),
    (r"1011 \text{ base } 2", "1011_2"),
    ("(1011)_{2}", r"1011\text{ in binary}"),
    ("2B_{16}", "2B_{16}"),
    ("1000_{(2)}", "1000_2"),
    ("255_{10}", "255"),
    ("(77)_8", r"77_{\text{eight}}"),
    (r"12_{\text{base }5}", "12_5"),
    (r"\text{NO}_2", r"\text{NO}_2"),
]
NOT_EQUAL = [
    ("1010_2", "1010"),
    ("1010_3", "1010_2"),
    (r"1010\text{ base }3", "1010_2"),
    (r"1210_{\text{two}}", "1210"),
    (r"1010\text{ two}", "1010_2"),
    ("1000_{(2)}", "1000"),
    ("1000_{(2)}", "1000_3"),
    ("102_2", "102"),
    ("255_{16}", "255"),
    ("5 in base 7", "5"),
]


@pytest.mark.parametrize(("prediction", "answer"), EQUAL)
def test_the_same_numeral_in_every_spelling(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@pytest.mark.parametrize(("prediction", "answer"), NOT_EQUAL)
def test_another_base_or_a_digit_too_large_is_another_answer(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
