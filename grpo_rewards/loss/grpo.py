"""The loss of GRPO and its relatives, put together from the functions beside this file."""

from __future__ import annotations

import inspect
import warnings
from functools import cache, reduce
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grpo_rewards.loss.kl import kl_k3
from grpo_rewards.loss.loss_types import FORMULAS, LOSS_TYPES, Formula, LossType
from grpo_rewards.loss.ratios import Level, log_ratio, off_policy_mask
from grpo_rewards.loss.shapes import (
    ShapeError,
    as_per_token,
    check_binary,
    check_logps,
    check_not_nan,
    check_shape,
    check_tensor,
    masked,
    quotes_its_call,
)

__all__ = ["LOSS_TYPES", "GRPOLoss", "grpo_loss"]


class GRPOLoss(NamedTuple):
    """What :func:`grpo_loss` returns: scalar tensors, of which only ``loss`` has a gradient.

    Attributes:
        loss: what is minimised; summed over ``accumulation_steps`` micro-batches it is the loss of the window.
        policy_loss: the loss before it is divided by the accumulation steps, and without the entropy bonus.
        kl: the mean of the KL estimate over the tokens that count, in nats; 0 if ``beta`` is 0.
        clip_low: the share of tokens (by sequence, of completions) that the lower clip stops: a ratio below its bound
            and a negative advantage. 0 if the surrogate has no such clip.
        clip_high: the same of the upper clip: a ratio above its bound and a positive advantage.
        entropy: the mean entropy over the tokens that count, in nats; 0 if none is given.
    """

    loss: Tensor
    policy_loss: Tensor
    kl: Tensor
    clip_low: Tensor
    clip_high: Tensor
    entropy: Tensor


