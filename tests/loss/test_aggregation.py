"""From the loss of each token to one number, worked by hand."""

import torch
from tables import each_row
from torch import tensor
from torch.testing import assert_close

from grpo_rewards import loss as of

LOSSES = tensor([[1.0, 2.0, torch.nan], [4.0, 5.0, 6.0]])
MASK = tensor([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])  # two tokens that sum to 3, three that sum to 15
AGGREGATIONS = {
    "per_sequence": (of.per_sequence, 3.25),  # (3/2 + 15/3) / 2
    "per_token": (of.per_token, 3.6),  # 18 / 5
    "over_constant": (lambda losses, mask: of.over_constant(losses, mask, 10), 0.9),  # 18 / (2 · 10)
    "over_window": (lambda losses, mask: of.over_window(losses, mask, 12.0, 2), 3.0),  # 2 · 18 / 12
    "length_scaled": (of.length_scaled, 9.0),  # (3 + 15) / 2
}


@each_row("aggregate, expected", AGGREGATIONS.values())
def test_by_hand(aggregate, expected):
    assert_close(aggregate(LOSSES, MASK), tensor(expected))


@each_row(
    "name, expected",
    [
        ("per_sequence", 1.0),  # (2/1 + 0) / 2: the empty completion counts in B
        ("per_token", 2.0),  # 2 / 1: it has no token that counts
        ("over_constant", 0.1),  # 2 / (2 · 10)
        ("over_window", 1 / 3),  # 2 · 2 / 12
        ("length_scaled", 1.0),  # (2 + 0) / 2
    ],
)
def test_a_completion_without_a_token_that_counts(name, expected):
    aggregate, _ = AGGREGATIONS[name]
    assert_close(aggregate(LOSSES, tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])), tensor(expected))
    assert aggregate(LOSSES, torch.zeros(2, 3)) == 0
