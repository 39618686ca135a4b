"""Log-probabilities and entropies are those of torch."""

import math

import torch
from torch.testing import assert_close

from grpo_rewards import loss as of


def test_log_probabilities_and_entropies_are_those_of_torch():
    logits = torch.randn(2, 5, 11, generator=torch.Generator().manual_seed(0))
    ids = torch.randint(0, 11, (2, 5), generator=torch.Generator().manual_seed(1))
    for temperature in (1.0, 0.7):
        there = torch.distributions.Categorical(logits=logits / temperature)
        assert_close(of.token_logps(logits, ids, temperature), there.log_prob(ids))
        assert_close(of.token_entropies(logits, temperature), there.entropy())
    certain = torch.where(torch.arange(4) == 2, 0.0, -math.inf).view(1, 1, 4)
    assert of.token_entropies(certain) == 0
