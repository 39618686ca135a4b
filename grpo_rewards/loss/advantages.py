"""From rewards to advantages. B completions, G in each group, K rewards. A reward of ``None`` is NaN in a tensor."""

from typing import Literal

import torch
from torch import Tensor

from grpo_rewards.loss.groups import grouped
from grpo_rewards.loss.shapes import ShapeError, as_numbers, check_dimensions, check_shape, quotes_its_call

__all__ = ["combine_rewards", "group_advantages", "process_advantages", "separate_advantages"]

Scale = Literal["group", "batch", "none"]


@quotes_its_call
def combine_rewards(rewards_per_func: Tensor, weights: Tensor | list[float]) -> Tensor:
    """Returns each completion's weighted sum of rewards, Σ_k w_k r_k, without those that are NaN. [B, K], [K] → [B]

    NaN for a completion whose rewards are all NaN. The weight of a reward that is NaN is not passed on to the others,
    as in TRL.

    Raises:
        ValueError: shapes that do not fit, an infinite reward.

    >>> combine_rewards(torch.tensor([[1.0, 0.5], [float("nan"), 0.5]]), [1.0, 0.2])
    tensor([1.1000, 0.1000])
    """
    check_dimensions("rewards_per_func", rewards_per_func, "BK")
    rewards_per_func = as_numbers(rewards_per_func)
    weights = torch.as_tensor(weights, dtype=rewards_per_func.dtype, device=rewards_per_func.device)
    check_shape("weights", weights, rewards_per_func.shape[1:])
    total = (rewards_per_func * weights).nansum(dim=1)
    return total.masked_fill(rewards_per_func.isnan().all(dim=1), torch.nan)


@quotes_its_call
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
    groups = grouped(rewards, group_size)
    if scale not in ("group", "batch", "none"):
        raise ValueError(f"scale must be 'group', 'batch' or 'none', not {scale!r}.")
    advantages = groups - groups.nanmean(dim=1, keepdim=True)
    if scale != "none":
        scaled_by = groups if scale == "group" else groups.reshape(1, -1)
        advantages = advantages / (_deviation(scaled_by, unbiased) + eps)
    return advantages.reshape(-1).nan_to_num(nan=0.0)


@quotes_its_call
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
    check_dimensions("rewards_per_func", rewards_per_func, "BK")
    normalised = [_normalised(grouped(one, group_size), eps).reshape(-1) for one in rewards_per_func.unbind(dim=1)]
    # a completion with rewards, each of them alone in its group, has the sum 0; only one without any reward has NaN
    rewards = combine_rewards(torch.stack(normalised, dim=1).nan_to_num(nan=0.0), weights)
    rewards = rewards.masked_fill(rewards_per_func.isnan().all(dim=1), torch.nan)
    return _normalised(rewards.unsqueeze(0), eps).squeeze(0).nan_to_num(nan=0.0)


@quotes_its_call
def process_advantages(step_rewards: Tensor, group_size: int, eps: float = 1e-4, *, unbiased: bool = True) -> Tensor:
    """Returns each token's sum of the normalised rewards of the steps that end at it or later. [B, T] → [B, T]

        Â_it = Σ_{index(j) ≥ t} (r_i^index(j) - mean(R)) / (std(R) + ε)

    Process supervision (Shao et al. 2024, arXiv:2402.03300, section 4.1.3, which has no ε). R is all rewards of all
    steps of the group, so a completion of many steps weighs more in mean and deviation. Tokens behind the last step
    have the advantage 0; let the last step end at the last token if they are to learn. A step alone in its group has
    0, too.

    Args:
        step_rewards: r, [B, T], the completions of one group next to each other: at the last token of each step its
            reward, NaN at all other tokens.
        group_size: G; it must divide B.
        eps: ε, added to the deviation.
        unbiased: True: the deviation of a sample, with n - 1; False: of a population, with n.

    Returns:
        Advantages as ``grpo_loss`` and TRL's ``_compute_loss`` take them, [B, T].

    Raises:
        ValueError: rewards that are not [B, T], an infinite reward, a group size that does not divide B.

    >>> none = float("nan")
    >>> process_advantages(torch.tensor([[none, 1.0, 0.0], [none, 1.0, 1.0]]), group_size=2, eps=0.0)
    tensor([[-1.0000, -1.0000, -1.5000],
            [ 1.0000,  1.0000,  0.5000]])
    """
    check_dimensions("step_rewards", step_rewards, "BT")
    rows, tokens = step_rewards.shape
    if group_size < 1 or rows % group_size:
        raise ShapeError(f"{rows} completions do not divide into groups of {group_size}.")
    steps = as_numbers(step_rewards).reshape(-1, group_size * tokens)
    return _normalised(steps, eps, unbiased).nan_to_num(nan=0.0).view(rows, tokens).flip(1).cumsum(1).flip(1)


def _normalised(groups: Tensor, eps: float, unbiased: bool = True) -> Tensor:
    """Returns (r - mean) / (std + ε) within each row. [N, G] → [N, G]"""
    return (groups - groups.nanmean(dim=1, keepdim=True)) / (_deviation(groups, unbiased) + eps)


def _deviation(groups: Tensor, unbiased: bool) -> Tensor:
    """Returns each row's standard deviation without its NaN, sqrt(Σ (r - mean)² / (n - 1)). [N, G] → [N, 1]

    NaN for a row with less than two numbers.
    """
    known = (~groups.isnan()).sum(dim=1, keepdim=True).to(groups.dtype)
    squares = (groups - groups.nanmean(dim=1, keepdim=True)).square().nansum(dim=1, keepdim=True)
    degrees = known - 1 if unbiased else known
    return (squares / degrees).sqrt()
