"""What is minimised at each token, by numbers worked by hand."""

import math

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of


def test_clipping_by_hand():
    # clipped at 1.2: -min(1.5 · 2, 1.2 · 2) = -2.4; two-sided with delta 1.3: -min(1.3 · -2, 1.2 · -2) = 2.6
    assert_close(of.clipped_surrogate(tensor([[1.5]]), tensor([[2.0]]), 0.2), tensor([[-2.4]]))
    assert_close(of.clipped_surrogate(tensor([[1.5]]), tensor([[-2.0]]), 0.2), tensor([[3.0]]))
    assert_close(of.clipped_surrogate(tensor([[1.5]]), tensor([[-2.0]]), 0.2, delta=1.3), tensor([[2.6]]))
    assert_close(of.clipped_surrogate(tensor([[1.5]]), tensor([[2.0]]), 0.2, 0.28), tensor([[-2.56]]))


def test_cispo_keeps_the_gradient_of_what_it_clips():
    logps = tensor([[-1.0]], requires_grad=True)
    loss = of.cispo_surrogate(tensor([[9.0]]), tensor([[2.0]]), logps, ceiling=3.0).sum()
    assert loss == 6.0  # - 3 · 2 · -1
    assert torch.autograd.grad(loss, logps)[0] == -6.0


def test_sapo_has_the_slope_of_the_ratio_on_policy_and_fades_away_from_it():
    ratio = tensor([[1.0]], requires_grad=True)
    (slope,) = torch.autograd.grad(of.sapo_surrogate(ratio, tensor([[2.0]]), 1.0, 1.05).sum(), ratio)
    assert_close(slope, tensor([[-2.0]]))  # 4 σ'(0) = 1
    far = tensor([[9.0]], requires_grad=True)
    (slope,) = torch.autograd.grad(of.sapo_surrogate(far, tensor([[2.0]]), 1.0, 1.05).sum(), far)
    assert abs(slope) < 0.01


def test_gamma_weights_are_1_on_policy_and_peak_at_k_over_lambda():
    mask = torch.ones(1, 2)
    assert_close(of.gamma_weights(torch.zeros(1, 2), tensor([[1.0]]), mask), tensor([[1.0]]))
    weights = [
        of.gamma_weights(tensor([[math.log(w), 0.0]]), tensor([[1.0]]), mask).item() for w in (0.5, 2 / 3, 0.8, 1.5, 50)
    ]
    assert max(weights) == weights[1]  # k / λ = 2 / 3
    assert weights[4] < 1e-9
    # half and half as sampling ratio and as ratio is the same weight
    half = of.gamma_weights(
        tensor([[math.log(0.8), 0.0]]), tensor([[1.0]]), mask, importance_ratio=tensor([[0.625, 1.0]])
    )
    assert_close(half.item(), weights[0], atol=1e-6, rtol=0)
