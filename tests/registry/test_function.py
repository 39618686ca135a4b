"""The reward that a function becomes: binding its options, and what it says where the function is wrong."""

from __future__ import annotations

from typing import Any

import contract_rewards
import pytest
from tables import each_row, refused, tables_beside

import grpo_rewards as gr
from grpo_rewards import RewardError, batch_reward, list_rewards, reward

TABLES = tables_beside(__file__)


def test_bind_makes_a_new_reward_and_keeps_what_was_bound_before() -> None:
    bound = contract_rewards.sample_ends_with.bind(ending="!", name="shouts")
    assert (bound.__name__, bound.options) == ("shouts", {"ending": "!"})
    assert contract_rewards.sample_ends_with.__name__ == "sample_ends_with"
    assert contract_rewards.sample_ends_with.options == {"ending": "."}
    assert "shouts" not in list_rewards()
    once = gr.soft_overlong.bind(max_tokens=100, name="brief").bind(buffer=20)
    assert (once.name, once.options) == ("brief", {**gr.soft_overlong.options, "max_tokens": 100, "buffer": 20})


def test_rewards_are_equal_if_their_function_name_and_options_are() -> None:
    one = gr.pattern.bind(regex="a")
    assert one == gr.pattern.bind(regex="a")
    assert hash(one) == hash(gr.pattern.bind(regex="a"))
    assert one != gr.pattern.bind(regex="b")
    assert one != gr.pattern.bind(regex="a", name="other")
    assert one != gr.boxed_answer


@each_row("options, said", TABLES["bind_refuses_what_the_reward_could_not_use"])
def test_bind_refuses_what_the_reward_could_not_use(options: dict[str, Any], said: str) -> None:
    with refused(said):
        gr.soft_overlong.bind(**options)


def test_a_reward_whose_options_are_not_bound_says_how_to_bind_them() -> None:
    with refused("reward 'soft_overlong' needs max_tokens. Bind it: soft_overlong.bind(max_tokens=…)"):
        gr.soft_overlong.bind(buffer=1)(completions=["a"], completion_ids=[[1]])


def test_a_check_of_the_options_runs_as_soon_as_they_are_complete() -> None:
    checked: list[dict[str, Any]] = []

    @reward(check=lambda **options: checked.append(options))
    def checked_when_complete(completion: str, *, low: int, high: int = 9) -> float:
        return 1.0

    assert checked == []  # low has no value yet
    checked_when_complete.bind(high=8)
    assert checked == []
    checked_when_complete.bind(low=1)
    assert checked == [{"low": 1, "high": 9}]


def test_a_check_of_the_options_names_the_reward_that_refused_them() -> None:
    def refuse(**options: Any) -> None:
        raise RewardError(f"low is {options['low']}.")

    with pytest.raises(RewardError, match=r"^reward 'refuses_at_once': low is 5\.$"):

        @reward(check=refuse)
        def refuses_at_once(completion: str, *, low: int = 5) -> float:
            return 1.0


@pytest.mark.parametrize("index", [0, 2])
def test_a_bug_in_a_reward_is_shown_with_the_completion_that_met_it(index: int) -> None:
    @reward
    def divides(completion: str) -> float:
        return 1 / int(completion)

    texts = ["1", "1", "1"]
    texts[index] = "0"
    line = divides.function.__code__.co_firstlineno + 2  # type: ignore[attr-defined]
    said = rf"raised ZeroDivisionError: division by zero on completion {index} of 3: '0'"
    with pytest.raises(RewardError, match=rf"reward 'divides' \(.*test_function.py:{line}\) {said}") as error:
        divides(completions=texts)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_rewards_are_equal_whose_options_mean_the_same() -> None:
    one = gr.think_format.bind(reasoning="<reasoning>")
    assert one == gr.get_reward("think_format(reasoning=['<reasoning>','</reasoning>'])")
    assert one != gr.think_format
    assert one != gr.think_format.bind(reasoning="<thinking>")
    assert one != one.bind(think_opened=True)
    assert gr.think_format == gr.think_format.bind(reasoning="<think>")


def returning(value: Any) -> gr.Reward:
    @batch_reward
    def returns_values(completions: list[str]) -> Any:
        return value

    return returns_values


@each_row(
    "value, got",
    [
        ([1.0], "1 values"),
        ([], "0 values"),
        (None, "None"),
        ({0: 1.0, 1: 1.0}, "{0: 1.0, 1: 1.0}"),
        ("ab", "'ab'"),
        (gr.Verdict(1.0), "Verdict(reward=1.0, reason='')"),
    ],
)
def test_a_batch_reward_that_returns_another_number_of_values_is_refused(value: Any, got: str) -> None:
    with refused(f"returned {got} for 2 completions."):
        returning(value)(completions=["a", "b"])


class ArrayOfAnotherLibrary:
    """As a numpy array or a torch tensor."""

    def tolist(self) -> list[float]:
        return [0.25, 0.75]


@each_row("value", [[0.25, 0.75], (0.25, 0.75), ArrayOfAnotherLibrary()])
def test_a_batch_reward_may_return_any_sequence_of_numbers(value: Any) -> None:
    assert returning(value)(completions=["a", "b"]) == [0.25, 0.75]
