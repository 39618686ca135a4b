"""What the functions of this package are given, checked: shapes, masks, numbers."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["as_numbers", "as_per_token", "check_masked", "check_shape", "masked"]


def check_shape(name: str, tensor: Tensor, *wanted: tuple[int, ...]) -> None:
    """Raises ValueError for a tensor that has none of the shapes."""
    if tuple(tensor.shape) not in wanted:
        shapes = " or ".join(str(list(shape)) for shape in dict.fromkeys(wanted))
        raise ValueError(f"{name} must have the shape {shapes}, not {list(tensor.shape)}.")


def check_masked(name: str, tensor: Tensor, mask: Tensor) -> None:
    """Raises ValueError where a tensor is NaN at a place that counts."""
    bad = tensor.isnan() & (mask != 0)
    if bad.any():
        row, token = (int(one) for one in bad.nonzero()[0])
        raise ValueError(
            f"{name} is NaN at completion {row}, token {token}, where the mask is 1. Mask that token, or find out why "
            "its log-probability is none: NaN would be the whole loss."
        )


def masked(tensor: Tensor, mask: Tensor) -> Tensor:
    """The tensor with zeros where the mask is 0, whatever stands there, NaN included. [B, T] or [B, 1] → [B, T]"""
    return torch.where(mask != 0, tensor, torch.zeros((), dtype=tensor.dtype, device=tensor.device))


def as_numbers(rewards: Tensor) -> Tensor:
    """Rewards as floats, also where they are given as integers or truth values; infinite ones are refused."""
    rewards = rewards if rewards.is_floating_point() else rewards.float()
    if rewards.isinf().any():
        raise ValueError("a reward is infinite; it would take the advantage of its whole group. Use NaN for no reward.")
    return rewards


def as_per_token(name: str, tensor: Tensor, rows: int, tokens: int) -> Tensor:
    """One value per completion, or per token, as [B, 1] or [B, T]."""
    if tensor.dim() == 1:
        tensor = tensor.unsqueeze(1)
    check_shape(name, tensor, (rows, 1), (rows, tokens))
    return tensor
