"""What a micro-batch of a live trainer costs by each loss type, not only by the one that it trains with.

A loss type differs from the others in how it treats the end of an epoch, an evaluation or another rank's tokens. To run
each of them through each of these would take eight times the runs; to ask for its loss takes a millisecond.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.loss_types import LOSS_TYPES
from grpo_rewards.loss.trl_check.contract import FORWARD_PASS, LossCall, loss_settings
from grpo_rewards.loss.trl_check.expected import expected_loss


def other_types(config: dict[str, Any]) -> list[str]:
    """The loss types that a configuration may have as well as its own; TRL refuses vespo by sequence."""
    mode = config["vllm_importance_sampling_mode"]
    corrected = config["use_vllm"] and config["vllm_importance_sampling_correction"]
    by_token = config["importance_sampling_level"] == "token" and not (corrected and mode.startswith("sequence"))
    return [one for one in LOSS_TYPES if one != config["loss_type"] and (one != "vespo" or by_token)]


def losses_by_type(trainer: Any, call: LossCall, types: list[str]) -> dict[str, Tensor]:
    """Returns what a trainer's own ``_compute_loss`` makes of a micro-batch by other types, which leaves no trace.

    It is given the log-probabilities and entropies of the forward pass that there was. All is in float64, so that
    nothing but the loss is compared.
    """
    first = call.forwards[0]
    passed = (first.logps.detach().double(), None if first.entropies is None else first.entropies.double(), None)
    found = {}
    for one in types:
        with _as_before(trainer, call), torch.no_grad():
            trainer.loss_type, trainer.aux_loss_enabled = one, False
            setattr(trainer, FORWARD_PASS, lambda *_, **__: passed)
            found[one] = type(trainer)._compute_loss(trainer, trainer.model, in_double(call.inputs))
    return found


def in_double(inputs: dict[str, Any]) -> dict[str, Any]:
    """The inputs of a loss, with floating-point tensors in float64."""
    return {
        name: of.double() if isinstance(of, Tensor) and of.is_floating_point() else of for name, of in inputs.items()
    }


@contextmanager
def _as_before(trainer: Any, call: LossCall) -> Iterator[None]:
    """The trainer with the entropy bonus that it had before this loss; afterwards all is as it was."""
    bonus = ("entropy_coef", "_last_world_entropy", "_entropy_window_stats")
    held = {name: getattr(trainer, name) for name in ("loss_type", "aux_loss_enabled", *bonus, FORWARD_PASS)}
    metrics = {mode: {name: list(values) for name, values in of.items()} for mode, of in trainer._metrics.items()}
    trainer.entropy_coef, trainer._last_world_entropy = call.settings["entropy_coef"], -math.inf
    try:
        yield
    finally:
        for name, value in held.items():
            setattr(trainer, name, value)
        for mode, before in metrics.items():
            trainer._metrics[mode].clear()
            trainer._metrics[mode].update(before)


def own_losses_by_type(
    trainer: Any, inputs: dict[str, Any], logps: Tensor, entropies: Tensor, types: list[str]
) -> dict[str, Tensor]:
    """Returns what these losses must be, for an object of ``configured``, and for TRL's own tensors."""
    settings = loss_settings(trainer)
    with torch.no_grad():
        return {
            one: expected_loss(
                trainer, {**settings, "loss_type": one}, in_double(inputs), logps.double(), entropies.double()
            ).loss
            for one in types
        }
