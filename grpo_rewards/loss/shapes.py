"""Checks of what the functions of this package are given: shapes, masks, numbers."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["as_numbers", "as_per_token", "check_beside", "check_masked", "check_shape", "check_together", "masked"]


def check_shape(name: str, tensor: Tensor, *wanted: tuple[int, ...]) -> None:
    """Raises ValueError unless the tensor has one of the wanted shapes."""
    shape = tuple(tensor.shape)
    if shape not in wanted:
        advice = _advice(name, shape, *wanted)
        raise ValueError(f"{name} must have the shape {_either(*wanted)}, not {list(shape)}{advice}")


def check_beside(name: str, tensor: Tensor, other: str, reference: Tensor) -> None:
    """Raises ValueError unless the tensor has the reference's shape, is [B, 1] beside its [B, T], or a single number.

    Torch itself would also multiply [B] with [B, T] where B = T, and so give token t the value of completion t.
    """
    shape, wanted = tuple(tensor.shape), tuple(reference.shape)
    if shape in ((), wanted):
        return
    if len(wanted) != 2:
        raise ValueError(f"{name} must be {list(wanted)} or a single number to fit {other}, not {list(shape)}.")
    column = (wanted[0], 1)
    if shape == column:
        return
    letters = "[B, 1]" if wanted == column else "[B, 1] or [B, T]"
    raise ValueError(
        f"{name} must be {letters} = {_either(column, wanted)} to fit {other}, which is {list(wanted)}, "
        f"not {list(shape)}{_advice(name, shape, column)}"
    )


def check_together(**tensors: Tensor) -> None:
    """Raises ValueError unless all tensors have one shape, or are [B, 1] beside [B, T], or single numbers."""
    sized = {name: one for name, one in tensors.items() if isinstance(one, Tensor) and one.dim()}
    if not sized:
        return
    widest = max(sized, key=lambda name: (sized[name].dim(), sized[name].shape[-1]))
    for name, tensor in sized.items():
        check_beside(name, tensor, widest, sized[widest])


def check_masked(name: str, tensor: Tensor, mask: Tensor) -> None:
    """Raises ValueError if the tensor is NaN anywhere that the mask is not 0."""
    bad = tensor.isnan() & (mask != 0)
    if bad.any():
        row, token = (int(one) for one in bad.nonzero()[0])
        raise ValueError(
            f"{name} is NaN at completion {row}, token {token}, where the mask is 1. Mask that token, or find out why "
            "its log-probability is none: NaN would be the whole loss."
        )


def masked(tensor: Tensor, mask: Tensor) -> Tensor:
    """Returns the tensor with 0 wherever the mask is 0, even in place of NaN. [B, T] or [B, 1], mask [B, T] → [B, T]"""
    return torch.where(mask != 0, tensor, torch.zeros((), dtype=tensor.dtype, device=tensor.device))


def as_numbers(rewards: Tensor) -> Tensor:
    """Returns rewards as floats, whether they were floats, integers or booleans. Infinity is a ValueError."""
    rewards = rewards if rewards.is_floating_point() else rewards.float()
    if rewards.isinf().any():
        raise ValueError("a reward is infinite; it would take the advantage of its whole group. Use NaN for no reward.")
    return rewards


def as_per_token(name: str, tensor: Tensor, rows: int, tokens: int) -> Tensor:
    """Returns [B, 1] for one value per completion, given as [B] or [B, 1], and [B, T] for one per token."""
    values = tensor.unsqueeze(1) if tensor.dim() == 1 else tensor
    if tuple(values.shape) not in ((rows, 1), (rows, tokens)):
        raise ValueError(f"{name} must have the shape {_either((rows, 1), (rows, tokens))}, not {list(tensor.shape)}.")
    return values


def _either(*shapes: tuple[int, ...]) -> str:
    return " or ".join(str(list(shape)) for shape in dict.fromkeys(shapes))


def _advice(name: str, shape: tuple[int, ...], *wanted: tuple[int, ...]) -> str:
    """The end of a sentence about a wrong shape: what to write for [B] where [B, 1] is wanted, or a full stop alone."""
    if len(shape) == 1 and (*shape, 1) in wanted:
        return f"; for one value per completion write {name}.unsqueeze(1)."
    return "."
