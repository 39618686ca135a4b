"""How far the policy is from the one that sampled. B completions, T tokens."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import as_per_token, check_shape, masked

__all__ = ["high_entropy_mask", "importance_sampling_ratio", "log_ratio", "off_policy_mask"]

Level = Literal["token", "sequence"]
Correction = Literal["token_truncate", "token_mask", "sequence_truncate", "sequence_mask"]


def log_ratio(logps: Tensor, old_logps: Tensor, mask: Tensor, level: Level = "token") -> Tensor:
    """log π_θ - log π_old for each token, or its mean over each completion. [B, T] × 3 → [B, T] or [B, 1]

    By sequence it is GSPO's (Zheng et al. 2025, arXiv:2507.18071): the ratio is the geometric mean of the
    tokens' ratios. A completion that is masked altogether has 0.

    Raises:
        ValueError: shapes that do not fit, an unknown level.
    """
    check_shape("old_logps", old_logps, tuple(logps.shape))
    check_shape("mask", mask, tuple(logps.shape))
    per_token = masked(logps - old_logps, mask)
    if level == "token":
        return per_token
    if level == "sequence":
        return per_token.sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True).clamp(min=1)
    raise ValueError(f"importance_sampling_level must be 'token' or 'sequence', not {level!r}.")


def off_policy_mask(
    logps: Tensor, sampling_logps: Tensor, advantages: Tensor, mask: Tensor, threshold: float
) -> Tensor:
    """0 for a completion with a negative advantage from which the policy has moved away, else 1. [B, T] → [B, 1]

    Kept where A ≥ 0 or mean_t(log π_sampling - log π_θ) ≤ threshold (DeepSeek-V3.2, arXiv:2512.02556). A
    token without a sampling log-probability (NaN) counts as unmoved. No gradient.

    Raises:
        ValueError: shapes that do not fit.
    """
    check_shape("sampling_logps", sampling_logps, tuple(logps.shape))
    advantages = as_per_token("advantages", advantages, *logps.shape)
    moved = masked((sampling_logps - logps.detach()).nan_to_num(nan=0.0), mask)
    distance = moved.sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True).clamp(min=1)
    return ((advantages >= 0) | (distance <= threshold)).to(logps.dtype)


def high_entropy_mask(entropies: Tensor, mask: Tensor, quantile: float, everywhere: Tensor | None = None) -> Tensor:
    """1 for the share ``quantile`` of tokens with the highest entropy, else 0. [B, T] × 2 → [B, T]

    Wang et al. 2025 (arXiv:2506.01939): only forking tokens learn. The threshold is the (1 - quantile) quantile of the
    entropies of the tokens that count, by linear interpolation.

    Args:
        entropies: of each token's distribution.
        mask: 1 for tokens that count.
        quantile: the share of tokens that learn, in (0, 1].
        everywhere: the entropies that the threshold is taken of, [N]; by default those of this batch. Give those of all
            ranks where there are several.

    Raises:
        ValueError: shapes that do not fit, a quantile outside (0, 1].
    """
    check_shape("mask", mask, tuple(entropies.shape))
    if not 0 < quantile <= 1:
        raise ValueError(f"top_entropy_quantile must be above 0 and at most 1, not {quantile}.")
    counted = mask != 0
    pool = entropies[counted] if everywhere is None else everywhere
    if pool.numel() == 0:
        return torch.zeros_like(entropies)
    threshold = torch.quantile(pool.detach().float(), 1 - quantile)
    return ((entropies >= threshold) & counted).to(entropies.dtype)


def importance_sampling_ratio(
    old_logps: Tensor,
    sampling_logps: Tensor,
    mask: Tensor,
    correction: Correction,
    low: float | None = None,
    high: float | None = None,
) -> Tensor:
    """π_old / π_sampling, where the engine that samples is not the one that trains. [B, T] × 3 → [B, T] or [B, 1]

    By token or by sequence (the product over the completion); truncated to [low, high], or 0 where it is outside
    (Yao et al. 2025, "Your efficient RL framework secretly brings you off-policy RL training"; IcePop and MIS for the
    masks). A token without a sampling log-probability (NaN) counts as 1.

    Args:
        old_logps: log-probabilities by the training engine, of the policy that sampled.
        sampling_logps: the same by the sampling engine.
        mask: 1 for tokens that count.
        correction: ``token_truncate``, ``token_mask``, ``sequence_truncate`` or ``sequence_mask``.
        low, high: the bounds; ``None`` for none.

    Raises:
        ValueError: shapes that do not fit, an unknown correction, a truncation without bounds.
    """
    check_shape("sampling_logps", sampling_logps, tuple(old_logps.shape))
    check_shape("mask", mask, tuple(old_logps.shape))
    difference = masked(old_logps - sampling_logps, mask).nan_to_num(nan=0.0)
    level, _, how = correction.partition("_")
    if level not in ("token", "sequence") or how not in ("truncate", "mask"):
        raise ValueError(
            "correction must be one of token_truncate, token_mask, sequence_truncate, sequence_mask, not "
            f"{correction!r}."
        )
    ratio = (difference.sum(dim=1, keepdim=True) if level == "sequence" else difference).exp()
    if how == "mask":
        outside = (ratio < (-torch.inf if low is None else low)) | (ratio > (torch.inf if high is None else high))
        return ratio.masked_fill(outside, 0.0)
    if low is None and high is None:
        raise ValueError("a truncation needs a bound: give low, high or both.")
    return ratio.clamp(min=low, max=high)
