"""What a watched run computes again: a loss with its gradient, and log-probabilities of a completion from the logits.

Beside them: how far rounding may take each.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grpo_rewards.loss.grpo import GRPOLoss
from grpo_rewards.loss.logps import token_logps
from grpo_rewards.loss.loss_types import FORMULAS
from grpo_rewards.loss.trl_check.expected import LOGPS_OF_BATCH, auxiliary_share, expected_loss
from grpo_rewards.loss.trl_check.recording import LossCall, bare
from grpo_rewards.loss.trl_check.report import Finding, excess, first_difference

__all__ = [
    "as_reference",
    "compare_logps",
    "compare_loss",
    "equation",
    "loss_pairs",
    "own_logps",
    "why_not_recomputed",
]

SMALLEST = 1e-30  # the least scale of a difference: where all should be 0, anything else is wrong
# By the precision of the log-probabilities: what a number may be off by, relative to itself, and what any number may be
# off by, relative to the greatest of its tensor. In float64 it is no less than what TRL's constants are off by, which
# have the default precision.
OWN_SHARE = {torch.float64: 1e-6, torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 5e-3}
SHARE_OF_GREATEST = {torch.float64: 1e-7, torch.float32: 1e-5, torch.bfloat16: 1e-2, torch.float16: 1e-3}
LOGPS = "log-probabilities"
# What is added to all log-probabilities to see how far rounding takes a gradient, and how many times that is allowed.
SHIFTS, DRAWN_UNITS = (0.0, -0.11, -0.23, -0.37, -0.53, -0.71, -0.83, -0.97), 4
TOKENS_AT_MOST = 256  # of a completion, whose logits are held at once
# What the mean of a completion's tokens may be off by, in nats. A matrix product in another order moves a logit of 20
# by about 1e-5 in single precision, and by 0.1 in half. A wrong shift, temperature or mask is worth more.
NATS, NATS_OF_HALF = 1e-3, 0.1


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


def loss_pairs(trainer: Any, called: LossCall) -> tuple[GRPOLoss, dict[str, tuple[Tensor, Tensor]]]:
    """Returns our loss, and by name what TRL has and what is expected: the value, and where there is a graph gradients.

    The value is that of the whole loss, with the auxiliary one of a mixture of experts, which is no part of GRPO.
    """
    forward, theirs = called.forwards[0], called.loss
    if theirs is None or forward.entropies is None:
        raise ValueError("a loss without entropies cannot be compared: TRL computes them with the log-probabilities.")
    all_of_them = {LOGPS: forward.logps, "entropies": forward.entropies, "auxiliary loss": forward.auxiliary}
    of = {name: one for name, one in all_of_them.items() if one is not None}
    leaves = {name: one.detach().clone().requires_grad_() for name, one in of.items()}
    with torch.enable_grad():
        ours = expected_loss(trainer, called.settings, called.inputs, leaves[LOGPS], leaves["entropies"])
        total = ours.loss + auxiliary_share(trainer) * leaves.get("auxiliary loss", 0.0)
    pairs = {"the loss": (theirs.detach(), total.detach())}
    if theirs.requires_grad:
        gradients = zip(_by(theirs, of.values()), _by(total, leaves.values()), strict=True)
        pairs |= {f"the gradient by the {name}": pair for name, pair in zip(of, gradients, strict=True)}
    return ours, pairs


def compare_loss(trainer: Any, called: LossCall) -> Compared:
    """Returns how TRL's loss of a micro-batch, and where there is a graph its gradient, differ from this package's."""
    ours, pairs = loss_pairs(trainer, called)
    worst, most, findings = 0.0, 0.0, []
    for name, (found, expected) in pairs.items():
        if expected.numel():
            scale = max(_greatest(expected), 1.0 if name == "the loss" else SMALLEST)
            allowed = OWN_SHARE[_share_of(expected)] * scale if name == "the loss" else of_gradient(expected)
            beyond = float(excess(found, expected, allowed).max())
            if beyond > 1 and name.endswith(LOGPS):
                allowed = allowed + DRAWN_UNITS * _rounding(trainer, called)
                beyond = float(excess(found, expected, allowed).max())
            worst, most = max(worst, float(excess(found, expected, scale).max())), max(most, beyond)
            findings += first_difference(name, found, expected, allowed)
    return Compared(worst, most, findings, ours)


def _by(loss: Tensor, of: Iterable[Tensor]) -> list[Tensor]:
    """Returns the gradient of the loss by each tensor; zeros for one that it does not depend on."""
    tensors = list(of)
    reached = [one for one in tensors if one.requires_grad]
    found = iter(torch.autograd.grad(loss, reached, retain_graph=True, materialize_grads=True))
    return [next(found) if one.requires_grad else torch.zeros_like(one) for one in tensors]


def equation(loss_type: str) -> str:
    """Returns the equation of a loss type: what follows the colon in the first line of its function's docstring."""
    return (FORMULAS[loss_type].__doc__ or "").partition("\n")[0].partition(": ")[2].rstrip(".")


