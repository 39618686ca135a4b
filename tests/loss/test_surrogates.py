"""What is minimised at each token, by numbers worked by hand."""

import math

import torch
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of


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
