"""The weighted sum, against TRL's arithmetic."""

import math
import pickle

import pytest
import torch

import grpo_rewards as gr

LECTURE = {gr.boxed_format: 0.5, gr.boxed_answer: 1.0}


@pytest.mark.parametrize(
    ("completion", "points"),
    # a lecture's scheme: half a point for the box, one for the right answer
    [(r"\boxed{4}", 1.5), (r"\boxed{5}", 0.5), ("4", 0.0)],
)
def test_the_lectures_numbers(completion, points):
    assert gr.weighted(LECTURE).score(completion, answer="4") == points


@gr.reward
def first_or_none(completion: str, first: float | None) -> float | None:
    return first


@gr.reward
def second_or_none(completion: str, second: float | None) -> float | None:
    return second


def test_none_is_left_out_as_trl_leaves_it_out():
    rows = [(1.0, 2.0), (None, 2.0), (1.0, None), (None, None), (0.0, -3.0)]
    first, second = zip(*rows, strict=True)
    combined = gr.weighted({first_or_none: 0.5, second_or_none: 2.0})
    ours = combined(completions=[""] * len(rows), first=list(first), second=list(second))
    # GRPOTrainer: (rewards_per_func * weights).nansum(dim=1), NaN where every reward is NaN
    table = torch.tensor([[math.nan if one is None else one for one in row] for row in rows], dtype=torch.float64)
    trl = (table * torch.tensor([0.5, 2.0])).nansum(dim=1)
    trl[table.isnan().all(dim=1)] = math.nan
    assert [math.nan if one is None else one for one in ours] == pytest.approx(trl.tolist(), nan_ok=True)


def test_funcs_and_weights_are_fresh_lists():
    points = gr.weighted(LECTURE)
    points.funcs.append(None)  # TRL mutates the list that it is given
    assert points.funcs == [gr.boxed_format, gr.boxed_answer]
    assert points.weights == [0.5, 1.0]


def test_it_is_one_reward_that_logs_its_parts():
    metrics, extras = {}, {}
    points = gr.weighted(LECTURE, name="points")
    points(
        completions=[r"\boxed{4}", "4"],
        answer=["4", "4"],
        log_metric=metrics.__setitem__,
        log_extra=extras.__setitem__,
    )
    assert points.__name__ == "points"
    assert metrics["points/boxed_answer"] == 0.5
    assert metrics["boxed_answer/no_box"] == 0.5
    assert extras["boxed_answer/reason"] == ["correct", "no_box"]


def test_parts_may_be_specs_and_it_pickles():
    points = gr.weighted({"boxed_answer": 1.0, "soft_overlong(max_tokens=9, buffer=3)": 0.2})
    assert pickle.loads(pickle.dumps(points)) == points
    assert points.columns == ("answer",)
    assert points.range == (-0.2, 1.0)


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({}, "needs a mapping"),
        ([gr.boxed_answer], "needs a mapping"),
        ({gr.boxed_answer: float("nan")}, "finite number"),
        ({gr.boxed_answer: "1"}, "finite number"),
        ({"boxed_anser": 1.0}, "did you mean 'boxed_answer'"),
        ({gr.boxed_answer: 1.0, gr.boxed_answer.bind(think_opened=True): 1.0}, "two rewards called 'boxed_answer'"),
    ],
)
def test_bad_parts_are_refused(parts, says):
    with pytest.raises(gr.RewardError, match=says):
        gr.weighted(parts)


def test_an_unbound_part_is_found_before_the_first_step():
    with pytest.raises(gr.RewardError, match=r"soft_overlong.*needs max_tokens"):
        gr.check_rewards(gr.weighted({gr.soft_overlong: 1.0}))
