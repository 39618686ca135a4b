"""How far the policy is from the one that sampled, by numbers worked by hand."""

import math

import torch
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of

NAN = math.nan


def test_off_policy_mask_drops_bad_completions_that_moved_away():
    logps, sampled = torch.full((3, 2), -1.0), tensor([[-0.5, -0.5], [-0.5, -0.5], [-0.99, NAN]])
    found = of.off_policy_mask(logps, sampled, tensor([1.0, -1.0, -1.0]), torch.ones(3, 2), threshold=0.1)
    assert_close(found, tensor([[1.0], [0.0], [1.0]]))


def test_high_entropy_mask_takes_the_share_that_is_requested():
    entropies = torch.arange(10.0).view(2, 5)
    found = of.high_entropy_mask(entropies, torch.ones(2, 5), 0.2)
    assert found.view(-1).nonzero().view(-1).tolist() == [8, 9]
    masked = of.high_entropy_mask(entropies, (entropies < 5).float(), 0.2)
    assert masked.view(-1).nonzero().view(-1).tolist() == [4]
    # with the other rank's entropies the threshold is another: 8.6 of 0 … 9 and ten times 100
    assert (
        of.high_entropy_mask(
            entropies, torch.ones(2, 5), 0.2, torch.cat([entropies.view(-1), torch.full((10,), 1e2)])
        ).sum()
        == 0
    )
    assert of.high_entropy_mask(entropies, torch.zeros(2, 5), 0.2).sum() == 0


def test_importance_sampling_ratios_by_hand():
    old, sampled, mask = tensor([[0.0, 1.0, 5.0]]), tensor([[0.5, 0.0, 0.0]]), tensor([[1.0, 1.0, 0.0]])
    by_token = tensor([[math.exp(-0.5), math.e, 1.0]])
    assert_close(of.importance_sampling_ratio(old, sampled, mask, "token_truncate", high=2.0), by_token.clamp(max=2.0))
    dropped = of.importance_sampling_ratio(old, sampled, mask, "token_mask", low=0.7, high=2.0)
    assert_close(dropped, tensor([[0.0, 0.0, 1.0]]))
    assert_close(of.importance_sampling_ratio(old, sampled, mask, "sequence_mask", high=2.0), tensor([[math.exp(0.5)]]))
    assert of.importance_sampling_ratio(old, sampled, mask, "sequence_mask", high=1.5) == 0
