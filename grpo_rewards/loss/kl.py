"""Estimates of KL(π_θ ‖ π_ref) from tokens that π_θ sampled (Schulman 2020, "Approximating KL divergence").

Each takes log π_θ and log π_ref of the sampled tokens, both [B, T], and returns an estimate for each token, [B, T], in
nats. In the equations δ = log π_ref - log π_θ. Shapes that do not fit are a ValueError.
"""

from __future__ import annotations

from torch import Tensor

from grpo_rewards.loss.shapes import check_together, quotes_its_call

__all__ = ["kl_k1", "kl_k2", "kl_k3"]


@quotes_its_call
def kl_k1(logps: Tensor, ref_logps: Tensor) -> Tensor:
    """Returns -δ for each token: unbiased, but negative wherever π_ref is the greater. [B, T] × 2 → [B, T]

    As a loss it teaches nothing: its gradient is zero on average.
    """
    check_together(logps=logps, ref_logps=ref_logps)
    return logps - ref_logps


@quotes_its_call
def kl_k2(logps: Tensor, ref_logps: Tensor) -> Tensor:
    """Returns δ² / 2 for each token: biased, but never negative. [B, T] × 2 → [B, T]

    As a loss it has the gradient of the KL, without bias.
    """
    check_together(logps=logps, ref_logps=ref_logps)
    return (ref_logps - logps).square() / 2


@quotes_its_call
def kl_k3(logps: Tensor, ref_logps: Tensor) -> Tensor:
    """Returns exp(δ) - δ - 1 for each token: unbiased and never negative. [B, T] × 2 → [B, T]

    It is the KL of GRPO (Shao et al. 2024, arXiv:2402.03300, equation 4) and of TRL. As a loss its gradient by log π_θ
    is 1 - π_ref / π_θ, on average that of the *other* KL, KL(π_ref ‖ π_θ); multiplied by the ratio, as
    ``bias_correction_kl`` of ``grpo_loss`` has it, it is that of KL(π_θ ‖ π_ref).
    """
    check_together(logps=logps, ref_logps=ref_logps)
    delta = ref_logps - logps
    return delta.exp() - delta - 1
