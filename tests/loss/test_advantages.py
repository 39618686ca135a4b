"""From rewards to advantages, by hand and by plain Python."""

import math

import pytest
import torch
from tables import each_row
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of

NAN = math.nan


def test_weights_of_missing_rewards_are_not_passed_on():
    rewards = tensor([[1.0, 0.5], [NAN, 0.5], [NAN, NAN]])
    assert_close(of.combine_rewards(rewards, [1.0, 0.2]), tensor([1.1, 0.1, NAN]), equal_nan=True)


@each_row(
    "rewards, size, scale, expected",
    [
        ([1, 0, 0, 1], 4, "group", [0.8660, -0.8660, -0.8660, 0.8660]),
        ([1, 0, 0, 1], 4, "none", [0.5, -0.5, -0.5, 0.5]),
        ([1, 0, 0, 1], 2, "group", [0.7071, -0.7071, -0.7071, 0.7071]),
        ([2, 0, 1, 1], 2, "batch", [1.2247, -1.2247, 0, 0]),  # 1 / sqrt(2 / 3)
        ([1, 1, 1, 1], 4, "group", [0, 0, 0, 0]),
        ([1, NAN, 0, NAN], 4, "group", [0.7071, 0, -0.7071, 0]),  # of two: ±0.5 / 0.7071
        ([1, NAN, NAN, NAN], 4, "group", [0, 0, 0, 0]),  # alone
        ([NAN, NAN, 1, 0], 2, "group", [0, 0, 0.7071, -0.7071]),
        ([3], 1, "group", [0]),
    ],
)
def test_advantages_by_hand(rewards, size, scale, expected):
    found = of.group_advantages(tensor(rewards, dtype=torch.float64), size, scale, eps=0.0 if scale != "none" else 1e-4)
    if rewards == [1, 1, 1, 1] or len(rewards) == 1:
        found = of.group_advantages(tensor(rewards, dtype=torch.float64), size, scale)
    assert_close(found, tensor(expected, dtype=torch.float64), atol=5e-5, rtol=0)


def test_separate_advantages_keep_the_weights_of_rewards_of_different_spread():
    # the second reward varies a hundredth as much; normalised by itself it counts as much as the first
    rewards = tensor([[1.0, 0.01], [0.0, 0.0], [1.0, 0.0], [0.0, 0.01]])
    found = of.separate_advantages(rewards, [1.0, 1.0], 4, eps=0.0)
    assert_close(found[2], found[3], atol=1e-4, rtol=0)
    together = of.group_advantages(of.combine_rewards(rewards, [1.0, 1.0]), 4, eps=0.0)
    assert together[2] - together[3] > 1.5


def test_process_advantages_by_hand():
    # rewards 1, 0 of the first completion's steps and 1, 1 of the second's: mean 0.75, deviation with n - 1 is 0.5, so
    # 0.5, -1.5 and 0.5, 0.5; summed from the end
    steps = tensor([[NAN, 1.0, NAN, 0.0, NAN], [1.0, NAN, 1.0, NAN, NAN]], dtype=torch.float64)
    expected = tensor([[-1.0, -1.0, -1.5, -1.5, 0.0], [1.0, 0.5, 0.5, 0.0, 0.0]], dtype=torch.float64)
    assert_close(of.process_advantages(steps, 2, eps=0.0), expected)
    # with n the deviation is √0.1875
    assert_close(of.process_advantages(steps, 2, eps=0.0, unbiased=False), expected * 0.5 / 0.1875**0.5)


def test_one_step_at_the_last_token_is_outcome_supervision():
    outcome = tensor([1.0, 0.0, 0.5, 1.0], dtype=torch.float64)
    steps = torch.full((4, 3), NAN, dtype=torch.float64)
    steps[:, -1] = outcome
    for size in (2, 4):
        expected = of.group_advantages(outcome, size).unsqueeze(1).expand(4, 3)
        assert_close(of.process_advantages(steps, size), expected)


@pytest.mark.parametrize(
    "steps",
    [[[NAN, NAN], [NAN, NAN]], [[NAN, 1.0], [NAN, NAN]], [[1.0, 1.0], [NAN, 1.0]]],
    ids=["none", "one", "equal"],
)
def test_steps_that_cannot_be_compared_teach_nothing(steps):
    assert_close(of.process_advantages(tensor(steps), 2), torch.zeros(2, 2))
