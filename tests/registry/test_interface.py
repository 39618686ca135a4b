"""What every reward hands over, to a trainer and by hand: floats and None, or an error that says what to return."""

from __future__ import annotations

import functools
from typing import Any

import contract_rewards
import pytest

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, Verdict, reward


class NumberOfAnotherLibrary:
    """As a numpy or torch scalar: no subclass of float, but one can be made of it."""

    def __float__(self) -> float:
        return 0.25


def returning(value: Any) -> Reward:
    @reward
    def returns_a_value(completion: str) -> Any:
        return value

    return returns_a_value


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.5, 0.5),
        (1, 1.0),
        (True, 1.0),
        (False, 0.0),
        (NumberOfAnotherLibrary(), 0.25),
        (None, None),
        (Verdict(0.5, "half"), 0.5),
        (Verdict(1, "whole"), 1.0),
        (Verdict(None, "no_gold"), None),
    ],
)
def test_a_reward_hands_over_floats_and_none(value: Any, number: float | None) -> None:
    (handed_over,) = returning(value)(completions=["a"])
    assert handed_over == number
    assert type(handed_over) is type(number)


UNFIT = [
    (float("nan"), "returned nan for completion 0; return None where a row cannot be scored"),
    (float("inf"), "returned inf for completion 0"),
    ("1.0", "returned '1.0' for completion 0; return a number, a Verdict or None."),
    ([1.0], "returned [1.0] for completion 0"),
    ({"reward": 1.0}, "returned {'reward': 1.0} for completion 0"),
    (1j, "returned 1j for completion 0"),
    (Verdict(float("nan"), "x"), "returned nan for completion 0"),
    (Verdict("1.0", "x"), "returned '1.0' for completion 0"),  # type: ignore[arg-type]  # that is the mistake
]


@pytest.mark.parametrize(("value", "said"), UNFIT)
def test_a_reward_that_returns_something_else_is_told_what_to_return(value: Any, said: str) -> None:
    with pytest.raises(RewardError) as error:
        returning(value)(completions=["a"])
    assert f"reward 'returns_a_value' {said}" in str(error.value)


@pytest.mark.parametrize(("value", "said"), UNFIT)
def test_by_hand_it_is_told_the_same(value: Any, said: str) -> None:
    with pytest.raises(RewardError) as error:
        returning(value).score("a")
    assert f"reward 'returns_a_value' {said}" in str(error.value)


# By hand.


def test_explain_says_what_score_is_made_of() -> None:
    verdict = gr.boxed_answer.explain(r"so \boxed{5}", answer="4")
    assert (verdict.reward, verdict.reason, verdict.prediction, verdict.answer) == (0.0, "wrong", "5", "4")
    assert gr.boxed_answer.score(r"so \boxed{5}", answer="4") == 0.0


def test_explain_makes_a_verdict_of_a_bare_number() -> None:
    assert contract_rewards.sample_ends_with.explain("a.") == Verdict(1.0)
    assert contract_rewards.sample_value.explain("a", value=None) == Verdict(None)


@pytest.mark.parametrize(
    "completion", ["a.", [{"role": "assistant", "content": "a."}], {"role": "assistant", "content": "a."}]
)
def test_score_takes_a_completion_in_any_form(completion: Any) -> None:
    assert contract_rewards.sample_ends_with.score(completion) == 1.0


def test_by_hand_a_missing_column_is_told_as_in_a_call() -> None:
    with pytest.raises(RewardError, match=r"reads column 'answer', which .* does not have\. Columns: solution"):
        gr.boxed_answer.score("4", solution="4")


def test_the_name_that_trl_logs_is_the_rewards_own() -> None:
    # TRL unwraps functools.partial and then reads __name__.
    assert functools.partial(gr.boxed_answer).func.__name__ == "boxed_answer"
    assert gr.boxed_answer.bind(name="mine").__name__ == "mine"
