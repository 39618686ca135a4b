"""The gold answer, in the forms in which data sets hold it."""

from decimal import Decimal
from fractions import Fraction

import pytest
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.answers import compare


@each_row(
    "answer",
    [r"\frac12", r"$\frac12$", r"\boxed{\frac12}", r"\(\frac12\)", "so it is 1/2\n#### 1/2", 0.5, "0.5", "$$.5$$"],
)
def test_a_gold_means_the_same_in_every_form(answer):
    assert compare(r"\frac{1}{2}", answer).outcome == "correct"
    assert compare(r"\frac{1}{3}", answer).outcome == "wrong"


@each_row(
    "answer",
    ["", "  ", None, True, [], {"a": 1}, float("nan"), float("inf"), "nan", r"\frac{1}{", "####", "...", r"\text{}"],
)
def test_a_gold_that_cannot_be_read_is_the_rows_fault(answer):
    assert compare("5", answer).outcome == "bad_answer"


@pytest.mark.parametrize("answer", [Decimal("sNaN"), Decimal("Infinity"), Fraction(10**2000, 3)])
def test_numbers_that_are_none_are_the_rows_fault(answer):
    assert compare("5", answer).outcome == "bad_answer"


@pytest.mark.parametrize("answer", [Decimal("0.50"), Fraction(1, 2)])
def test_exact_numbers_are_golds(answer):
    assert compare(r"\frac12", answer).outcome == "correct"


def test_a_name_with_an_accent_is_a_gold_like_any_other():
    for gold in ("Köln", "Łódź", "Zürich"):
        assert gr.boxed_answer.score(rf"\boxed{{{gold}}}", answer=gold) == 1.0
        assert gr.boxed_answer.score(r"\boxed{Paris}", answer=gold) == 0.0
