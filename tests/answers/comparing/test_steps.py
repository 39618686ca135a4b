"""The steps of a comparison: which one decides, what none of them does, and the short cut around them."""

from __future__ import annotations

import pytest
from answer_pairs import assert_different
from hypothesis import example, given
from hypothesis import strategies as st

from grpo_rewards.answers import compare, compare_plain
from grpo_rewards.answers.comparing import steps as comparison

BLANK = [
    ("", "5"),
    ("...", "5"),
    (r"\ldots", "5"),
    (r"\text{}", r"\text{Evelyn}"),
]


@pytest.mark.parametrize(("prediction", "answer"), BLANK)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)


UNDECIDED = [
    (r"5\text{ hundredths}", "5"),
    (r"5 \text{ is wrong}", "5"),
    ("7 (not 5)", "5"),
    (r"7 \boxed{5}", "5"),
    ("18 eggs", "18 fresh eggs"),
    (r"\not=72", "72"),
    (r"\text{The answer is not } 5", "5"),
]


@pytest.mark.parametrize(("prediction", "answer"), UNDECIDED)
def test_what_is_no_mathematics_is_left_undecided_and_never_paid(prediction, answer):
    assert compare(prediction, answer).outcome == "not_compared"


def test_the_comparison_says_which_step_decided_and_what_it_read():
    found = compare(r"\dfrac12", "0.5")
    assert (found.step, found.prediction, found.answer) == ("value", r"\frac{1}{2}", "0.5")
    assert compare("72", "72").step == "string"
    assert compare(r"\dfrac12", r"\frac12").step == "spelling"


DIGITS = st.text("0123456789", min_size=1, max_size=6)
PLAIN = st.builds("{}{}{}".format, st.sampled_from(["", "-"]), DIGITS, st.one_of(st.just(""), DIGITS.map(".{}".format)))


@given(PLAIN, PLAIN | DIGITS)
@example("-0", "0")
@example("1.50", "1.5")
@example("007", "7")
@example("999999999.99999", "999999999.99998")
def test_two_plain_numbers_compare_as_all_steps_would_compare_them(prediction: str, gold: str) -> None:
    for said, known in ((prediction, gold), (gold, gold), (f"{gold}0", gold)):
        plain = compare_plain(said, known)
        if plain is not None:
            found = comparison._compare.__wrapped__(said, known, comparison.DEFAULT_TASTE)
            assert (found.outcome, found.step, found.prediction, found.answer) == (*plain, said, known)


@pytest.mark.parametrize("other", ["1 000", "1e3", "٣", "x", "", "123456789012345678901", "+5", ".5", "5."])
def test_what_is_not_plain_is_left_to_the_steps(other: str) -> None:
    assert compare_plain(other, "5") is None
    assert compare_plain("5", other) is None
