"""What is minimised at each token, given the ratio and the advantage. R is [B, T] or [B, 1], A is [B, 1] or [B, T]."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import masked

__all__ = ["cispo_surrogate", "clipped_surrogate", "gamma_weights", "sapo_surrogate", "weighted_surrogate"]

LOWEST, HIGHEST = math.log(1e-8), 20.0  # of the logarithm of a completion's weight in VESPO
TOKEN_BOUND = 20.0  # of the logarithm of one token's


def clipped_surrogate(
    ratio: Tensor, advantages: Tensor, epsilon: float, epsilon_high: float | None = None, delta: float | None = None
) -> Tensor:
    """-min(min(R, δ) A, clip(R, 1 - ε, 1 + ε_high) A).

    PPO's (Schulman et al. 2017, equation 7); ε_high > ε is DAPO's clip-higher (arXiv:2503.14476); δ bounds
    what a negative advantage can do (INTELLECT-2, arXiv:2505.07291).
    """
    clipped = ratio.clamp(1 - epsilon, 1 + (epsilon if epsilon_high is None else epsilon_high))
    bounded = ratio if delta is None else ratio.clamp(max=delta)
    return -torch.minimum(bounded * advantages, clipped * advantages)


def cispo_surrogate(ratio: Tensor, advantages: Tensor, logps: Tensor, ceiling: float) -> Tensor:
    """-sg(min(R, ε_max)) A log π_θ: the weight is clipped, not the gradient (MiniMax-M1, arXiv:2506.13585).

    ``ceiling`` is the bound on the ratio itself; TRL hands it ``epsilon_high``, not 1 + ``epsilon_high``.
    """
    return -ratio.clamp(max=ceiling).detach() * advantages * logps


def sapo_surrogate(ratio: Tensor, advantages: Tensor, temperature_pos: float, temperature_neg: float) -> Tensor:
    """-4/τ σ(τ (R - 1)) A, with τ by the sign of A: a soft gate for a clip (SAPO, arXiv:2511.20347)."""
    positive = torch.tensor(temperature_pos, dtype=ratio.dtype, device=ratio.device)
    temperature = torch.where(advantages > 0, positive, temperature_neg)
    return -4 / temperature * torch.sigmoid(temperature * (ratio - 1)) * advantages


def gamma_weights(
    log_ratio_per_token: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    k_pos: float = 2.0,
    lambda_pos: float = 3.0,
    k_neg: float = 3.0,
    lambda_neg: float = 2.0,
    importance_ratio: Tensor | None = None,
) -> Tensor:
    """φ(w) = w^k exp(λ (1 - w)) with w = Π_t π_θ / π_sampling, and k, λ by the sign of the advantage. [B, T] → [B, 1]

    VESPO's weight of a completion (arXiv:2602.10693), 1 for w = 1; it stays between 0 and its peak at w = k / λ,
    whatever w is. The logarithms are bounded before they are summed (a token's to ±20, the sum to [log 1e-8, 20]). No
    gradient.

    Args:
        log_ratio_per_token: log π_θ - log π_old.
        advantages: [B, 1]; 0 counts as positive.
        mask: 1 for tokens that count.
        k_pos, lambda_pos, k_neg, lambda_neg: the shape of φ by the advantage's sign; λ is 1e-4 at least.
        importance_ratio: π_old / π_sampling, [B, T] or [B, 1], 1 where it corrects nothing.
    """
    with torch.no_grad():
        log_w = masked(log_ratio_per_token.clamp(-TOKEN_BOUND, TOKEN_BOUND), mask).sum(dim=1, keepdim=True)
        if importance_ratio is not None:
            corrected = importance_ratio.log().clamp(LOWEST, HIGHEST)
            corrected = corrected if corrected.shape[1] == 1 else masked(corrected, mask)
            log_w = log_w + corrected.sum(dim=1, keepdim=True)
        log_w = log_w.clamp(LOWEST, HIGHEST)
        positive = advantages >= 0
        k, rate = (
            torch.where(positive, torch.tensor(pos, dtype=log_w.dtype, device=log_w.device), neg)
            for pos, neg in ((k_pos, k_neg), (max(lambda_pos, 1e-4), max(lambda_neg, 1e-4)))
        )
        return (k * log_w + rate * (1 - log_w.exp())).exp()


def weighted_surrogate(weights: Tensor, advantages: Tensor, logps: Tensor) -> Tensor:
    """-φ A log π_θ, whose gradient is the policy gradient weighted by φ."""
    return -weights * advantages * logps
