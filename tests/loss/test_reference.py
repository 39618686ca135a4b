"""The reference that is refreshed between rounds, by hand."""

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import tensor
from torch.testing import assert_close

from grpo_rewards.loss import kl_k3, refreshed_reference


def test_the_reference_becomes_the_policy_and_stays_behind_when_that_moves_on():
    policy, old = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    new = refreshed_reference(policy.state_dict(), old.state_dict())
    before = policy.weight.detach().clone()
    with torch.no_grad():
        policy.weight += 1
    assert_close(new["weight"], before)
    old.load_state_dict(new)
    logps, ref_logps = policy(torch.ones(1, 2)), old(torch.ones(1, 2))
    assert_close(kl_k3(logps, ref_logps).detach(), tensor([[torch.e**-2 + 2 - 1]]))  # the two weights grew by 1


def test_a_soft_update_goes_part_of_the_way():
    found = refreshed_reference({"w": tensor([1.0])}, {"w": tensor([0.0])}, alpha=0.6)
    again = refreshed_reference({"w": tensor([1.0])}, found, alpha=0.6)
    assert_close(again["w"], tensor([0.84]))  # 1 - 0.4²


def test_counts_are_taken_over_and_dtypes_stay():
    found = refreshed_reference(
        {"n": tensor(3), "w": tensor([1.0])}, {"n": tensor(1), "w": tensor([0.0]).bfloat16()}, alpha=0.5
    )
    assert found["n"] == 3
    assert found["w"].dtype is torch.bfloat16
    assert found["w"] == 0.5
