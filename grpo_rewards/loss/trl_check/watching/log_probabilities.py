"""Log-probabilities of a completion computed once more, from the logits of the model that they must be of."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.logps import token_logps
from grpo_rewards.loss.trl_check.findings import Finding
from grpo_rewards.loss.trl_check.recording import adapters_of, bare
from grpo_rewards.loss.trl_check.watching.undisturbed import undisturbed

__all__ = ["Frozen", "as_reference", "compare_logps", "own_logps", "why_not_recomputed"]

TOKENS_AT_MOST = 256  # of a completion, whose logits are held at once
# What the mean of a completion's tokens may be off by, in nats. A matrix product in another order moves a logit of 20
# by about 1e-5 in single precision, and by 0.1 in half. A wrong shift, temperature or mask is worth more.
NATS = {torch.float64: 1e-3, torch.float32: 1e-3, torch.bfloat16: 0.1, torch.float16: 0.02}
SAMPLED_ELEMENTS = 16  # of each parameter, by which a change is noticed


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


class Frozen:
    """Parameters that no step may change, remembered by a few elements of each.

    Args:
        named: the parameters; those without elements here, which are on other ranks, are left out.
    """

    def __init__(self, named: Mapping[str, Tensor]) -> None:
        self.before = {name: _sample(one) for name, one in named.items() if one.numel()}

    @classmethod
    def of_reference(cls, trainer: Any) -> Frozen:
        """Those of ``ref_model``; under PEFT those of the policy that are not trained."""
        reference = bare(trainer, getattr(trainer, "ref_model", None))
        if reference is not None:
            return cls(dict(reference.named_parameters()))
        own = bare(trainer, trainer.model).named_parameters()
        return cls({name: one for name, one in own if not one.requires_grad})

    def changed(self, named: Mapping[str, Tensor]) -> list[Finding]:
        """Returns the first parameter that is not what it was."""
        for name, before in self.before.items():
            if name in named and not torch.equal(_sample(named[name]), before):
                return [Finding(f"the reference's parameter {name}", None, None, "changed by a step", "frozen")]
        return []


def _sample(parameter: Tensor) -> Tensor:
    flat = parameter.detach().reshape(-1)
    return flat[:: max(1, flat.numel() // SAMPLED_ELEMENTS)][:SAMPLED_ELEMENTS].clone()
