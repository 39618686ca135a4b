"""From a loss per token, [B, T], to one number. Places where the mask, [B, T], is 0 count for nothing."""

from __future__ import annotations

from torch import Tensor

from grpo_rewards.loss.shapes import masked

__all__ = ["length_scaled", "over_constant", "over_window", "per_sequence", "per_token"]


def per_sequence(per_token: Tensor, mask: Tensor) -> Tensor:
    """1/B Σ_i 1/|o_i| Σ_t l_it: every completion weighs the same (GRPO, SAPO), one that is masked as a zero."""
    lengths = mask.sum(dim=1).clamp(min=1)
    return (masked(per_token, mask).sum(dim=1) / lengths).mean()


def per_token(per_token: Tensor, mask: Tensor) -> Tensor:
    """Σ_it l_it / Σ_i |o_i| within the micro-batch: every token of it weighs the same (BNPO)."""
    return masked(per_token, mask).sum() / mask.sum().clamp(min=1)


def over_constant(per_token: Tensor, mask: Tensor, length: int) -> Tensor:
    """Σ_it l_it / (B · L) with L the greatest length: no weight depends on a length (Dr. GRPO, arXiv:2503.20783)."""
    return masked(per_token, mask).sum() / (per_token.shape[0] * length)


def over_window(per_token: Tensor, mask: Tensor, window_tokens: Tensor | float, world_size: int = 1) -> Tensor:
    """W Σ_it l_it / N with N the tokens of the whole accumulation window on all W ranks (DAPO, CISPO, VESPO).

    The sum over the window's micro-batches, averaged over ranks as DDP averages gradients, is the mean over all of its
    tokens: accumulation does not change what is optimised.
    """
    return masked(per_token, mask).sum() * world_size / window_tokens


def length_scaled(per_token: Tensor, mask: Tensor) -> Tensor:
    """1/B Σ_i Σ_t l_it: a completion weighs as much as it is long (LUSPO, arXiv:2602.05261)."""
    return masked(per_token, mask).sum(dim=1).mean()