def _share_of(values: Tensor) -> torch.dtype:
    return values.dtype if values.dtype in OWN_SHARE else torch.float32


def _greatest(values: Tensor) -> float:
    return float(values.abs().nan_to_num().max())


def of_gradient(gradient: Tensor) -> Tensor:
    """Returns what each element of a gradient may be off by, as long as its terms do not cancel. [B, T] → [B, T]"""
    kind = _share_of(gradient)
    allowed = OWN_SHARE[kind] * gradient.abs().double() + SHARE_OF_GREATEST[kind] * _greatest(gradient)
    return allowed.clamp(min=SMALLEST)


def _rounding(trainer: Any, called: LossCall) -> Tensor:
    """Returns how far rounding takes our own gradient by log π_θ, as found by computing it several times. [B, T]

    Where terms cancel it is much: with δ = log π_ref - log π_θ = 13.6 the corrected KL adds exp(δ) - δ - 1 and
    1 - exp(δ), both 8e5, to get -δ, of which single precision has two digits at best. No gradient of a loss changes if
    one number is added to all log-probabilities, so that what then changes is rounding.
    """
    forward = called.forwards[0]

    def gradient(dtype: torch.dtype, moved: float) -> Tensor:
        tensors = {**called.inputs, LOGPS: forward.logps, "entropies": forward.entropies}
        tensors = {name: one.detach() for name, one in tensors.items() if isinstance(one, Tensor)}
        cast = {name: one.to(dtype) if one.is_floating_point() else one for name, one in tensors.items()}
        cast |= {name: cast[name] + moved for name in (LOGPS, *LOGPS_OF_BATCH) if name in cast}
        leaf = cast.pop(LOGPS).requires_grad_()
        with torch.enable_grad():
            loss = expected_loss(trainer, called.settings, cast, leaf, cast.pop("entropies")).loss
        return _by(loss, [leaf])[0].double()

    exact = gradient(torch.float64, 0.0)
    drawn = [(gradient(forward.logps.dtype, moved) - exact).abs() for moved in SHIFTS]
    return torch.stack(drawn).amax(dim=0).nan_to_num(nan=0.0)


def why_not_recomputed(trainer: Any, inputs: Mapping[str, Any]) -> str | None:
    """Returns why log-probabilities cannot be computed again here, or ``None``: they can, but for random numbers."""
    if getattr(trainer, "is_fsdp_enabled", False) or getattr(trainer, "is_deepspeed_enabled", False):
        return "the parameters are in pieces on several ranks"
    if any(inputs.get(name) is not None for name in ("pixel_values", "num_images", "token_type_ids")):
        return "there are images"
    return None


