"""Compares the loss of a ``GRPOTrainer`` with this package's while it trains."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.loss_types import AGGREGATIONS, LOSS_TYPES, SURROGATES
from grpo_rewards.loss.trl_check.expected import expected_loss, loss_settings

__all__ = ["LossMismatch", "watch_loss"]

FORWARD = "_get_per_token_logps_and_entropies"
SMALLEST = 1e-30  # the least scale of a difference: where all should be 0, anything else is wrong
METRIC = "loss_check/max_abs_diff"
# By the precision of the log-probabilities: how far the value may be off, relative to 1 or to itself if that is
# greater, and the gradient, relative to its greatest element, for in a long completion all elements are small.
RUN_TOLERANCES = {torch.float64: 1e-9, torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 5e-3}


class LossMismatch(RuntimeError):
    """TRL computed a loss, or a gradient, that is not the one that its settings ask for."""


def watch_loss(trainer: Any, every: int = 10) -> None:
    """Makes a ``GRPOTrainer`` check its loss in the first step that it trains, and then in every ``every``-th.

    Call it before ``train()``. In each micro-batch of such a step, on every rank, the loss and its gradient by the
    log-probabilities (and by the entropies, if there is an entropy bonus) are computed again from the same tensors. The
    tokens of the generation batch are counted again too. The largest difference is logged as
    ``loss_check/max_abs_diff``. Not checked is what the trainer does with the loss afterwards, such as scaling it.

    Args:
        trainer: a ``GRPOTrainer`` of TRL.
        every: the number of steps from one check to the next, at least 1.

    Raises:
        TypeError: the trainer is not one of TRL's, has a ``_compute_loss`` of its own, or is watched already.
        ValueError: ``every`` is not a whole number from 1 up, or the trainer's loss type is unknown here.
        LossMismatch: later, during training, with the settings, the first token that differs, and both numbers.
    """
    from trl import GRPOTrainer

    if not isinstance(trainer, GRPOTrainer):
        raise TypeError(f"watch_loss takes a GRPOTrainer, not {type(trainer).__name__}.")
    if type(trainer)._compute_loss is not GRPOTrainer._compute_loss or "_compute_loss" in vars(trainer):
        raise TypeError("this trainer computes its loss in a way of its own (or is watched already).")
    if not isinstance(every, int) or every < 1:
        raise ValueError(f"every must be a whole number of steps, 1 or more, not {every!r}.")
    if trainer.loss_type not in LOSS_TYPES:
        raise ValueError(f"the loss type {trainer.loss_type!r} is not known here, only {', '.join(LOSS_TYPES)}.")
    trainer._compute_loss = _Watch(trainer, every)


class _Watch:
    """Replaces ``_compute_loss`` of one trainer, with a weak reference to it, so that the trainer can be freed."""

    def __init__(self, trainer: Any, every: int) -> None:
        self.trainer = weakref.ref(trainer)
        self.every = every
        self.first: int | None = None  # the step at which the run began or was resumed

    def __call__(self, model: Any, inputs: Mapping[str, Any]) -> Tensor:
        trainer = self.trainer()
        if trainer is None:
            raise ReferenceError("the trainer whose loss was watched no longer exists.")
        step = trainer.state.global_step
        compute = type(trainer)._compute_loss
        if self.first is None or step < self.first:  # another run of the same trainer
            self.first = step
        if not trainer.model.training or (step - self.first) % self.every:
            loss: Tensor = compute(trainer, model, inputs)
            return loss
        return self._checked(trainer, compute, model, inputs, step)

    def _checked(self, trainer: Any, compute: Any, model: Any, inputs: Mapping[str, Any], step: int) -> Tensor:
        """Returns TRL's loss, after comparing it and its gradient with this package's."""
        seen = []
        had = vars(trainer).get(FORWARD)
        forward = getattr(trainer, FORWARD)

        def remember(*args: Any, **kwargs: Any) -> Any:
            seen.append(forward(*args, **kwargs))
            return seen[-1]

        settings = loss_settings(trainer)
        setattr(trainer, FORWARD, remember)
        try:
            loss: Tensor = compute(trainer, model, inputs)
        finally:
            delattr(trainer, FORWARD) if had is None else setattr(trainer, FORWARD, had)
        logps, entropies, auxiliary = seen[0]
        given = {name: value for name, value in inputs.items() if isinstance(value, Tensor)}
        leaves = [one.detach().clone().requires_grad_() for one in (logps, entropies)]
        expected = expected_loss(trainer, settings, given, *leaves).loss
        total = expected.detach()
        if trainer.aux_loss_enabled:  # of a mixture of experts; no part of GRPO
            total = total + trainer.router_aux_loss_coef * auxiliary.detach() / settings["accumulation_steps"]
        sides = ((loss, (logps, entropies)), (expected, leaves))
        theirs, mine = (_gradients(scalar, of) for scalar, of in sides)
        gradients = list(zip(theirs, mine, strict=True))
        _conclude(trainer, step, settings, (loss.detach(), total), gradients, logps.dtype)
        return loss


def _conclude(
    trainer: Any,
    step: int,
    settings: Mapping[str, Any],
    values: tuple[Tensor, Tensor],
    gradients: list[tuple[Tensor, Tensor]],
    dtype: torch.dtype,
) -> None:
    """Logs the largest difference, and raises ``LossMismatch`` if it is beyond the tolerance.

    ``values`` and each of ``gradients`` (by the log-probabilities, by the entropies) are a pair: TRL's, this package's.
    """
    apart = [_apart(*values, floor=1.0), *(_apart(*pair) for pair in gradients)]
    worst = max(float(one.max()) if one.numel() else 0.0 for one in apart)
    trainer._metrics["train"][METRIC].append(worst)
    tolerance = RUN_TOLERANCES.get(dtype, RUN_TOLERANCES[torch.float32])
    if worst <= tolerance:
        return
    said = f"value: TRL has {float(values[0]):.9g}, {float(values[1]):.9g} was expected"
    for name, (theirs, mine), off in zip(("log-probabilities", "entropies"), gradients, apart[1:], strict=True):
        places = (off > tolerance).nonzero()
        if len(places):
            row, token = (int(one) for one in places[0])
            pair = f"TRL has {float(theirs[row, token]):.9g}, {float(mine[row, token]):.9g} was expected"
            said += f"; gradient by the {name}, first at completion {row}, token {token}: {pair}"
    shown = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    surrogate, aggregation = LOSS_TYPES[trainer.loss_type]
    formulas = _formula(SURROGATES[surrogate]), _formula(AGGREGATIONS[aggregation])
    raise LossMismatch(
        f"step {step}: the loss is not that of '{trainer.loss_type}', which is the {surrogate} surrogate {formulas[0]} "
        f"aggregated {aggregation}, {formulas[1]}. "
        f"Largest difference {worst:.3g}, tolerance {tolerance:g} in {str(dtype).removeprefix('torch.')}. {said}. "
        f"Settings: {shown}."
    )


def _formula(function: Any) -> str:
    """Returns the equation of a surrogate or aggregation: what follows the colon in the first line of its docstring."""
    return (function.__doc__ or "").partition("\n")[0].partition(": ")[2].rstrip(".")


def _gradients(loss: Tensor, of: Any) -> list[Tensor]:
    """Returns the gradient of the loss by each tensor; zeros for one that it does not depend on."""
    found = torch.autograd.grad(loss, of, retain_graph=True, allow_unused=True)
    return [torch.zeros_like(leaf) if one is None else one for one, leaf in zip(found, of, strict=True)]


def _apart(one: Tensor, other: Tensor, floor: float = 0.0) -> Tensor:
    """Returns |a - b| / max(greatest |b|, ``floor``) for each element; infinity where a or b is NaN."""
    scale = max(float(other.abs().max()) if other.numel() else 0.0, floor, SMALLEST)
    return ((one - other).abs() / scale).nan_to_num(nan=torch.inf)
