"""The loss of a live ``GRPOTrainer``, held to this package's while it trains."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss import aggregation as aggregations
from grpo_rewards.loss.grpo import LOSS_TYPES
from grpo_rewards.loss.surrogates import cispo_surrogate, clipped_surrogate, sapo_surrogate, weighted_surrogate
from grpo_rewards.loss.trl_check.expected import expected_loss, loss_settings

__all__ = ["LossMismatch", "watch_loss"]

SURROGATES = {
    "clipped": clipped_surrogate,
    "cispo": cispo_surrogate,
    "sapo": sapo_surrogate,
    "vespo": weighted_surrogate,
}
FORWARD = "_get_per_token_logps_and_entropies"
SMALLEST = 1e-30  # where all should be zero, anything else is wrong
METRIC = "loss_check/max_abs_diff"
# By the precision of the log-probabilities: how far the value may be off, relative to 1 or to itself where that is
# greater; and the gradient, relative to its greatest element, for those of a long completion are all small.
TOLERANCES = {torch.float64: 1e-9, torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 5e-3}


class LossMismatch(RuntimeError):
    """TRL computed another loss, or another gradient, than the one that its settings ask for."""


def watch_loss(trainer: Any, every: int = 10) -> None:
    """Checks the loss of a ``GRPOTrainer`` in the first step that it trains and every ``every`` steps from there. Call
    it before ``train()``.

    In each micro-batch of such a step the loss, and its gradient by the log-probabilities (and the entropies, where
    there is a bonus), are computed again from the same tensors; so is, of a generation batch, the number of its tokens
    on all ranks. The largest difference is logged as ``loss_check/max_abs_diff``. On several ranks each checks its own.
    What the trainer does with the loss after that, such as scaling it for accumulation once more, is not seen.

    Args:
        trainer: a ``GRPOTrainer`` of TRL.
        every: steps from one check to the next.

    Raises:
        TypeError: the trainer is none of TRL's, or computes its loss in a way of its own.
        ValueError: ``every`` is less than 1, or its loss type is unknown here.
        LossMismatch: during training, with the settings, the first token that differs and what should be there.
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
    """Stands in for ``_compute_loss`` of one trainer, which it does not keep alive."""

    def __init__(self, trainer: Any, every: int) -> None:
        self.trainer = weakref.ref(trainer)
        self.every = every
        self.first: int | None = None  # the step at which the run began, or went on

    def __call__(self, model: Any, inputs: Mapping[str, Any]) -> Tensor:
        trainer = self.trainer()
        assert trainer is not None  # it is calling
        step = trainer.state.global_step
        compute = type(trainer)._compute_loss
        if self.first is None or step < self.first:  # another run of the same trainer
            self.first = step
        if not trainer.model.training or (step - self.first) % self.every:
            loss: Tensor = compute(trainer, model, inputs)
            return loss
        return self._checked(trainer, compute, model, inputs, step)

    def _checked(self, trainer: Any, compute: Any, model: Any, inputs: Mapping[str, Any], step: int) -> Tensor:
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
    apart = [_apart(*values, floor=1.0), *(_apart(*pair) for pair in gradients)]
    worst = max(float(one.max()) if one.numel() else 0.0 for one in apart)
    trainer._metrics["train"][METRIC].append(worst)
    tolerance = TOLERANCES.get(dtype, TOLERANCES[torch.float32])
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
    formulas = _formula(SURROGATES[surrogate]), _formula(getattr(aggregations, aggregation))
    raise LossMismatch(
        f"step {step}: the loss is not that of '{trainer.loss_type}', which is the {surrogate} surrogate {formulas[0]} "
        f"aggregated {aggregation}, {formulas[1]}. "
        f"Largest difference {worst:.3g}, tolerance {tolerance:g} in {str(dtype).removeprefix('torch.')}. {said}. "
        f"Settings: {shown}."
    )


def _formula(function: Any) -> str:
    """The equation of a function: the first sentence of its docstring, without its full stop."""
    return (function.__doc__ or "").partition("\n")[0].rstrip(".")


def _gradients(loss: Tensor, of: Any) -> list[Tensor]:
    found = torch.autograd.grad(loss, of, retain_graph=True, allow_unused=True)
    return [torch.zeros_like(leaf) if one is None else one for one, leaf in zip(found, of, strict=True)]


def _apart(one: Tensor, other: Tensor, floor: float = 0.0) -> Tensor:
    """|a - b| relative to the greatest |b|, but to ``floor`` at least; infinity where one of them is not a number."""
    scale = max(float(other.abs().max()) if other.numel() else 0.0, floor, SMALLEST)
    return ((one - other).abs() / scale).nan_to_num(nan=torch.inf)
