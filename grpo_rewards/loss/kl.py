"""Estimators of KL(π_θ ‖ π_ref) from samples of π_θ, token by token (Schulman 2020, "Approximating KL divergence").

With δ = log π_ref - log π_θ. All are [B, T] × 2 → [B, T].
"""

from __future__ import annotations

from torch import Tensor

__all__ = ["kl_k1", "kl_k2", "kl_k3"]


def kl_k1(logps: Tensor, ref_logps: Tensor) -> Tensor:
    """-δ: unbiased, but negative for half of the tokens, and its gradient is zero in the mean."""
    return logps - ref_logps


def kl_k2(logps: Tensor, ref_logps: Tensor) -> Tensor:
    """δ² / 2: biased, never negative; its gradient is that of the KL, unbiased."""
    return (ref_logps - logps).square() / 2


def kl_k3(logps: Tensor, ref_logps: Tensor) -> Tensor:
    """exp(δ) - δ - 1: unbiased and never negative. It is GRPO's (Shao et al. 2024, equation 4) and TRL's."""
    delta = ref_logps - logps
    return delta.exp() - delta - 1
