"""Estimators of the KL."""

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch

from grpo_rewards import loss as of

ONES = torch.ones(2, 3)


@pytest.mark.parametrize("kl", [of.kl_k1, of.kl_k2, of.kl_k3])
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
    torch.testing.assert_close(sampled(of.kl_k1), torch.zeros(3).double(), atol=1e-12, rtol=0)
    torch.testing.assert_close(sampled(of.kl_k2), forward)
    torch.testing.assert_close(sampled(of.kl_k3), reverse)
    corrected = sampled(lambda logps, ref: (logps - logps.detach()).exp() * of.kl_k3(logps, ref))
    torch.testing.assert_close(corrected, forward)
