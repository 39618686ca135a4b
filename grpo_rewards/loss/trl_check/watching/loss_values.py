"""One loss of TRL's beside this package's: the value, and the gradient by log-probabilities and entropies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grpo_rewards.loss.grpo import GRPOLoss
from grpo_rewards.loss.loss_types import AGGREGATIONS, LOSS_TYPES, SURROGATES
from grpo_rewards.loss.ratios import log_ratio
from grpo_rewards.loss.trl_check.expected import auxiliary_share, expected_loss
from grpo_rewards.loss.trl_check.findings import Finding
from grpo_rewards.loss.trl_check.generated import OLD_LOGPS, REF_LOGPS
from grpo_rewards.loss.trl_check.recording import LossCall
from grpo_rewards.loss.trl_check.watching.tolerance import SMALLEST, excess, of_gradient, of_value, terms_of_kl

__all__ = ["Compared", "compare_loss", "formulas"]


class Compared(NamedTuple):
    """What the comparison of one loss found.

    Attributes:
        worst: the largest difference: of the value, relative to 1 or to itself where that is greater; of a gradient,
            relative to its greatest element.
        excess: the largest difference in tolerances; above 1 is a mismatch.
        findings: the differences beyond the tolerance.
        ours: this package's loss with its metrics.
    """

    worst: float
    excess: float
    findings: list[Finding]
    ours: GRPOLoss


def compare_loss(trainer: Any, called: LossCall) -> Compared:
    """Returns how TRL's loss of a micro-batch, and where there is a graph its gradient, differ from this package's."""
    forward, theirs = called.forwards[0], called.loss
    if theirs is None or forward.entropies is None:
        raise ValueError("a loss without entropies cannot be compared: TRL computes them with the log-probabilities.")
    given = {name: value for name, value in called.inputs.items() if isinstance(value, Tensor)}
    leaves = [one.detach().clone().requires_grad_() for one in (forward.logps, forward.entropies)]
    with torch.enable_grad():
        ours = expected_loss(trainer, called.settings, given, leaves[0], leaves[1])
    total = ours.loss.detach()
    if forward.auxiliary is not None:  # of a mixture of experts; no part of GRPO
        total = total + auxiliary_share(trainer) * forward.auxiliary.detach()
    allowed = of_value(total)
    off = float(excess(theirs, total, allowed))
    worst = _relative(theirs.detach(), total, floor=1.0)
    findings = [Finding("the loss", None, None, float(theirs.detach()), float(total), off)] if off > 1 else []
    if theirs.requires_grad:
        terms = None
        if called.settings["beta"] and given.get(REF_LOGPS) is not None:
            terms = _terms_of_kl(trainer, called.settings, given, forward.logps, forward.entropies)
        pairs = _gradients(called, theirs, ours.loss, leaves, terms)
        for name, (found, expected, tolerance) in pairs.items():
            beyond = excess(found, expected, tolerance)
            worst = max(worst, _relative(found, expected))
            if beyond.numel() and float(beyond.max()) > 1:
                row, token = (int(one) for one in (beyond > 1).nonzero()[0])
                numbers = float(found[row, token]), float(expected[row, token])
                findings.append(Finding(f"the gradient by the {name}", row, token, *numbers, float(beyond.max())))
            off = max(off, float(beyond.max()) if beyond.numel() else 0.0)
    return Compared(worst, off, findings, ours)


def _gradients(
    called: LossCall, theirs: Tensor, ours: Tensor, leaves: list[Tensor], terms: Tensor | None
) -> dict[str, tuple[Tensor, Tensor, Tensor]]:
    """Returns TRL's gradient, this package's and the tolerance, [B, T] each, by log-probabilities and by entropies."""
    forward = called.forwards[0]
    found = _by(theirs, [one for one in (forward.logps, forward.entropies) if one is not None])
    expected = _by(ours, leaves)
    return {
        "log-probabilities": (found[0], expected[0], of_gradient(expected[0], terms)),
        "entropies": (found[1], expected[1], of_gradient(expected[1], None)),
    }


def _terms_of_kl(
    trainer: Any, settings: Mapping[str, Any], given: Mapping[str, Tensor], logps: Tensor, entropies: Tensor
) -> Tensor:
    """Returns the sum of absolute terms of the KL in each token's gradient by log π_θ. [B, T]

    The loss is linear in β, so that its gradient with β less that without it is the KL's.
    """
    double = {name: one.double() if one.is_floating_point() else one for name, one in given.items()}
    leaf = logps.detach().double().requires_grad_()
    with torch.enable_grad():
        with_kl, without = (
            expected_loss(
                trainer,
                {**settings, "beta": beta, "bias_correction_kl": False},
                double,
                leaf,
                entropies.detach().double(),
            ).loss
            for beta in (settings["beta"], 0.0)
        )
    (of_kl,) = _by(with_kl - without, [leaf])
    mask = given["completion_mask"] * given.get("tool_mask", 1)
    if settings["bias_correction_kl"]:
        old_logps = double.get(OLD_LOGPS, leaf.detach())
        of_kl = of_kl * log_ratio(leaf.detach(), old_logps, mask, settings["importance_sampling_level"]).exp()
    by_sequence = settings["importance_sampling_level"] == "sequence"
    return terms_of_kl(of_kl, leaf.detach(), double[REF_LOGPS], mask, by_sequence)


def _by(loss: Tensor, of: list[Tensor]) -> list[Tensor]:
    """Returns the gradient of the loss by each tensor; zeros for one that it does not depend on."""
    reached = [one for one in of if one.requires_grad]
    found = dict(
        zip(map(id, reached), torch.autograd.grad(loss, reached, retain_graph=True, allow_unused=True), strict=True)
    )
    return [torch.zeros_like(one) if found.get(id(one)) is None else found[id(one)] for one in of]


def _relative(one: Tensor, other: Tensor, floor: float = SMALLEST) -> float:
    """Returns the largest |a - b| / max(greatest |b|, ``floor``); infinity where a or b alone is NaN."""
    if not other.numel():
        return 0.0
    scale = max(float(other.detach().abs().nan_to_num().max()), floor)
    return float(excess(one, other, scale).max())


def formulas(loss_type: str, settings: Mapping[str, Any]) -> str:
    """Returns the equations that a loss type stands for, and the settings."""
    surrogate, aggregation = LOSS_TYPES[loss_type]
    shown = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return (
        f"'{loss_type}', which is the {surrogate} surrogate {_formula(SURROGATES[surrogate])} "
        f"aggregated {aggregation}, {_formula(AGGREGATIONS[aggregation])}. Settings: {shown}."
    )


def _formula(function: Any) -> str:
    """Returns the equation of a surrogate or aggregation: what follows the colon in the first line of its docstring."""
    return (function.__doc__ or "").partition("\n")[0].partition(": ")[2].rstrip(".")
