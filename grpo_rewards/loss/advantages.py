"""From rewards to advantages. B completions, G in each group, K rewards; ``None`` of a reward is NaN."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import as_numbers, check_shape

__all__ = ["combine_rewards", "group_advantages", "separate_advantages"]

Scale = Literal["group", "batch", "none"]


def combine_rewards(rewards_per_func: Tensor, weights: Tensor | list[float]) -> Tensor:
    """Σ_k w_k r_k over the rewards that are not NaN; NaN where all are. [B, K], [K] → [B]

    A reward that is left out does not pass its weight on to the others, as in TRL.

    Raises:
        ValueError: shapes that do not fit.

    >>> combine_rewards(torch.tensor([[1.0, 0.5], [float("nan"), 0.5]]), [1.0, 0.2])
    tensor([1.1000, 0.1000])
    """
    if rewards_per_func.dim() != 2:
        raise ValueError(f"rewards_per_func must be [B, K], not {list(rewards_per_func.shape)}.")
    rewards_per_func = as_numbers(rewards_per_func)
    weights = torch.as_tensor(weights, dtype=rewards_per_func.dtype, device=rewards_per_func.device)
    check_shape("weights", weights, (rewards_per_func.shape[1],))
    total = (rewards_per_func * weights).nansum(dim=1)
    return total.masked_fill(rewards_per_func.isnan().all(dim=1), torch.nan)


def group_advantages(
    rewards: Tensor, group_size: int, scale: Scale = "group", eps: float = 1e-4, *, unbiased: bool = True
) -> Tensor:
    """(r - mean(group)) / (std + ε), the deviation over the group or the batch, or not divided at all. [B] → [B]

    Shao et al. 2024 (arXiv:2402.03300), equation in section 4.1.2; without the deviation it is Dr. GRPO's (Liu et al.
    2025, arXiv:2503.20783). Rows that are NaN are left out of mean and deviation and have advantage 0, and so has a row
    that is alone in its group.

    Args:
        rewards: one per completion, groups one after another.
        group_size: G; it must divide B.
        scale: what the deviation is taken over: ``group``, ``batch``, or ``none``.
        eps: added to the deviation.
        unbiased: whether the deviation is that of a sample (n - 1), as TRL's; else of the population (n).

    Raises:
        ValueError: rewards that are no vector, a group size that does not divide, an unknown scale.

    >>> group_advantages(torch.tensor([1.0, 0.0, 0.0, 1.0]), group_size=4, eps=0.0)
    tensor([ 0.8660, -0.8660, -0.8660,  0.8660])
    """
    groups = _grouped(rewards, group_size)
    if scale not in ("group", "batch", "none"):
        raise ValueError(f"scale must be 'group', 'batch' or 'none', not {scale!r}.")
    advantages = groups - groups.nanmean(dim=1, keepdim=True)
    if scale != "none":
        scaled_by = groups if scale == "group" else groups.reshape(1, -1)
        advantages = advantages / (_deviation(scaled_by, unbiased) + eps)
    return advantages.reshape(-1).nan_to_num(nan=0.0)


def separate_advantages(
    rewards_per_func: Tensor, weights: Tensor | list[float], group_size: int, eps: float = 1e-4
) -> Tensor:
    """Each reward normalised within its group, then their weighted sum, then that over the batch. [B, K], [K] → [B]

    GDPO (Liu et al. 2026, arXiv:2601.05242): rewards of different spread keep their weights. NaN as in
    :func:`group_advantages`.

    Raises:
        ValueError: shapes that do not fit, a group size that does not divide.
    """
    if rewards_per_func.dim() != 2:
        raise ValueError(f"rewards_per_func must be [B, K], not {list(rewards_per_func.shape)}.")
    columns = rewards_per_func.unbind(dim=1)
    normalised = [_normalised(_grouped(column, group_size), eps).reshape(-1) for column in columns]
    rewards = combine_rewards(torch.stack(normalised, dim=1), weights)
    # a row with rewards all of whose groups are too small is worth 0, not nothing
    scored = ~rewards_per_func.isnan().all(dim=1)
    rewards = torch.where(scored, rewards.nan_to_num(nan=0.0), rewards)
    return _normalised(rewards.reshape(1, -1), eps).reshape(-1).nan_to_num(nan=0.0)


def _normalised(groups: Tensor, eps: float) -> Tensor:
    """(r - mean) / (std + ε) over each row. [N, G] → [N, G]"""
    return (groups - groups.nanmean(dim=1, keepdim=True)) / (_deviation(groups, True) + eps)


def _grouped(rewards: Tensor, group_size: int) -> Tensor:
    rewards = as_numbers(rewards)
    if rewards.dim() != 1:
        raise ValueError(f"rewards must be [B], not {list(rewards.shape)}.")
    if group_size < 1 or rewards.numel() % group_size:
        raise ValueError(f"{rewards.numel()} rewards do not divide into groups of {group_size}.")
    return rewards.view(-1, group_size)


def _deviation(groups: Tensor, unbiased: bool) -> Tensor:
    """sqrt(Σ (r - mean)² / (n - 1)) over each row's numbers; NaN where there are too few, but 0 where G is 1.
    [N, G] → [N, 1]
    """
    if groups.shape[1] == 1:
        return torch.zeros_like(groups)
    known = (~groups.isnan()).sum(dim=1, keepdim=True).to(groups.dtype)
    squares = (groups - groups.nanmean(dim=1, keepdim=True)).square().nansum(dim=1, keepdim=True)
    degrees = known - 1 if unbiased else known
    return torch.where(degrees > 0, squares / degrees.clamp(min=1), torch.nan).sqrt()
