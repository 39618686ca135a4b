"""The loss types by name: which surrogate each one has, and which aggregation.

A new one needs a function in ``SURROGATES`` or ``AGGREGATIONS``, with the arguments of those that are there, and its
pair of names in ``LOSS_TYPES``. The first sentence of these functions ends with their equation: a ``LossMismatch``
quotes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from torch import Tensor

from grpo_rewards.loss.aggregation import length_scaled, over_constant, over_window, per_sequence, per_token
from grpo_rewards.loss.surrogates import (
    cispo_surrogate,
    clipped_surrogate,
    gamma_weights,
    sapo_surrogate,
    weighted_surrogate,
)

__all__ = [
    "AGGREGATIONS",
    "CLIPPED_ABOVE",
    "CLIPPED_BELOW",
    "LOSS_TYPES",
    "SURROGATES",
    "Batch",
    "LossType",
    "Options",
    "parts_of",
]

LossType = Literal["grpo", "bnpo", "dr_grpo", "dapo", "luspo", "cispo", "sapo", "vespo"]

# loss type: (surrogate, aggregation)
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


class Options(NamedTuple):
    """The options of ``grpo_loss`` that one surrogate or aggregation reads. They are explained there."""

    epsilon: float
    epsilon_high: float
    delta: float | None
    sapo_temperature_pos: float
    sapo_temperature_neg: float
    vespo_k_pos: float
    vespo_lambda_pos: float
    vespo_k_neg: float
    vespo_lambda_neg: float
    max_completion_length: int | None
    window_tokens: Tensor | float | None
    world_size: int


def parts_of(loss_type: str) -> tuple[str, str]:
    """Returns the names of a loss type's surrogate and aggregation. ValueError if one of the three is unknown."""
    if loss_type not in LOSS_TYPES:
        raise ValueError(f"loss_type must be one of {', '.join(LOSS_TYPES)}, not {loss_type!r}.")
    surrogate, aggregation = LOSS_TYPES[loss_type]
    if surrogate not in SURROGATES:
        known = ", ".join(SURROGATES)
        raise ValueError(f"'{loss_type}' has the unknown surrogate {surrogate!r}. Known: {known}.")
    if aggregation not in AGGREGATIONS:
        known = ", ".join(AGGREGATIONS)
        raise ValueError(f"'{loss_type}' has the unknown aggregation {aggregation!r}. Known: {known}.")
    return surrogate, aggregation


def _clipped(batch: Batch, options: Options) -> Tensor:
    """PPO's clip: -min(min(R, δ) A, clip(R, 1 - ε, 1 + ε_high) A)."""
    epsilon, epsilon_high, delta = options.epsilon, options.epsilon_high, options.delta
    return clipped_surrogate(batch.ratio, batch.advantages, epsilon, epsilon_high, delta)


def _cispo(batch: Batch, options: Options) -> Tensor:
    """A clipped weight: -sg(min(R, ε_high)) A log π_θ."""
    return cispo_surrogate(batch.ratio, batch.advantages, batch.logps, ceiling=options.epsilon_high)


def _sapo(batch: Batch, options: Options) -> Tensor:
    """A sigmoid: -4/τ σ(τ (R - 1)) A with τ by the sign of A."""
    temperature_pos, temperature_neg = options.sapo_temperature_pos, options.sapo_temperature_neg
    return sapo_surrogate(batch.ratio, batch.advantages, temperature_pos, temperature_neg)


def _vespo(batch: Batch, options: Options) -> Tensor:
    """A weight of each completion: -φ(w) A log π_θ with φ(w) = w^k exp(λ (1 - w)), w = Π_t π_θ / π_sampling."""
    weights = gamma_weights(
        batch.log_ratio,
        batch.advantages,
        batch.mask,
        k_pos=options.vespo_k_pos,
        lambda_pos=options.vespo_lambda_pos,
        k_neg=options.vespo_k_neg,
        lambda_neg=options.vespo_lambda_neg,
        importance_ratio=batch.importance_ratio,
    )
    return weighted_surrogate(weights, batch.advantages, batch.logps)


def _per_sequence(tokens: Tensor, mask: Tensor, options: Options) -> Tensor:
    """Every completion weighs the same: 1/B Σ_i 1/|o_i| Σ_t l_it."""
    return per_sequence(tokens, mask)


def _per_token(tokens: Tensor, mask: Tensor, options: Options) -> Tensor:
    """Every token of the micro-batch weighs the same: Σ_it l_it / Σ_i |o_i|."""
    return per_token(tokens, mask)


def _length_scaled(tokens: Tensor, mask: Tensor, options: Options) -> Tensor:
    """A completion weighs in proportion to its length: 1/B Σ_i Σ_t l_it."""
    return length_scaled(tokens, mask)


def _over_constant(tokens: Tensor, mask: Tensor, options: Options) -> Tensor:
    """No weight depends on a length: Σ_it l_it / (B · L) with L the greatest length."""
    if options.max_completion_length is None:
        raise ValueError("over_constant (dr_grpo) divides by the greatest length: give max_completion_length.")
    return over_constant(tokens, mask, options.max_completion_length)


def _over_window(tokens: Tensor, mask: Tensor, options: Options) -> Tensor:
    """Every token of the window weighs the same: W Σ_it l_it / N with N the tokens of the whole accumulation window."""
    window_tokens = options.window_tokens
    window = mask.sum().clamp(min=1) if window_tokens is None else window_tokens
    return over_window(tokens, mask, window, options.world_size)


def _below_epsilon(batch: Batch, options: Options) -> Tensor:
    """True where the ratio is below 1 - ε and the advantage negative, so that the clip stops the gradient."""
    return (_bounded(batch, options) < 1 - options.epsilon) & (batch.advantages < 0)


def _above_epsilon_high(batch: Batch, options: Options) -> Tensor:
    """True where the ratio is above 1 + ε_high and the advantage positive, so that the clip stops the gradient."""
    return (_bounded(batch, options) > 1 + options.epsilon_high) & (batch.advantages > 0)


def _above_ceiling(batch: Batch, options: Options) -> Tensor:
    """True where CISPO's ratio is above ε_high, its ceiling, and the advantage positive."""
    return (batch.ratio > options.epsilon_high) & (batch.advantages > 0)


def _bounded(batch: Batch, options: Options) -> Tensor:
    return batch.ratio if options.delta is None else batch.ratio.clamp(max=options.delta)


# surrogate: the loss of each token, [B, T], or [B, 1] where a completion's tokens share it
SURROGATES: dict[str, Callable[[Batch, Options], Tensor]] = {
    "clipped": _clipped,
    "cispo": _cispo,
    "sapo": _sapo,
    "vespo": _vespo,
}
# aggregation: from the loss of each token, [B, T], and the mask, [B, T], to one number
AGGREGATIONS: dict[str, Callable[[Tensor, Tensor, Options], Tensor]] = {
    "per_sequence": _per_sequence,
    "per_token": _per_token,
    "length_scaled": _length_scaled,
    "over_constant": _over_constant,
    "over_window": _over_window,
}
# surrogate: where it clips a ratio that is too small, and where one that is too great; no clip for one that is not here
CLIPPED_BELOW: dict[str, Callable[[Batch, Options], Tensor]] = {"clipped": _below_epsilon}
CLIPPED_ABOVE: dict[str, Callable[[Batch, Options], Tensor]] = {"clipped": _above_epsilon_high, "cispo": _above_ceiling}
