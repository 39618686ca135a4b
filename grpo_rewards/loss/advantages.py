"""From rewards to advantages. B completions, G in each group, K rewards. A reward of ``None`` is NaN in a tensor."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import as_numbers, check_shape

__all__ = ["combine_rewards", "group_advantages", "separate_advantages"]

Scale = Literal["group", "batch", "none"]


def combine_rewards(rewards_per_func: Tensor, weights: Tensor | list[float]) -> Tensor:
    """Returns each completion's weighted sum of rewards, Σ_k w_k r_k, without those that are NaN. [B, K], [K] → [B]

    NaN for a completion whose rewards are all NaN. The weight of a reward that is NaN is not passed on to the others,
    as in TRL.

    Raises:
        ValueError: shapes that do not fit, an infinite reward.

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
    """Returns how much better each completion is than its group: (r - mean(group)) / (std + ε). [B] → [B]

    Shao et al. 2024 (arXiv:2402.03300), section 4.1.2; without the division it is Dr. GRPO's (Liu et al. 2025,
    arXiv:2503.20783). A reward of NaN is left out of mean and standard deviation, and has the advantage 0; so has a
    reward that is the only one in its group.

    Args:
        rewards: r, one for each completion, [B], the completions of one group next to each other.
        group_size: G; it must divide B.
        scale: whether to divide by the standard deviation of the ``group``, of the ``batch``, or not at all (``none``).
        eps: ε, added to the deviation.
        unbiased: True: the deviation of a sample, with n - 1, as TRL's; False: of a population, with n.

    Raises:
        ValueError: rewards that are not [B], an infinite reward, a group size that does not divide B, an unknown scale.

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
    """Returns advantages of rewards that are normalised one by one before they are added up. [B, K], [K] → [B]

    GDPO (Liu et al. 2026, arXiv:2601.05242). Each reward becomes (r - mean) / (std + ε) within its group; the weighted
    sum of these is normalised in the same way over the batch. So a reward counts as its weight says, however little it
    varies. NaN is treated as in :func:`group_advantages`.

    Args:
        rewards_per_func: r, [B, K], the completions of one group next to each other.
        weights: w, [K].
        group_size: G; it must divide B.
        eps: ε, added to each deviation.

    Raises:
        ValueError: shapes that do not fit, an infinite reward, a group size that does not divide B.
    """
    if rewards_per_func.dim() != 2:
        raise ValueError(f"rewards_per_func must be [B, K], not {list(rewards_per_func.shape)}.")
    columns = rewards_per_func.unbind(dim=1)
    normalised = [_normalised(_grouped(column, group_size), eps).reshape(-1) for column in columns]
    rewards = combine_rewards(torch.stack(normalised, dim=1), weights)
    # a completion with rewards, each of them alone in its group, has the sum 0; only one without any reward has NaN
    scored = ~rewards_per_func.isnan().all(dim=1)
    rewards = torch.where(scored, rewards.nan_to_num(nan=0.0), rewards)
    return _normalised(rewards.reshape(1, -1), eps).reshape(-1).nan_to_num(nan=0.0)


def _normalised(groups: Tensor, eps: float) -> Tensor:
    """Returns (r - mean) / (std + ε) within each row. [N, G] → [N, G]"""
    return (groups - groups.nanmean(dim=1, keepdim=True)) / (_deviation(groups, True) + eps)


def _grouped(rewards: Tensor, group_size: int) -> Tensor:
    rewards = as_numbers(rewards)
    if rewards.dim() != 1:
        raise ValueError(f"rewards must be [B], not {list(rewards.shape)}.")
    if group_size < 1 or rewards.numel() % group_size:
        raise ValueError(f"{rewards.numel()} rewards do not divide into groups of {group_size}.")
    return rewards.view(-1, group_size)


def _deviation(groups: Tensor, unbiased: bool) -> Tensor:
    """Returns each row's standard deviation without its NaN, sqrt(Σ (r - mean)² / (n - 1)). [N, G] → [N, 1]

    NaN for a row with too few numbers, but 0 if G is 1.
    """
    if groups.shape[1] == 1:
        return torch.zeros_like(groups)
    known = (~groups.isnan()).sum(dim=1, keepdim=True).to(groups.dtype)
    squares = (groups - groups.nanmean(dim=1, keepdim=True)).square().nansum(dim=1, keepdim=True)
    degrees = known - 1 if unbiased else known
    return torch.where(degrees > 0, squares / degrees.clamp(min=1), torch.nan).sqrt()
