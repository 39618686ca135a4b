"""How far the policy has moved from the one that sampled, and which tokens and completions still count.

B completions, T tokens. π_θ is the policy in training, and π_old is the policy that sampled, as the training engine
computes it. π_sampling is the same policy as the engine that generated the completions computes it, such as vLLM.
"""

from typing import Literal, get_args

import torch
from torch import Tensor

from grpo_rewards.loss.shapes import as_per_token, check_shape, checks_shapes, masked, quotes_its_call

__all__ = ["high_entropy_mask", "importance_sampling_ratio", "log_ratio", "off_policy_mask"]

Level = Literal["token", "sequence", "sequence_token"]
Correction = Literal["token_truncate", "token_mask", "sequence_truncate", "sequence_mask"]


@checks_shapes
def log_ratio(logps: Tensor, old_logps: Tensor, mask: Tensor, level: Level = "token") -> Tensor:
    """Returns log π_θ - log π_old for each token, or its mean over the tokens of each completion.

    The exponential of the mean, the geometric mean of the tokens' ratios, is GSPO's ratio s of a completion (Zheng et
    al. 2025, arXiv:2507.18071, equation 7)::

        s_i = (π_θ(o_i) / π_old(o_i))^(1/|o_i|)          by sequence
        s_it = sg(s_i) π_θ(o_it) / sg(π_θ(o_it))         by sequence_token (equation 14)

    The second has the value of the first for every token, but the gradient of that token alone, so that the tokens of a
    completion may have advantages of their own. TRL 1.16 has the levels ``token`` and ``sequence``.

    Args:
        logps: log π_θ of each token, [B, T].
        old_logps: log π_old of each token, [B, T]; no gradient goes through it, even where it is ``logps`` itself.
        mask: 1 for tokens that count, [B, T].
        level: ``token``, ``sequence`` or ``sequence_token``.

    Returns:
        [B, T], 0 where the mask is 0; by sequence [B, 1], 0 for a completion whose mask is all 0.

    Raises:
        ValueError: shapes that do not fit, an unknown level.
    """
    if level not in get_args(Level):
        raise ValueError(f"importance_sampling_level must be one of {', '.join(get_args(Level))}, not {level!r}.")
    per_token = masked(logps - old_logps.detach(), mask)
    if level == "token":
        return per_token
    mean = per_token.sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True).clamp(min=1)
    if level == "sequence":
        return mean
    return masked(mean.detach() + logps - logps.detach(), mask)


@quotes_its_call
def off_policy_mask(
    logps: Tensor, sampling_logps: Tensor, advantages: Tensor, mask: Tensor, threshold: float
) -> Tensor:
    """Returns 0 for each completion with a negative advantage that the policy has moved away from, else 1.

    A completion is kept where A ≥ 0 or mean_t(log π_sampling - log π_θ) ≤ threshold (DeepSeek-V3.2, arXiv:2512.02556).

    Args:
        logps: log π_θ of each token, [B, T].
        sampling_logps: log π_sampling of each token, [B, T]; a token for which it is NaN counts as not having moved.
        advantages: A, [B], [B, 1] or [B, T].
        mask: 1 for tokens that count, [B, T].
        threshold: the greatest mean difference that is kept, in nats.

    Returns:
        [B, 1], or [B, T] if the advantages are [B, T]; without a gradient.

    Raises:
        ValueError: shapes that do not fit.
    """
    check_shape("sampling_logps", sampling_logps, logps.shape)
    check_shape("mask", mask, logps.shape)
    advantages = as_per_token("advantages", advantages, *logps.shape)
    moved = masked((sampling_logps - logps.detach()).nan_to_num(nan=0.0), mask)
    distance = moved.sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True).clamp(min=1)
    return ((advantages >= 0) | (distance <= threshold)).to(logps.dtype)


@quotes_its_call
def high_entropy_mask(entropies: Tensor, mask: Tensor, quantile: float, everywhere: Tensor | None = None) -> Tensor:
    """Returns 1 for the tokens with the highest entropies, a share ``quantile`` of those that count, else 0.

    Only these tokens, at which the text could go several ways, then learn (Wang et al. 2025, arXiv:2506.01939). Their
    entropy is at least the (1 - quantile) quantile, found by linear interpolation.

    Args:
        entropies: the entropy of each token's distribution, [B, T].
        mask: 1 for tokens that count, [B, T].
        quantile: the share of tokens that learn, above 0 and at most 1.
        everywhere: the entropies to take the quantile of, [N]; with several ranks give those of all. ``None``: those in
            ``entropies`` that count.

    Returns:
        [B, T].

    Raises:
        ValueError: shapes that do not fit, a quantile that is not above 0 and at most 1.
    """
    check_shape("mask", mask, entropies.shape)
    if not 0 < quantile <= 1:
        raise ValueError(f"top_entropy_quantile must be above 0 and at most 1, not {quantile}.")
    counted = mask != 0
    pool = entropies[counted] if everywhere is None else everywhere
    if pool.numel() == 0:
        return torch.zeros_like(entropies)
    threshold = torch.quantile(pool.detach().float(), 1 - quantile)
    return ((entropies >= threshold) & counted).to(entropies.dtype)


@checks_shapes
def importance_sampling_ratio(
    old_logps: Tensor,
    sampling_logps: Tensor,
    mask: Tensor,
    correction: Correction,
    low: float | None = None,
    high: float | None = None,
) -> Tensor:
    """Returns π_old / π_sampling, which corrects for an engine that samples with slightly other probabilities.

    Truncated it is from Yao et al. 2025, "Your efficient RL framework secretly brings you off-policy RL training";
    masked, from IcePop and MIS. The ratio of a completion is the product of its tokens' ratios.

    Args:
        old_logps: log π_old of each token, [B, T].
        sampling_logps: log π_sampling of each token, [B, T]; a token for which it is NaN has the ratio 1.
        mask: 1 for tokens that count, [B, T].
        correction: ``token_truncate``, ``token_mask``, ``sequence_truncate`` or ``sequence_mask``. The first word names
            whether each token has a ratio or each completion; a ratio outside [low, high] is truncated to the nearer
            bound, or masked, which is 0.
        low: the lower bound; ``None``: none.
        high: the upper bound; ``None``: none.

    Returns:
        By token [B, T], where the mask is 0 as for a ratio of 1; by sequence [B, 1].

    Raises:
        ValueError: shapes that do not fit, an unknown correction, a truncation without bounds.
    """
    difference = masked(old_logps - sampling_logps, mask).nan_to_num(nan=0.0)
    if correction not in get_args(Correction):
        raise ValueError(f"correction must be one of {', '.join(get_args(Correction))}, not {correction!r}.")
    level, _, how = correction.partition("_")
    ratio = (difference.sum(dim=1, keepdim=True) if level == "sequence" else difference).exp()
    if how == "truncate" and low is None and high is None:
        raise ValueError("a truncation needs a bound: give low, high or both.")
    bounded = ratio.clamp(-torch.inf if low is None else low, torch.inf if high is None else high)
    return bounded if how == "truncate" else ratio.masked_fill(ratio != bounded, 0.0)