def own_logps(trainer: Any, model: Any, inputs: Mapping[str, Any], row: int) -> Tensor | None:
    """Returns the log-probabilities of the first ``TOKENS_AT_MOST`` tokens of one completion, [T'], without a graph.

    ``None`` if the model drew random numbers, which make each forward pass another one; they are put back.

    Args:
        trainer: a ``GRPOTrainer``; its temperature and its precision are used.
        model: the policy or the reference, without wrappers of ranks.
        inputs: the tensors of a micro-batch, [B, P] and [B, T].
        row: which completion.
    """
    length = inputs["completion_ids"].shape[1]
    # the whole row, for rotary embeddings may follow its length, but only the logits that are needed
    ids, mask = (
        torch.cat([inputs[f"prompt_{what}"][row], inputs[f"completion_{what}"][row]]).unsqueeze(0)
        for what in ("ids", "mask")
    )
    # counted from the end, for a learnt prompt may come before
    places = torch.arange(-length - 1, -length - 1 + min(TOKENS_AT_MOST, length), device=ids.device)
    kept = {"logits_to_keep": places} if _keeps_logits(model) else {}
    kind = ids.device.type
    devices = range(0 if kind in ("cpu", "mps") else torch.get_device_module(kind).device_count())
    before = _random_states(kind)
    with torch.random.fork_rng(devices, device_type=kind), torch.no_grad(), trainer.accelerator.autocast():
        logits = model(input_ids=ids, attention_mask=mask, use_cache=False, **kept).logits
        drawn = any(not torch.equal(*pair) for pair in zip(before, _random_states(kind), strict=True))
    logits = logits if kept else logits[:, places]
    return None if drawn else token_logps(logits.float(), ids[:, places + 1], trainer.temperature)[0]


def _random_states(kind: str) -> list[Tensor]:
    """The states of torch's random numbers: the CPU's, and those of the current device."""
    return [torch.get_rng_state(), *([] if kind == "cpu" else [torch.get_device_module(kind).get_rng_state()])]


def _keeps_logits(model: Any) -> bool:
    """Whether a model can return the logits at some places alone."""
    within = model.get_base_model() if hasattr(model, "get_base_model") else model
    parameter = inspect.signature(type(within).forward).parameters.get("logits_to_keep")
    return parameter is not None and "Tensor" in str(parameter.annotation)


@contextmanager
def as_reference(trainer: Any) -> Iterator[Any]:
    """The model that the settings make the reference: ``ref_model``, or the policy with its adapters off or as ``ref``.

    The adapters are as before afterwards.
    """
    reference, policy = getattr(trainer, "ref_model", None), bare(trainer, trainer.model)
    if reference is not None:
        yield bare(trainer, reference)
    elif "ref" in getattr(policy, "peft_config", {}):
        before = policy.active_adapter
        policy.set_adapter("ref")
        try:
            yield policy
        finally:
            policy.set_adapter(before)
    else:
        with policy.disable_adapter() if hasattr(policy, "disable_adapter") else nullcontext():
            yield policy


def compare_logps(
    trainer: Any, name: str, found: Tensor, own: Tensor, inputs: Mapping[str, Any], row: int
) -> list[Finding]:
    """Returns where TRL's log-probabilities of a completion, [T], are most unlike our own, [T'], if they are.

    What is compared is the mean over the tokens that count, for single ones are off by more where precision is low.
    """
    tokens = len(own)
    counted = (inputs["completion_mask"] * inputs.get("tool_mask", 1))[row, :tokens].cpu() != 0
    allowed = NATS if _is_exact(trainer) else NATS_OF_HALF
    off = excess(found[:tokens], own, allowed).masked_fill(~counted, 0.0)
    mean = float(off.sum() / counted.sum().clamp(min=1))
    if mean <= 1:
        return []
    token = int(off.argmax())
    return [Finding(name, row, token, float(found[token].detach()), float(own[token]), mean)]


def _is_exact(trainer: Any) -> bool:
    """Whether matrices are multiplied in single precision or better."""
    if str(trainer.accelerator.mixed_precision) in ("bf16", "fp16", "fp8"):
        return False
    products: Any = torch.backends.cuda.matmul  # a torch before 2.9 has no precision there
    precision = getattr(products, "fp32_precision", None) or torch.get_float32_matmul_precision()
    weight = next(bare(trainer, trainer.model).parameters())
    return precision in ("ieee", "none", "highest") and weight.dtype in (torch.float32, torch.float64)
