"""The tensors that a loss is computed from: checked, with 0 wherever the mask is 0, and with their ratios."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from grpo_rewards.loss.ratios import Level, log_ratio
from grpo_rewards.loss.shapes import (
    ShapeError,
    as_per_token,
    check_binary,
    check_logps,
    check_masked,
    check_shape,
    check_tensor,
    masked,
)

__all__ = ["Batch", "checked_batch"]


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
    for name, tensor in {"logps": logps, "advantages": advantages, "mask": mask, **given}.items():
        if tensor is not None:
            check_tensor(name, tensor)
    if not logps.is_floating_point():
        raise ValueError(f"logps must hold log-probabilities, not {logps.dtype}; these look like ids.")
    if logps.dim() != 2 or not logps.shape[0]:
        raise ShapeError(f"logps must be [B, T] with at least one completion, not {list(logps.shape)}.")
    check_shape("mask", mask, (logps.shape[0], logps.shape[1]))
    check_binary(mask)
    logps = _counted("logps", logps, mask)
    known = {name: None if tensor is None else _counted(name, tensor, mask) for name, tensor in given.items()}
    advantages = _counted("advantages", advantages, mask)
    check_logps("logps", logps, mask)
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
        tensor = as_per_token(name, tensor, mask.shape[0], mask.shape[1])
    else:
        check_shape(name, tensor, (mask.shape[0], mask.shape[1]))
    counted = mask if tensor.shape == mask.shape else mask.any(dim=1, keepdim=True)
    if name != "sampling_logps":  # an engine may not know all of them
        check_masked(name, tensor, counted)
    return masked(tensor if name in ("logps", "entropies") else tensor.detach(), counted)
