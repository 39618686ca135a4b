"""What a watched run computes again: a loss with its gradient, and log-probabilities of a completion from the logits.

Beside them: how far rounding may take each, and a forward pass that leaves no trace in the run.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grpo_rewards.loss.grpo import GRPOLoss
from grpo_rewards.loss.logps import token_logps
from grpo_rewards.loss.loss_types import AGGREGATIONS, LOSS_TYPES, SURROGATES
from grpo_rewards.loss.ratios import log_ratio
from grpo_rewards.loss.trl_check.expected import OLD_LOGPS, REF_LOGPS, auxiliary_share, expected_loss
from grpo_rewards.loss.trl_check.recording import LossCall, adapters_of, bare
from grpo_rewards.loss.trl_check.report import Finding

__all__ = ["as_reference", "compare_logps", "compare_loss", "formulas", "own_logps", "why_not_recomputed"]

SMALLEST = 1e-30  # the least scale of a difference: where all should be 0, anything else is wrong
# By the precision of the log-probabilities: what a number may be off by, relative to itself, and what any number may be
# off by, relative to the greatest of its tensor. In float64 it is no less than what TRL's constants are off by, which
# have the default precision.
OWN_SHARE = {torch.float64: 1e-6, torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 5e-3}
SHARE_OF_GREATEST = {torch.float64: 1e-7, torch.float32: 1e-5, torch.bfloat16: 1e-2, torch.float16: 1e-3}
UNITS_OF_TERMS = 4  # of rounding that the terms of one token's gradient may be off by
TOKENS_AT_MOST = 256  # of a completion, whose logits are held at once
# What the mean of a completion's tokens may be off by, in nats. A matrix product in another order moves a logit of 20
# by about 1e-5 in single precision, and by 0.1 in half. A wrong shift, temperature or mask is worth more.
NATS = {torch.float64: 1e-3, torch.float32: 1e-3, torch.bfloat16: 0.1, torch.float16: 0.02}
COPIED_ELEMENTS = 2**20  # of a buffer at most; quantised weights are buffers as well, and no forward pass changes them


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
        pairs = zip(_by(theirs, [forward.logps, forward.entropies]), _by(ours.loss, leaves), strict=True)
        for (found, expected), name, own_terms in zip(
            pairs, ("log-probabilities", "entropies"), (terms, None), strict=True
        ):
            beyond = excess(found, expected, of_gradient(expected, own_terms))
            worst = max(worst, _relative(found, expected))
            if beyond.numel() and float(beyond.max()) > 1:
                row, token = (int(one) for one in (beyond > 1).nonzero()[0])
                numbers = float(found[row, token]), float(expected[row, token])
                findings.append(Finding(f"the gradient by the {name}", row, token, *numbers, float(beyond.max())))
            off = max(off, float(beyond.max()) if beyond.numel() else 0.0)
    return Compared(worst, off, findings, ours)


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


def of_value(value: Tensor) -> float:
    """Returns what the loss may be off by: relative to 1, or to itself where that is greater."""
    return OWN_SHARE.get(value.dtype, OWN_SHARE[torch.float32]) * max(1.0, abs(float(value.detach())))


def of_gradient(gradient: Tensor, terms: Tensor | None) -> Tensor:
    """Returns what each element of a gradient may be off by. [B, T] → [B, T]

    Args:
        gradient: the gradient, [B, T].
        terms: the sum of the absolute values of the terms that each element is made of, see :func:`terms_of_kl`;
            ``None``: of none that cancel. With δ = log π_ref - log π_θ = 13.6 the corrected KL adds exp(δ) - δ - 1 and
            1 - exp(δ), both 8e5, to get -δ, so that single precision has -δ to two digits at best.
    """
    kind = gradient.dtype
    own, whole = (share.get(kind, share[torch.float32]) for share in (OWN_SHARE, SHARE_OF_GREATEST))
    greatest = gradient.abs().nan_to_num().max() if gradient.numel() else torch.zeros(())
    allowed = own * gradient.abs().double() + whole * greatest.double()
    if terms is not None:
        allowed = allowed + UNITS_OF_TERMS * torch.finfo(kind).eps * terms.double()
    return allowed.clamp(min=SMALLEST)


def terms_of_kl(of_kl: Tensor, logps: Tensor, ref_logps: Tensor, mask: Tensor, by_sequence: bool) -> Tensor:
    """Returns the sum of absolute terms of the KL in each token's gradient. [B, T] → [B, T]

    Without its correction a token's KL has the gradient v (1 - exp(δ)) by log π_θ, with v all that it is multiplied by;
    so the terms v exp(δ), v, and with the correction v (exp(δ) - δ - 1), are known without naming v.

    Args:
        of_kl: what the KL adds to the gradient by log π_θ, [B, T]: that of the uncorrected KL, times the ratio if it
            is corrected.
        logps, ref_logps: log π_θ and log π_ref, [B, T].
        mask: 1 for tokens that count, [B, T].
        by_sequence: whether the tokens of a completion share one ratio, so that each has a part of every token's KL.
    """
    delta = torch.where(mask != 0, ref_logps.double() - logps.detach().double(), 0.0)
    factor = of_kl.double().abs() / delta.expm1().abs().clamp(min=torch.finfo(logps.dtype).eps)
    terms = factor * (2 * delta.exp() + delta.abs() + 2)
    if by_sequence:
        terms = terms + terms.sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True).clamp(min=1)
    return terms.nan_to_num(nan=0.0)


def excess(one: Tensor, other: Tensor, tolerance: Tensor | float) -> Tensor:
    """Returns by how many times the tolerance two tensors differ, element by element; infinity where one is NaN.

    Where neither is finite they do not differ.
    """
    one, other = one.detach().double(), other.detach().double()
    same = (one == other) | ~(one.isfinite() | other.isfinite())
    return ((one - other).abs() / tolerance).nan_to_num(nan=torch.inf, posinf=torch.inf).masked_fill(same, 0.0)


def why_not_recomputed(trainer: Any, inputs: Mapping[str, Any]) -> str | None:
    """Returns why log-probabilities cannot be computed again here, or ``None``: they can."""
    if getattr(trainer, "is_fsdp_enabled", False) or getattr(trainer, "is_deepspeed_enabled", False):
        return "the parameters are in pieces on several ranks"
    if any(inputs.get(name) is not None for name in ("pixel_values", "num_images", "token_type_ids")):
        return "there are images"
    model = bare(trainer, trainer.model)
    with undisturbed(model) as drawn, trainer.accelerator.autocast():
        model(input_ids=inputs["completion_ids"][:1, :1], use_cache=False)
        if drawn():
            return "random numbers in the model (dropout, jitter, NEFTune) make each forward pass another one"
    return None


def own_logps(trainer: Any, model: Any, inputs: Mapping[str, Any], row: int) -> Tensor:
    """Returns the log-probabilities of the first ``TOKENS_AT_MOST`` tokens of one completion, [T'], without a graph.

    Args:
        trainer: a ``GRPOTrainer``; its temperature and its precision are used.
        model: the policy or the reference, without wrappers of ranks.
        inputs: the tensors of a micro-batch, [B, P] and [B, T].
        row: which completion.
    """
    length = inputs["completion_ids"].shape[1]
    tokens = min(TOKENS_AT_MOST, length)
    # the whole row, for rotary embeddings may follow its length, but only the logits that are needed
    ids, mask = (
        torch.cat([inputs[f"prompt_{what}"][row], inputs[f"completion_{what}"][row]]).unsqueeze(0)
        for what in ("ids", "mask")
    )
    # counted from the end, for a learnt prompt may come before
    places = torch.arange(-length - 1, -length - 1 + tokens, device=ids.device)
    kept = {"logits_to_keep": places} if _keeps_logits(model) else {}
    with undisturbed(model), trainer.accelerator.autocast():
        logits = model(input_ids=ids, attention_mask=mask, use_cache=False, **kept).logits
    logits = logits if kept else logits[:, places]
    found: Tensor = token_logps(logits.float(), ids[:, places + 1], trainer.temperature)[0]
    return found


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
        before = adapters_of(policy)
        policy.set_adapter("ref")
        try:
            yield policy
        finally:
            policy.set_adapter(before[0] if before else "default")
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
    mask = (inputs["completion_mask"] * inputs.get("tool_mask", 1))[row, :tokens] != 0
    if not mask.any():
        return []
    theirs, ours = found.detach()[:tokens].double(), own.double()
    same = (theirs == ours) | (theirs.isnan() & ours.isnan())  # also where the difference is no number
    off = (theirs - ours).abs().masked_fill(same | ~mask, 0.0).nan_to_num(nan=torch.inf)
    allowed = NATS.get(_precision(trainer), NATS[torch.float32])
    mean = float(off.sum() / mask.sum())
    if mean <= allowed:
        return []
    token = int(off.argmax())
    numbers = float(found[token].detach()), float(own[token])
    return [Finding(name, row, token, *numbers, mean / allowed)]


def _precision(trainer: Any) -> torch.dtype:
    mixed = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(str(trainer.accelerator.mixed_precision))
    own = next(bare(trainer, trainer.model).parameters())
    if own.dtype == torch.float32 and mixed is None:
        return {"tf32": torch.float16, "bf16": torch.bfloat16}.get(_of_products(own.device.type), torch.float32)
    return mixed or own.dtype


def _of_products(kind: str) -> str:
    """Returns the precision in which a device multiplies float32 matrices; TF32 has as many digits as float16."""
    backend: Any = torch.backends.mkldnn if kind == "cpu" else torch.backends.cuda
    precision = getattr(backend.matmul, "fp32_precision", None) if hasattr(backend, "matmul") else None
    if precision is None:  # torch before 2.9; a later one may raise an error when it is called in this way
        return "tf32" if kind != "cpu" and torch.backends.cuda.matmul.allow_tf32 else "ieee"
    return str(precision)


@contextmanager
def undisturbed(model: Any) -> Iterator[Callable[[], bool]]:
    """Yields whether random numbers were drawn so far, without a gradient; afterwards all is as before.

    Put back are the states of Python's and torch's random numbers, the CPU's and those of every device of the model's
    kind (Apple's, which has no state for each device, is not), and the buffers and attributes of the model's modules: a
    rotary embedding whose factors follow the length keeps the last length. A buffer that is changed in place is put
    back up to ``COPIED_ELEMENTS``.
    """
    kind = next(model.parameters()).device.type
    devices = range(0 if kind in ("cpu", "mps", "meta") else torch.get_device_module(kind).device_count())
    python, before = random.getstate(), _drawn_from(kind, devices)

    def drawn() -> bool:
        pairs = zip(before, _drawn_from(kind, devices), strict=True)
        return random.getstate() != python or any(not torch.equal(one, other) for one, other in pairs)

    try:
        with torch.random.fork_rng(devices, device_type=kind), _kept(model), torch.no_grad():
            yield drawn
    finally:
        random.setstate(python)
        torch.clear_autocast_cache()  # weights that were cast here have no gradient, and must not be used again


def _drawn_from(kind: str, devices: range) -> list[Tensor]:
    """The states of torch's random numbers: the CPU's, and each device's."""
    return [torch.get_rng_state(), *(torch.get_device_module(kind).get_rng_state(one) for one in devices)]


@contextmanager
def _kept(model: torch.nn.Module) -> Iterator[None]:
    """Puts back what was set in a module or its buffers, and buffers that were changed in place."""
    held = [names for module in model.modules() for names in (vars(module), module._buffers)]
    before = [dict(names) for names in held]
    copies = [(one, one.clone()) for one in model.buffers() if one.numel() <= COPIED_ELEMENTS]
    try:
        yield
    finally:
        for names, had in zip(held, before, strict=True):
            for name in [name for name in names if name not in had]:
                del names[name]
            names.update(had)
        for one, copy in copies:
            if not torch.equal(one, copy):
                one.copy_(copy)
