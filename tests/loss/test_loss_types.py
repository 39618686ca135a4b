"""The tables of loss types: what is looked up in them, and that nothing unknown is taken for something known."""

from typing import get_args

import pytest
import torch
from tables import each_row
from torch import tensor
from torch.testing import assert_close

from grpo_rewards.loss import grpo_loss
from grpo_rewards.loss.loss_types import FORMULAS, LOSS_TYPES, LossType
from grpo_rewards.loss.trl_check.expected import equation

LOGPS = tensor([[-1.0, -2.0, -3.0], [-0.5, -0.5, -0.5]])
MASK = tensor([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
ADVANTAGES = tensor([2.0, -1.0])


def test_each_loss_type_has_its_function_and_its_parts():
    assert get_args(LossType) == tuple(LOSS_TYPES) == tuple(FORMULAS)


def test_a_new_loss_type_is_a_function_and_a_row(monkeypatch):
    def mine(logps, advantages, mask, *, max_completion_length, weights=1.0):
        return (-weights * advantages * logps * mask).sum() * max_completion_length

    monkeypatch.setitem(FORMULAS, "mine", mine)
    monkeypatch.setitem(LOSS_TYPES, "mine", ("policy gradient", "sum"))
    found = grpo_loss(
        LOGPS, ADVANTAGES, MASK, loss_type="mine", accumulation_steps=2, max_completion_length=10, beta=0.0
    )
    assert_close(found.loss, tensor(22.5))  # 10 (-2 · (-1 - 2) + 1 · (-0.5 · 3)) / 2 = 10 (6 - 1.5) / 2
    assert_close(found.policy_loss, tensor(45.0))
    assert (found.clip_low, found.clip_high) == (0, 0)  # it has no clip
    with pytest.raises(ValueError, match="the loss type 'mine' cannot do without it: give max_completion_length"):
        grpo_loss(LOGPS, ADVANTAGES, MASK, loss_type="mine")


def test_an_adjustment_that_a_loss_type_does_not_take_is_not_left_out_in_silence(monkeypatch):
    monkeypatch.setitem(FORMULAS, "mine", lambda logps, advantages, mask: (-advantages * logps * mask).sum())
    monkeypatch.setitem(LOSS_TYPES, "mine", ("policy gradient", "sum"))
    assert_close(grpo_loss(LOGPS, ADVANTAGES, MASK, loss_type="mine").loss, tensor(4.5))
    with pytest.raises(TypeError, match="unexpected keyword argument 'penalty'"):
        grpo_loss(LOGPS, ADVANTAGES, MASK, loss_type="mine", beta=0.1, ref_logps=LOGPS)
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        grpo_loss(LOGPS, ADVANTAGES, MASK, loss_type="mine", entropy_mask=MASK)


@each_row("name", LOSS_TYPES)
def test_each_has_an_equation_for_the_message_of_a_mismatch(name):
    found = equation(name)
    assert all(sign in found for sign in ("A_i", "Σ"))
    assert not found.endswith(".")


def test_shares_of_clipped_tokens_by_hand():
    # ratios e^0.5 = 1.65 and e^-0.5 = 0.61; A = 1 for the first completion, -1 for the second
    steps, ones, signs = tensor([[0.5, 0.0], [-0.5, 0.0]]), torch.ones(2, 2), tensor([1.0, -1.0])

    def shares(**options):
        found = grpo_loss(steps, signs, ones, old_logps=torch.zeros(2, 2), **options)
        return found.clip_low.item(), found.clip_high.item()

    assert shares() == (0.25, 0.25)
    assert shares(epsilon=0.5) == (0.0, 0.25)
    assert shares(epsilon_high=0.7) == (0.25, 0.0)
    assert shares(delta=1.1) == (0.25, 0.0)  # a ratio of 1.1 is not above 1.2
    assert shares(loss_type="cispo", epsilon_high=1.0) == (0.0, 0.25)  # the one that is 1 is not above 1
    assert shares(loss_type="vespo") == (0.0, 0.0)
    # by sequence the ratios are e^0.25 = 1.28 and e^-0.25 = 0.78: each is a share of two completions
    assert shares(importance_sampling_level="sequence") == (0.5, 0.5)
