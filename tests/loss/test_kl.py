"""Estimators of the KL, and the reference that is refreshed between rounds."""

import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of
from grpo_rewards.loss import kl_k3, refreshed_reference

ONES = torch.ones(2, 3)


@pytest.mark.parametrize("kl", [of.kl_k1, of.kl_k2, kl_k3])
def test_kl_of_a_policy_with_itself_is_0(kl):
    assert (kl(ONES, ONES) == 0).all()


def test_the_gradient_of_each_estimate_is_on_average_the_one_in_its_docstring():
    policy, reference = (torch.tensor(one).double() for one in ([0.5, 0.3, 0.2], [0.4, 0.4, 0.2]))
    logits = policy.log().requires_grad_()

    def gradient(divergence):
        return torch.autograd.grad(divergence(logits.log_softmax(0)), logits)[0]

    def sampled(kl):  # expectation over samples of the policy: the weight of a sample has no gradient
        return gradient(lambda logps: (policy * kl(logps, reference.log())).sum())

    # exact divergences over the whole vocabulary
    forward = gradient(lambda logps: (logps.exp() * (logps - reference.log())).sum())
    reverse = gradient(lambda logps: (reference * (reference.log() - logps)).sum())
    assert (forward - reverse).abs().max() > 0.005
    assert_close(sampled(of.kl_k1), torch.zeros(3).double(), atol=1e-12, rtol=0)
    assert_close(sampled(of.kl_k2), forward)
    assert_close(sampled(kl_k3), reverse)
    corrected = sampled(lambda logps, ref: (logps - logps.detach()).exp() * kl_k3(logps, ref))
    assert_close(corrected, forward)


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
