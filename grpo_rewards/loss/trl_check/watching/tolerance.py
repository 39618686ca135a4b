"""How far a loss and its gradient may be off for rounding alone, token by token."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["SMALLEST", "excess", "of_gradient", "of_value", "terms_of_kl"]

SMALLEST = 1e-30  # the least scale of a difference: where all should be 0, anything else is wrong
# By the precision of the log-probabilities: what a number may be off by, relative to itself, and what any number may be
# off by, relative to the greatest of its tensor. In float64 it is no less than what TRL's constants are off by, which
# have the default precision.
OWN_SHARE = {torch.float64: 1e-6, torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 5e-3}
SHARE_OF_GREATEST = {torch.float64: 1e-7, torch.float32: 1e-5, torch.bfloat16: 1e-2, torch.float16: 1e-3}
UNITS_OF_TERMS = 4  # of rounding that the terms of one token's gradient may be off by


def of_value(value: Tensor) -> float:
    """Returns what the loss may be off by: relative to 1, or to itself where that is greater."""
    return OWN_SHARE.get(value.dtype, OWN_SHARE[torch.float32]) * max(1.0, abs(float(value.detach())))


def of_gradient(gradient: Tensor, terms: Tensor | None) -> Tensor:
    """Returns what each element of a gradient may be off by. [B, T] → [B, T]

    Args:
        gradient: the gradient, [B, T].
        terms: the sum of the absolute values of the terms that each element is made of, see :func:`terms_of_kl`;
            ``None``: of none that cancel. With δ = log π_ref - log π_θ = 13.6 the corrected KL adds exp(δ) - δ - 1 and
            1 - exp(δ), both 8e5, to get -δ, so that single precision has -δ to two digits at best.
    """
    kind = gradient.dtype
    own, whole = (share.get(kind, share[torch.float32]) for share in (OWN_SHARE, SHARE_OF_GREATEST))
    greatest = gradient.abs().nan_to_num().max() if gradient.numel() else torch.zeros(())
    allowed = own * gradient.abs().double() + whole * greatest.double()
    if terms is not None:
        allowed = allowed + UNITS_OF_TERMS * torch.finfo(kind).eps * terms.double()
    return allowed.clamp(min=SMALLEST)


def terms_of_kl(of_kl: Tensor, logps: Tensor, ref_logps: Tensor, mask: Tensor, by_sequence: bool) -> Tensor:
    """Returns the sum of absolute terms of the KL in each token's gradient. [B, T] → [B, T]

    Without its correction a token's KL has the gradient v (1 - exp(δ)) by log π_θ, with v all that it is multiplied by;
    so the terms v exp(δ), v, and with the correction v (exp(δ) - δ - 1), are known without naming v.

    Args:
        of_kl: what the KL adds to the gradient by log π_θ, [B, T]: that of the uncorrected KL, times the ratio if it
            is corrected.
        logps, ref_logps: log π_θ and log π_ref, [B, T].
        mask: 1 for tokens that count, [B, T].
        by_sequence: whether the tokens of a completion share one ratio, so that each has a part of every token's KL.
    """
    delta = torch.where(mask != 0, ref_logps.double() - logps.detach().double(), 0.0)
    factor = of_kl.double().abs() / delta.expm1().abs().clamp(min=torch.finfo(logps.dtype).eps)
    terms = factor * (2 * delta.exp() + delta.abs() + 2)
    if by_sequence:
        terms = terms + terms.sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True).clamp(min=1)
    return terms.nan_to_num(nan=0.0)


def excess(one: Tensor, other: Tensor, tolerance: Tensor | float) -> Tensor:
    """Returns by how many times the tolerance two tensors differ, element by element; infinity where one is NaN.

    Where neither is finite they do not differ.
    """
    one, other = one.detach().double(), other.detach().double()
    same = (one == other) | ~(one.isfinite() | other.isfinite())
    return ((one - other).abs() / tolerance).nan_to_num(nan=torch.inf, posinf=torch.inf).masked_fill(same, 0.0)