@quotes_its_call
def grpo_loss(
    logps: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    old_logps: Tensor | None = None,
    ref_logps: Tensor | None = None,
    loss_type: LossType = "dapo",
    importance_sampling_level: Level = "token",
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
    """Returns the loss of one micro-batch, for GRPO and each of its relatives, with the metrics that go with it.

    With the ratio R = π_θ / π_old, by token or by sequence, and the advantages A::

        tokens = m · w · surrogate(R, A) + β [R] k3
        loss = (aggregate(tokens) - entropy_coef · mean entropy) / accumulation_steps

    ``formulas.py`` has the equation of each loss type, its gradient and its paper, and ``LOSS_TYPES`` its surrogate and
    aggregation. m is 0 for completions that ``off_policy_threshold`` drops and tokens that ``entropy_mask`` drops, else
    1. w is ``importance_ratio``, but 1 for ``vespo``, whose surrogate has it already. The factor [R] of the KL is there
    with ``bias_correction_kl`` (DeepSeek-V3.2, arXiv:2512.02556, equation 7): it makes the gradient of a token's KL
    R log(π_θ / π_ref), that of the KL itself without bias, where that of k3 alone is 1 - π_ref / π_θ. An aggregate
    ``over_window`` is not divided by the accumulation steps, for the tokens it is divided by are those of all their
    micro-batches. No gradient goes through anything but ``logps`` and ``entropies``.

    Where the mask is 0 nothing counts, not even NaN. A completion whose mask is all 0 adds 0, but is still one of the B
    completions that ``per_sequence``, ``length_scaled`` and ``over_constant`` divide by.

    Args:
        logps: log π_θ of each token, [B, T], with the gradient.
        advantages: A, [B] or [B, 1] for one per completion, or [B, T].
        mask: 1 for tokens that count, else 0, [B, T].
        old_logps: log π_old, [B, T]; ``None``: on policy, so R is 1, with the gradient of log π_θ.
        ref_logps: log π_ref, [B, T]; needed if ``beta`` is not 0.
        loss_type: a key of ``LOSS_TYPES``.
        importance_sampling_level: ``token``: each token has its ratio; ``sequence``: each completion has one (GSPO);
            ``sequence_token``: as sequence, but each token with its own gradient (GSPO-token), see :func:`log_ratio`.
        epsilon: ε, at least 0: the clip's lower bound is 1 - ε.
        epsilon_high: ε_high: the clip's upper bound is 1 + ε_high; ``None``: ε. **For** ``cispo`` the bound is ε_high
            itself, as in TRL: give it, such as 5.0. With ``None`` it is ε = 0.2, a bound that on policy *every* token
            meets, which leaves a fifth of the gradient that ``dapo`` has; that is warned of.
        delta: δ, a bound on the ratio outside the clip. From 1 + ε_high up it matters for negative advantages alone.
            ``None``: no bound.
        beta: β, the weight of the KL; 0: no KL.
        bias_correction_kl: whether the KL of a token is multiplied by R. It is not by default, as in DeepSeekMath;
            TRL 1.16's ``use_bias_correction_kl`` is ``True`` by default.
        max_completion_length: L of ``over_constant``, in tokens; needed for ``dr_grpo``.
        window_tokens: N of ``over_window``, the tokens that count in the accumulation window on all ranks; ``None``:
            those of this micro-batch.
        world_size: W of ``over_window``, the number of ranks.
        accumulation_steps: the number of micro-batches in an accumulation window.
        entropies: the entropy of each token's distribution, [B, T], in nats; needed if ``entropy_coef`` is not 0.
        entropy_mask: 1 for tokens that learn, [B, T], see :func:`high_entropy_mask`; ``None``: all do.
        entropy_coef: the weight of the entropy bonus; 0: none.
        sampling_logps: log-probabilities by the engine that sampled, [B, T], for ``off_policy_threshold``; NaN where it
            has none; ``None``: ``old_logps``.
        off_policy_threshold: the threshold of :func:`off_policy_mask`; ``None``: no completion is dropped.
        importance_ratio: π_old / π_sampling, [B], [B, 1] or [B, T], see :func:`importance_sampling_ratio`; ``None``: 1.
        sapo_temperature_pos, sapo_temperature_neg: see :func:`sapo_surrogate`.
        vespo_k_pos, vespo_lambda_pos, vespo_k_neg, vespo_lambda_neg: see :func:`gamma_weights`.

    Raises:
        TypeError: a list or an array where a tensor is wanted.
        ValueError: shapes that do not fit; no completions; an unknown loss type; a mask of other numbers than 0 and 1;
            NaN where the mask is 1, except in ``sampling_logps``; probabilities or ids in place of log-probabilities; a
            number out of range; an argument that is needed and ``None``.

    >>> loss = grpo_loss(torch.zeros(2, 3), torch.tensor([1.0, -1.0]), torch.ones(2, 3), loss_type="grpo")
    >>> float(loss.loss)  # on policy it is minus the mean advantage
    0.0
    """
    if loss_type not in FORMULAS:
        gspo = " GSPO is 'grpo' with importance_sampling_level='sequence'." if "gspo" in str(loss_type) else ""
        raise ValueError(f"loss_type must be one of {', '.join(FORMULAS)}, not {loss_type!r}.{gspo}")
    if epsilon < 0 or beta < 0 or accumulation_steps < 1 or world_size < 1:
        raise ValueError("epsilon and beta must be 0 or more, accumulation_steps and world_size at least 1.")
    if loss_type == "cispo" and epsilon_high is None and not torch.compiler.is_compiling():
        warnings.warn(
            "cispo bounds the ratio at epsilon_high itself; give it, such as 5.0. Without it every token on policy is "
            f"bounded, at {epsilon}, as in TRL.",
            stacklevel=3,  # whoever called, past the wrapper
        )
    batch = checked_batch(
        logps,
        advantages,
        mask,
        importance_sampling_level,
        old_logps=old_logps,
        ref_logps=ref_logps,
        sampling_logps=sampling_logps,
        entropies=entropies,
        entropy_mask=entropy_mask,
        importance_ratio=importance_ratio,
    )
    high = epsilon if epsilon_high is None else epsilon_high
    formula, kl = FORMULAS[loss_type], _kl(batch, beta, bias_correction_kl)
    needed = _needed(formula)
    known: dict[str, Any] = {
        **batch._asdict(),
        "epsilon": epsilon,
        "epsilon_high": high,
        "delta": delta,
        "sapo_temperature_pos": sapo_temperature_pos,
        "sapo_temperature_neg": sapo_temperature_neg,
        "vespo_k_pos": vespo_k_pos,
        "vespo_lambda_pos": vespo_lambda_pos,
        "vespo_k_neg": vespo_k_neg,
        "vespo_lambda_neg": vespo_lambda_neg,
        "max_completion_length": max_completion_length,
        "window_tokens": window_tokens,
        "world_size": world_size,
        "weights": _weights(batch, off_policy_threshold, "importance_ratio" in needed),
        "penalty": beta * kl if beta else None,
    }
    passed = {*needed, "weights", "penalty"}  # which a formula must take, lest they are left out in silence
    given = {name: value for name, value in known.items() if name in passed and value is not None}
    for name, is_needed in needed.items():
        if is_needed and name not in given:
            raise ValueError(f"the loss type '{loss_type}' cannot do without it: give {name}.")
    whole = formula(**given)
    # what is divided by the tokens of the window is divided by its steps already
    loss = whole if "window_tokens" in needed else whole / accumulation_steps
    if entropy_coef:
        loss = loss - entropy_coef * _mean_learning_entropy(batch) / accumulation_steps
    too_low, too_high = _outside(LOSS_TYPES[loss_type][0], batch.ratio, epsilon, high, delta)
    return GRPOLoss(
        loss,
        whole.detach(),
        _mean(kl, mask).detach(),
        _mean((too_low & (batch.advantages < 0)).to(logps), mask),
        _mean((too_high & (batch.advantages > 0)).to(logps), mask),
        logps.new_zeros(()) if batch.entropies is None else _mean(batch.entropies, mask).detach(),
    )


@cache
def _needed(formula: Formula) -> dict[str, bool]:
    """Returns the names of a formula's parameters, and of each whether it must be given."""
    parameters = inspect.signature(formula).parameters
    return {name: parameter.default is parameter.empty for name, parameter in parameters.items()}


def _weights(batch: Batch, off_policy_threshold: float | None, own_ratio: bool) -> Tensor | None:
    """Returns m · w, [B, T] or [B, 1]; ``None`` if there are neither.

    w is left out for a loss type that has the importance ratio in its own equation (``own_ratio``).
    """
    factors = [batch.entropy_mask, None if own_ratio else batch.importance_ratio]
    if off_policy_threshold is not None:
        sampled = batch.old_logps if batch.sampling_logps is None else batch.sampling_logps
        factors.append(off_policy_mask(batch.logps, sampled, batch.advantages, batch.mask, off_policy_threshold))
    given = [one for one in factors if one is not None]
    return reduce(torch.mul, given) if given else None


def _kl(batch: Batch, beta: float, bias_correction_kl: bool) -> Tensor:
    """Returns the KL estimate of each token, [R] k3, [B, T]; zeros if β is 0."""
    if not beta:
        return torch.zeros_like(batch.logps)
    if batch.ref_logps is None:
        raise ValueError(f"beta is {beta}, so the KL needs ref_logps.")
    return kl_k3(batch.logps, batch.ref_logps) * (batch.ratio if bias_correction_kl else 1)


def _mean_learning_entropy(batch: Batch) -> Tensor:
    """Returns the mean entropy over the tokens that count and learn, a scalar."""
    if batch.entropies is None:
        raise ValueError("an entropy bonus needs the entropies.")
    learning = batch.mask if batch.entropy_mask is None else batch.mask * batch.entropy_mask
    return _mean(batch.entropies, learning)


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    """Returns the mean of [B, T] over the tokens that count, or of [B, 1] over all completions."""
    if values.shape[1] == 1 and mask.shape[1] != 1:
        return values.mean()
    return masked(values, mask).sum() / mask.sum().clamp(min=1)


def _outside(
    surrogate: str, ratio: Tensor, epsilon: float, epsilon_high: float, delta: float | None
) -> tuple[Tensor, Tensor]:
    """Returns where the ratio is below the clip of a surrogate, and where above it: nowhere if that has no clip."""
    if surrogate == "clipped":
        bounded = ratio if delta is None else ratio.clamp(max=delta)
        return bounded < 1 - epsilon, bounded > 1 + epsilon_high
    nowhere = torch.zeros_like(ratio, dtype=torch.bool)
    return nowhere, ratio > epsilon_high if surrogate == "cispo" else nowhere  # whose bound is ε_high itself


class Batch(NamedTuple):
    """The tensors of one micro-batch, checked and with 0 wherever the mask is 0. [B, T] unless another shape is given.

    Attributes:
        logps: log π_θ of each token, with the gradient.
        advantages: A, [B, 1] or [B, T].
        mask: 1 for tokens that count.
        log_ratio: log π_θ - log π_old of each token.
        ratio: R = π_θ / π_old, [B, T] by token or [B, 1] by sequence.
        old_logps: log π_old.
        ref_logps: log π_ref, or ``None``.
        sampling_logps: log-probabilities by the engine that sampled, NaN where it has none, or ``None``.
        importance_ratio: π_old / π_sampling, [B, 1] or [B, T], or ``None``.
        entropies: the entropy of each token's distribution, or ``None``.
        entropy_mask: 1 for tokens that learn, or ``None``: all do.
    """

    logps: Tensor
    advantages: Tensor
    mask: Tensor
    log_ratio: Tensor
    ratio: Tensor
    old_logps: Tensor
    ref_logps: Tensor | None
    sampling_logps: Tensor | None
    importance_ratio: Tensor | None
    entropies: Tensor | None
    entropy_mask: Tensor | None


def checked_batch(logps: Tensor, advantages: Tensor, mask: Tensor, level: Level, **given: Tensor | None) -> Batch:
    """Returns the batch of these tensors: checked, with 0 wherever the mask is 0, and with the ratios.

    Raises:
        TypeError: what is no tensor.
        ValueError: shapes that do not fit, no completion, a mask of other numbers than 0 and 1, NaN at a place that
            counts, except in ``sampling_logps``; probabilities or ids in place of log-probabilities.
    """
    check_tensor("logps", logps)
    if not logps.is_floating_point():
        raise ValueError(f"logps must hold log-probabilities, not {logps.dtype}; these look like ids.")
    if logps.dim() != 2 or not logps.shape[0]:
        raise ShapeError(f"logps must be [B, T] with at least one completion, not {list(logps.shape)}.")
    check_shape("mask", mask, logps.shape)
    check_binary(mask)
    logps = _counted("logps", logps, mask)
    known = {name: None if tensor is None else _counted(name, tensor, mask) for name, tensor in given.items()}
    advantages = _counted("advantages", advantages, mask)
    check_logps(logps, mask)
    old_logps = known.pop("old_logps")
    old_logps = logps if old_logps is None else old_logps  # through which log_ratio lets no gradient
    return Batch(
        logps=logps,
        advantages=advantages,
        mask=mask,
        log_ratio=log_ratio(logps, old_logps, mask),
        ratio=log_ratio(logps, old_logps, mask, level).exp(),
        old_logps=old_logps.detach(),
        **known,
    )


def _counted(name: str, tensor: Tensor, mask: Tensor) -> Tensor:
    """Checks one tensor, and returns it with 0 wherever the mask is 0: [B, T], or [B, 1] for a value per completion.

    Such a value counts if any token of its completion does. Only the policy's own numbers keep their gradient.
    """
    if name in ("advantages", "importance_ratio"):
        tensor = as_per_token(name, tensor, *mask.shape)
    else:
        check_shape(name, tensor, mask.shape)
    counted = mask if tensor.shape == mask.shape else mask.any(dim=1, keepdim=True)
    if name != "sampling_logps":  # an engine may not know all of them
        check_not_nan(name, tensor, counted)
    return masked(tensor if name in ("logps", "entropies") else tensor.detach(), counted)
