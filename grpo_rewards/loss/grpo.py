"""The loss of GRPO and its relatives, put together from the functions beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from grpo_rewards.loss.aggregation import length_scaled, over_constant, over_window, per_sequence, per_token
from grpo_rewards.loss.kl import kl_k3
from grpo_rewards.loss.ratios import log_ratio, off_policy_mask
from grpo_rewards.loss.shapes import as_per_token, check_masked, check_shape, masked
from grpo_rewards.loss.surrogates import (
    cispo_surrogate,
    clipped_surrogate,
    gamma_weights,
    sapo_surrogate,
    weighted_surrogate,
)

__all__ = ["LOSS_TYPES", "GRPOLoss", "grpo_loss"]

# Which loss type is which surrogate, and how it goes from tokens to one number.
LOSS_TYPES: dict[str, tuple[str, str]] = {
    "grpo": ("clipped", "per_sequence"),
    "bnpo": ("clipped", "per_token"),
    "dr_grpo": ("clipped", "over_constant"),
    "dapo": ("clipped", "over_window"),
    "luspo": ("clipped", "length_scaled"),
    "cispo": ("cispo", "over_window"),
    "sapo": ("sapo", "per_sequence"),
    "vespo": ("vespo", "over_window"),
}
LossType = Literal["grpo", "bnpo", "dr_grpo", "dapo", "luspo", "cispo", "sapo", "vespo"]


class GRPOLoss(NamedTuple):
    """Scalars; only ``loss`` has a gradient.

    Attributes:
        loss: what is minimised, for one micro-batch of ``accumulation_steps``.
        policy_loss: the loss before it is divided by the accumulation steps and before the entropy bonus.
        kl: the mean of the KL estimate over the tokens that count; 0 for ``beta`` 0.
        clip_low: the share of tokens (of completions, by sequence) whose ratio is below its bound, with A < 0.
        clip_high: the share whose ratio is above its bound, with A > 0.
        entropy: the mean entropy over the tokens that count; 0 where none is given.
    """

    loss: Tensor
    policy_loss: Tensor
    kl: Tensor
    clip_low: Tensor
    clip_high: Tensor
    entropy: Tensor


def grpo_loss(
    logps: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    old_logps: Tensor | None = None,
    ref_logps: Tensor | None = None,
    loss_type: LossType = "dapo",
    importance_sampling_level: Literal["token", "sequence"] = "token",
    epsilon: float = 0.2,
    epsilon_high: float | None = None,
    delta: float | None = None,
    beta: float = 0.0,
    bias_correction_kl: bool = False,
    max_completion_length: int | None = None,
    window_tokens: Tensor | float | None = None,
    world_size: int = 1,
    accumulation_steps: int = 1,
    entropies: Tensor | None = None,
    entropy_mask: Tensor | None = None,
    entropy_coef: float = 0.0,
    sampling_logps: Tensor | None = None,
    off_policy_threshold: float | None = None,
    importance_ratio: Tensor | None = None,
    sapo_temperature_pos: float = 1.0,
    sapo_temperature_neg: float = 1.05,
    vespo_k_pos: float = 2.0,
    vespo_lambda_pos: float = 3.0,
    vespo_k_neg: float = 3.0,
    vespo_lambda_neg: float = 2.0,
) -> GRPOLoss:
    """Σ over tokens of surrogate(R, A) + β KL, aggregated as ``LOSS_TYPES`` says, minus the entropy bonus.

    With R = π_θ / π_old by token or by sequence:
    ``loss = aggregate(m · w · surrogate(R, A) + β [R] k3) / accumulation_steps - entropy_coef · mean entropy``
    where m masks completions and tokens, w is ``importance_ratio``, and the R before the KL is there with
    ``bias_correction_kl`` (DeepSeek-V3.2). Aggregation ``over_window`` is not divided by the accumulation steps, for it
    is over all of the window already.

    Places where the mask is 0 count for nothing, whatever stands there, NaN included; a completion that is masked
    altogether adds nothing, though ``per_sequence`` and the like still divide by B.

    Args:
        logps: log π_θ of each token, [B, T], with the gradient.
        advantages: [B], or [B, T].
        mask: 1 for tokens that count, [B, T].
        old_logps: log π_old, [B, T]; ``None``: on policy, R is 1 and its gradient that of log π_θ.
        ref_logps: log π_ref, [B, T]; needed where ``beta`` is not 0.
        loss_type: a key of ``LOSS_TYPES``.
        importance_sampling_level: ``token``, or ``sequence`` (GSPO).
        epsilon, epsilon_high: R is clipped to [1 - ε, 1 + ε_high]; for ``cispo`` ε_high is the greatest R itself.
        delta: a bound on R outside the clip; above 1 + ε_high it is one for negative advantages alone.
        beta: the weight of the KL.
        bias_correction_kl: whether the KL of a token is multiplied by R.
        max_completion_length: L of ``dr_grpo``.
        window_tokens: N of ``over_window``, tokens that count in the accumulation window on all ranks; by default those
            of this micro-batch.
        world_size: W of ``over_window``.
        accumulation_steps: micro-batches of a window.
        entropies: of each token, [B, T], for the bonus.
        entropy_mask: 1 for tokens that learn, [B, T]; see ``high_entropy_mask``.
        entropy_coef: the weight of the bonus.
        sampling_logps: log-probabilities by the engine that sampled, [B, T]; ``old_logps`` by default.
        off_policy_threshold: see ``off_policy_mask``; ``None`` for no mask.
        importance_ratio: π_old / π_sampling, [B, T], or [B] or [B, 1]; see ``importance_sampling_ratio``.
        sapo_temperature_pos, sapo_temperature_neg: τ of ``sapo``.
        vespo_k_pos, vespo_lambda_pos, vespo_k_neg, vespo_lambda_neg: the shape of ``vespo``'s weights.

    Raises:
        ValueError: shapes that do not fit, no completions, an unknown loss type, NaN at a place that counts (but for
            ``sampling_logps``, where it is an unknown), numbers out of range, something that is needed and not given.

    >>> loss = grpo_loss(torch.zeros(2, 3), torch.tensor([1.0, -1.0]), torch.ones(2, 3), loss_type="grpo")
    >>> float(loss.loss)  # on policy it is minus the mean advantage
    0.0
    """
    if loss_type not in LOSS_TYPES:
        raise ValueError(f"loss_type must be one of {', '.join(LOSS_TYPES)}, not {loss_type!r}.")
    if epsilon < 0 or accumulation_steps < 1 or world_size < 1:
        raise ValueError("epsilon must be 0 or more, accumulation_steps and world_size at least 1.")
    surrogate, aggregation = LOSS_TYPES[loss_type]
    exact = {"old_logps": old_logps, "ref_logps": ref_logps, "sampling_logps": sampling_logps}
    exact |= {"entropies": entropies, "entropy_mask": entropy_mask}
    either = {"advantages": advantages, "importance_ratio": importance_ratio}
    logps, old_logps, ref_logps, sampling_logps, entropies, entropy_mask, advantages, importance_ratio = _checked(  # type: ignore[assignment]
        logps, mask, exact, either
    ).values()
    if beta and ref_logps is None:
        raise ValueError(f"beta is {beta}, so the KL needs ref_logps.")
    old_logps = logps.detach() if old_logps is None else old_logps
    steps = log_ratio(logps, old_logps, mask)
    level = log_ratio(logps, old_logps, mask, importance_sampling_level)
    ratio = level.exp()
    epsilon_high = epsilon if epsilon_high is None else epsilon_high

    if surrogate == "clipped":
        tokens = clipped_surrogate(ratio, advantages, epsilon, epsilon_high, delta)
    elif surrogate == "cispo":
        tokens = cispo_surrogate(ratio, advantages, logps, epsilon_high)
    elif surrogate == "sapo":
        tokens = sapo_surrogate(ratio, advantages, sapo_temperature_pos, sapo_temperature_neg)
    else:
        shape = {
            "k_pos": vespo_k_pos,
            "lambda_pos": vespo_lambda_pos,
            "k_neg": vespo_k_neg,
            "lambda_neg": vespo_lambda_neg,
        }
        weights = gamma_weights(steps, advantages, mask, importance_ratio=importance_ratio, **shape)
        tokens = weighted_surrogate(weights, advantages, logps)

    if off_policy_threshold is not None:
        sampled = old_logps if sampling_logps is None else sampling_logps
        tokens = tokens * off_policy_mask(logps, sampled, advantages, mask, off_policy_threshold)
    if entropy_mask is not None:
        tokens = tokens * entropy_mask
    if importance_ratio is not None and surrogate != "vespo":  # whose weights hold it already
        tokens = tokens * importance_ratio
    kl = torch.zeros_like(logps)
    if beta and ref_logps is not None:
        kl = kl_k3(logps, ref_logps) * (ratio if bias_correction_kl else 1)
        tokens = tokens + beta * kl

    tokens = tokens.expand_as(mask)
    if aggregation == "per_sequence":
        whole = per_sequence(tokens, mask)
    elif aggregation == "per_token":
        whole = per_token(tokens, mask)
    elif aggregation == "length_scaled":
        whole = length_scaled(tokens, mask)
    elif aggregation == "over_constant":
        if max_completion_length is None:
            raise ValueError("dr_grpo divides by the greatest length: give max_completion_length.")
        whole = over_constant(tokens, mask, max_completion_length)
    else:
        window = mask.sum().clamp(min=1) if window_tokens is None else window_tokens
        whole = over_window(tokens, mask, window, world_size)
    loss = whole if aggregation == "over_window" else whole / accumulation_steps
    learning = mask if entropy_mask is None else mask * entropy_mask
    if entropy_coef:
        if entropies is None:
            raise ValueError("an entropy bonus needs the entropies.")
        loss = loss - entropy_coef * _mean(entropies, learning) / accumulation_steps
    return GRPOLoss(
        loss,
        whole.detach(),
        _mean(kl, mask).detach(),
        *_clipped_shares(surrogate, ratio.detach(), advantages, mask, epsilon, epsilon_high, delta),
        logps.new_zeros(()) if entropies is None else _mean(entropies, mask).detach(),
    )


def _checked(
    logps: Tensor, mask: Tensor, given: Mapping[str, Tensor | None], per_completion: Mapping[str, Tensor | None]
) -> dict[str, Tensor | None]:
    """Checks all tensors, and returns them with zeros where the mask is 0; ``per_completion``: those that may have one
    value per completion, as [B, 1] or [B, T].
    """
    if logps.dim() != 2 or not logps.shape[0]:
        raise ValueError(f"logps must be [B, T] with at least one completion, not {list(logps.shape)}.")
    shape = (logps.shape[0], logps.shape[1])
    check_shape("mask", mask, shape)
    checked: dict[str, Tensor | None] = {}
    for name, tensor in {"logps": logps, **given, **per_completion}.items():
        if tensor is not None and name in per_completion:
            tensor = as_per_token(name, tensor, *shape)
            counted = mask if tensor.shape == mask.shape else mask.any(dim=1, keepdim=True)
        elif tensor is not None:
            check_shape(name, tensor, shape)
            counted = mask
        if tensor is not None:
            if name != "sampling_logps":  # of which an engine may not know some
                check_masked(name, tensor, counted)
            tensor = masked(tensor, counted)
        checked[name] = tensor
    return checked


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    """The mean over the tokens that count; of one value per completion, over completions."""
    if values.shape[1] == 1 and mask.shape[1] != 1:
        return values.mean()
    return masked(values, mask).sum() / mask.sum().clamp(min=1)


def _clipped_shares(
    surrogate: str,
    ratio: Tensor,
    advantages: Tensor,
    mask: Tensor,
    epsilon: float,
    epsilon_high: float,
    delta: float | None,
) -> tuple[Tensor, Tensor]:
    none = ratio.new_zeros(())
    if surrogate == "cispo":
        return none, _mean(((ratio > epsilon_high) & (advantages > 0)).to(ratio.dtype), mask)
    if surrogate != "clipped":
        return none, none
    bounded = ratio if delta is None else ratio.clamp(max=delta)
    low = (bounded < 1 - epsilon) & (advantages < 0)
    high = (bounded > 1 + epsilon_high) & (advantages > 0)
    return _mean(low.to(ratio.dtype), mask), _mean(high.to(ratio.dtype), mask)
