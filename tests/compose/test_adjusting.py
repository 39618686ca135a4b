"""A reward in another range, and a weight that changes in the course of training."""

import math

import pytest
from composed import ROWS, composed_value
from tables import each_row

import grpo_rewards as gr

FORMATLESS = r"\boxed{4}"


def test_clipped_and_scaled():
    assert gr.clipped(composed_value, low=1.5, high=2.5)(**ROWS) == [1.5, None, 2.0, 2.5]
    assert gr.scaled(composed_value, by=-2, offset=1)(**ROWS) == [-1.0, None, -3.0, -5.0]
    assert gr.scaled(gr.boxed_answer, by=-2, offset=1).range == (-1.0, 1.0)
    verdict = gr.scaled(gr.boxed_answer, by=2).explain(FORMATLESS, answer="4")
    assert (verdict.reward, verdict.reason, verdict.prediction) == (2.0, "correct", "4")


class State:
    max_steps = 200

    def __init__(self, step):
        self.global_step = step


@each_row("length", [{"steps": 100}, {"share": 0.5}, {"over": 100}, {"over": 0.5}])
@each_row(
    "shape, weights",
    # start 1, end 3, at steps 0, 25, 50, 100, 1000; half a cosine is a quarter through at (1 - cos 45°) / 2
    [("linear", [1, 1.5, 2, 3, 3]), ("cosine", [1, 1 + (1 - math.cos(math.pi / 4)), 2, 3, 3])],
)
def test_a_schedule_goes_from_start_to_end_and_is_logged(length, shape, weights):
    one = gr.scheduled(composed_value, start=1.0, end=3.0, **length, shape=shape)
    for step, weight in zip([0, 25, 50, 100, 1000], weights, strict=True):
        logged = {}
        found = one(completions=["", ""], value=[2.0, None], trainer_state=State(step), log_metric=logged.__setitem__)
        assert found == [pytest.approx(2 * weight), None]
        assert logged["scheduled_composed_value/weight"] == pytest.approx(weight)
    assert one.score("", value=2.0) == 6.0  # steady without a trainer
    with pytest.raises(gr.RewardError, match="reads global_step of trainer_state"):
        one.score("", value=2.0, trainer_state={"max_steps": 10})


def test_before_a_run_has_begun_its_length_is_not_known_and_the_weight_is_the_first():
    fading = gr.scheduled(composed_value, start=1.0, end=0.0, over=0.5)
    assert fading.weight({"global_step": 0, "max_steps": 0}) == 1.0
    assert fading.weight({"global_step": 3, "max_steps": 0}) == 0.0


def test_one_step_and_the_whole_run_have_two_names_and_the_former_one_is_understood():
    step, run = (gr.scheduled(composed_value, start=0.0, end=1.0, **one) for one in ({"steps": 1}, {"share": 1.0}))
    assert [gr.scheduled(composed_value, start=0.0, end=1.0, over=one) for one in (1, 1.0)] == [step, run]
    assert repr(run) == "scheduled(composed_value, start=0.0, end=1.0, share=1.0)"
    assert step != run == step.bind(over=1.0) == step.bind(share=1.0) == run.bind(start=0.0)
    assert run.bind(steps=1) == step == gr.get_reward(repr(step))
