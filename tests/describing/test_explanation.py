"""An explanation has the verdict of every reward that had a part in the number, and the same number as the reward."""

from __future__ import annotations

from typing import Any

import pytest
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.describing import explained


def outline(spec: str, completion: Any, columns: dict[str, Any], **given: Any) -> list[tuple[Any, ...]]:
    """Depth, role, weight, and number of each reward, or "not asked"."""
    found = explained(gr.get_reward(spec), completion, columns, **given)
    return [
        (depth, one.role, one.weight, "not asked" if one.verdict is None else one.verdict.reward)
        for depth, one in found.with_depth()
    ]


FOUR = r"<think>2 + 2</think>\boxed{4}"


def test_a_sum_has_each_part_with_its_weight() -> None:
    spec = "weighted(boxed_answer=2.0, boxed_format=0.5)"
    # 2 * 0 + 0.5 * 1: the box is there, with another number
    assert outline(spec, FOUR, {"answer": "5"}) == [(0, "", None, 0.5), (1, "part", 2.0, 0.0), (1, "part", 0.5, 1.0)]


def test_a_gate_that_stops_is_shown_with_what_would_have_been_rewarded() -> None:
    found = outline("gated(boxed_answer, by=think_answer_format)", r"\boxed{4}", {"answer": "4"})
    assert found == [(0, "", None, 0.0), (1, "reward", None, 1.0), (1, "gate", None, 0.0)]


def test_a_route_that_was_not_taken_was_not_called_and_needs_no_columns() -> None:
    spec = "routed({'math': boxed_answer, 'quiz': expression_reaches}, by='task')"
    assert outline(spec, FOUR, {"task": "math", "answer": "4"}) == [
        (0, "", None, 1.0),
        (1, "for 'math'", None, 1.0),
        (1, "for 'quiz'", None, "not asked"),
    ]


def test_a_schedule_has_the_weight_of_the_step() -> None:
    spec = "scheduled(boxed_format, start=1.0, end=0.0, over=100)"
    state = {"global_step": 25}
    # a quarter of the way from 1 to 0; without a step, the end
    assert outline(spec, FOUR, {}, trainer_state=state) == [(0, "", None, 0.75), (1, "reward", 0.75, 1.0)]
    assert outline(spec, FOUR, {}) == [(0, "", None, 0.0), (1, "reward", 0.0, 1.0)]


def test_a_reward_that_is_called_is_below_the_one_that_asks() -> None:
    found = outline("cosine_length(max_tokens=100)", FOUR, {"answer": "4"}, completion_ids=range(50))
    assert found == [(0, "", None, 0.75), (1, "dependency 'correct'", None, 1.0)]  # halfway between 1.0 and 0.5


def test_a_reward_that_waits_is_explained() -> None:
    @gr.reward
    async def judged(completion: str) -> float:
        return 0.25

    assert outline("weighted(judged=2.0)", "x", {}) == [(0, "", None, 0.5), (1, "part", 2.0, 0.25)]


@each_row("spec", ["boxed_answer", "weighted({gated(boxed_answer, by=boxed_format): 1.0, final_answer: 0.5})"])
@each_row("completion", [FOUR, "", "4", [{"role": "assistant", "content": r"\boxed{5}"}]])
def test_the_number_is_that_of_the_reward(spec: str, completion: Any) -> None:
    reward = gr.get_reward(spec)
    verdict = explained(reward, completion, {"answer": "4"}).verdict
    assert verdict is not None
    assert verdict.reward == reward.score(completion, answer="4")


def test_an_option_that_is_not_bound_is_reported() -> None:
    with pytest.raises(gr.RewardError, match="needs max_tokens, buffer"):
        explained(gr.soft_overlong, "x", {}, completion_ids=[1])
