"""What a ``GRPOTrainer`` should make of its settings and its tokens: a batch, the loss of a micro-batch, its gradient.

The batch is computed from lists of tokens, the rewards of all ranks, and settings: no trainer, no model. A loss is
computed again with its gradient, and log-probabilities of a completion from the logits. Beside each stands how far
rounding may take it. B is the completions of one rank, W the ranks, K the rewards, P and T the longest prompt and
completion.
"""

import inspect
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad
from torch.nn.utils.rnn import pad_sequence

from grpo_rewards.loss.advantages import Scale, combine_rewards, group_advantages, separate_advantages
from grpo_rewards.loss.grpo import GRPOLoss, grpo_loss
from grpo_rewards.loss.logps import token_logps
from grpo_rewards.loss.loss_types import FORMULAS
from grpo_rewards.loss.ratios import high_entropy_mask
from grpo_rewards.loss.trl_check.contract import Generation, LossCall, bare, loss_settings
from grpo_rewards.loss.trl_check.report import TOLERANCES, Finding, excess, first_difference

OLD_LOGPS, REF_LOGPS, RATIO = "old_per_token_logps", "ref_per_token_logps", "importance_sampling_ratio"
SAMPLING_LOGPS = "sampling_per_token_logps"
SOMETIMES = (OLD_LOGPS, REF_LOGPS, RATIO, SAMPLING_LOGPS, "tool_mask")
# What a reward in single precision may be off by after sums, a mean and a deviation, relative to itself. A sum of K is
# off by up to K / 2 units of rounding.
UNIT = 2 * torch.finfo(torch.float32).eps
TERMS_OF_UNIT = 4
DRAWS = 16  # of rounding, to see how far it takes advantages


def expected_loss(
    trainer: Any, settings: Mapping[str, Any], inputs: Mapping[str, Any], logps: Tensor, entropies: Tensor
) -> GRPOLoss:
    """Returns this package's loss of one micro-batch.

    Args:
        trainer: a ``GRPOTrainer``, or an object of ``tiny``.
        settings: what ``loss_settings`` returned for it.
        inputs: the tensors that TRL passes to ``_compute_loss``.
        logps: log π_θ of each token, [B, T].
        entropies: the entropy of each token's distribution, [B, T].
    """
    mask, quantile = counted_tokens(inputs).to(logps.dtype), trainer.top_entropy_quantile
    learning = None
    if quantile < 1:
        learning = high_entropy_mask(entropies, mask, quantile, _everywhere(trainer, entropies, mask))
    corrects = trainer.use_vllm and trainer.vllm_importance_sampling_correction
    corrects = corrects or settings["loss_type"] == "vespo"  # which uses the ratio whenever there is one
    return grpo_loss(
        logps,
        inputs["advantages"],
        mask,
        old_logps=inputs.get(OLD_LOGPS),
        ref_logps=inputs.get(REF_LOGPS),
        sampling_logps=inputs.get(SAMPLING_LOGPS),
        importance_ratio=inputs.get(RATIO) if corrects else None,
        entropies=entropies,
        entropy_mask=learning,
        window_tokens=_window_tokens(trainer, inputs),
        **settings,
    )


def counted_tokens(inputs: Mapping[str, Any]) -> Tensor:
    """Returns 1 for each token of a batch that counts, else 0: the model's own, in completions that do. [B, T]"""
    mask: Tensor = inputs["completion_mask"] * inputs.get("tool_mask", 1)
    return mask


def auxiliary_share(trainer: Any) -> float:
    """Returns what a mixture of experts' auxiliary loss is multiplied by before it is added to the loss.

    Its coefficient, by the micro-batches of a window in training, for their losses are added up; 0 without a
    request. It is no part of :func:`expected_loss`.
    """
    if not trainer.aux_loss_enabled:
        return 0.0
    return float(trainer.router_aux_loss_coef / loss_settings(trainer)["accumulation_steps"])


def _window_tokens(trainer: Any, inputs: Mapping[str, Any]) -> Tensor:
    """Returns how many tokens an accumulation window has on all ranks: its share of those generated together."""
    tokens: Tensor = inputs["num_items_in_batch"]
    if not trainer.model.training:  # an evaluation batch is a window of its own
        return tokens.clamp(min=1)
    if buffered := getattr(trainer, "_buffered_inputs", None):  # a batch made by hand has none
        own = torch.stack([counted_tokens(one).sum() for one in buffered]).sum()
        tokens = trainer.accelerator.gather(own).sum().to(tokens)
    share: float = trainer.current_gradient_accumulation_steps / trainer.args.steps_per_generation
    return tokens.clamp(min=1) * share


def _everywhere(trainer: Any, entropies: Tensor, mask: Tensor) -> Tensor | None:
    """Returns the entropies of the tokens that count on all ranks, [N]; ``None`` if there is one rank."""
    if trainer.accelerator.num_processes == 1:
        return None
    own = entropies.detach()[mask != 0]
    padded = trainer.accelerator.pad_across_processes(own, dim=0, pad_index=-1.0)  # no entropy is negative
    gathered: Tensor = trainer.accelerator.gather(padded)
    return gathered[gathered >= 0]


@dataclass(frozen=True)
class BatchSettings:
    """What of a trainer's settings the batch depends on.

    Attributes:
        rank: of this process, from 0.
        group_size: G, of training or of evaluation.
        weights: of the rewards, [K].
        scale: what advantages are divided by; ``separately``: whether each reward is normalised first.
        pad_id: the padding token; ``end_ids``: those that a completion may end with if it was not truncated.
        multiple: lengths are padded to a multiple of it; ``None``: to the longest.
        drops_truncated: whether truncated completions are masked.
        by_models: the tensors that must be there of those that models compute: old and reference log-probabilities,
            and the ratio where vLLM's sampling is corrected.
    """

    rank: int
    group_size: int
    weights: tuple[float, ...]
    scale: Scale
    separately: bool
    pad_id: int
    end_ids: frozenset[int]
    multiple: int | None
    drops_truncated: bool
    by_models: frozenset[str]


def batch_settings(trainer: Any, training: bool) -> BatchSettings:
    """Returns what of a ``GRPOTrainer``'s settings the batch depends on, in training or in evaluation.

    Old log-probabilities are needed where the policy changes between generation and use: unless every window of
    accumulation ends with the last use of a generation batch. And wherever vLLM's sampling is corrected.
    """
    args, tokenizer = trainer.args, trainer._tokenizer
    lasts = args.steps_per_generation * trainer.num_iterations
    corrects = trainer.use_vllm and trainer.vllm_importance_sampling_correction
    has_old = args.gradient_accumulation_steps % lasts or corrects
    needed = {OLD_LOGPS: has_old, REF_LOGPS: trainer.beta, RATIO: corrects}
    return BatchSettings(
        rank=trainer.accelerator.process_index,
        group_size=trainer.num_generations if training else trainer.num_generations_eval,
        weights=tuple(trainer.reward_weights.tolist()),
        scale=trainer.scale_rewards,
        separately=trainer.multi_objective_aggregation == "normalize_then_sum",
        pad_id=tokenizer.pad_token_id,
        end_ids=frozenset([*trainer.eos_token_ids, tokenizer.pad_token_id]),
        multiple=trainer.pad_to_multiple_of,
        drops_truncated=trainer.mask_truncated_completions,
        by_models=frozenset(name for name, is_needed in needed.items() if is_needed),
    )


def expected_batch(settings: BatchSettings, generation: Generation) -> dict[str, Tensor]:
    """Returns the tensors that follow from what was generated and rewarded alone, on the CPU.

    ``num_items_in_batch`` is that of this rank: add up those of all. Not here are log-probabilities that a model has to
    compute, and the importance ratio that follows from them.

    Raises:
        ValueError: rewards that are not those of whole groups.
    """
    completions, multiple = generation.completions, settings.multiple
    keeps = [not settings.drops_truncated or row[-1] in settings.end_ids for row in completions]
    kept = torch.tensor(keeps).unsqueeze(1)
    batch = {}
    for name, rows, side in (("prompt", generation.prompts, "left"), ("completion", completions, "right")):
        batch[f"{name}_ids"] = _padded(rows, settings.pad_id, multiple, side)
        batch[f"{name}_mask"] = _padded([[1] * len(row) for row in rows], 0, multiple, side)
    batch["completion_mask"] *= kept
    if generation.tool_masks is not None:
        batch["tool_mask"] = _padded(generation.tool_masks, 1, multiple) * kept
    if generation.sampling_logps is not None:
        known = [[torch.nan if one is None else one for one in row] for row in generation.sampling_logps]
        batch[SAMPLING_LOGPS] = _padded(known, 0.0, multiple)
    of_all = own_advantages(settings, generation.rewards_per_func.detach().double().cpu())
    batch["advantages"] = _of_rank(settings, of_all, len(completions))
    batch["num_items_in_batch"] = counted_tokens(batch).sum()
    return batch


def compare_batch(settings: BatchSettings, generation: Generation, expected: Mapping[str, Tensor]) -> list[Finding]:
    """Returns how a batch of TRL's differs from the expected one: the first difference of each tensor.

    ``expected`` is what ``expected_batch`` returned, with ``num_items_in_batch`` of all ranks.
    """
    found, wanted = generation.batch, {*expected, *settings.by_models}
    present = {name for name in {*wanted, *SOMETIMES} if found.get(name) is not None}
    findings = [Finding(name, "no such tensor", "one") for name in sorted(wanted - present)]
    findings += [Finding(name, "a tensor", "none") for name in sorted(present - wanted)]
    rounding = rounding_of_advantages(settings, generation.rewards_per_func)
    allowed = {"advantages": _of_rank(settings, rounding, len(expected["advantages"]))}
    for name in sorted(expected.keys() & present):
        findings += first_difference(name, found[name], expected[name], allowed.get(name, 0.0))
    return findings


def _of_rank(settings: BatchSettings, of_all: Tensor, rows: int) -> Tensor:
    """Returns what of the rows of all ranks is this rank's. [W · B] → [B]"""
    return of_all[settings.rank * rows :][:rows]


def _padded(rows: Sequence[Sequence[float]], value: float, multiple: int | None, side: str = "right") -> Tensor:
    """Returns the rows as one tensor, filled up with a value on one side, to a multiple if one is given."""
    longest = pad_sequence([torch.tensor(row) for row in rows], True, value, side)
    more = -longest.shape[1] % (multiple or 1)
    return pad(longest, (more, 0) if side == "left" else (0, more), value=value)


def own_advantages(settings: BatchSettings, rewards: Tensor) -> Tensor:
    """Returns the advantages of all ranks by this package's functions, in the precision of the rewards. [W · B]"""
    weights = torch.tensor(settings.weights, dtype=rewards.dtype)
    if settings.separately:
        return separate_advantages(rewards, weights, settings.group_size)
    return group_advantages(combine_rewards(rewards, weights), settings.group_size, settings.scale)


def rounding_of_advantages(settings: BatchSettings, rewards_per_func: Tensor) -> Tensor:
    """Returns how far single precision may take the advantages of all ranks, by computing similar ones. [W · B]

    The division by a small deviation makes it large, up to the 1e4 of a group in which all rewards are equal.
    """
    rewards = rewards_per_func.detach().float().cpu()
    generator = torch.Generator().manual_seed(0)
    unit = UNIT * max(1.0, rewards.shape[1] / TERMS_OF_UNIT)
    largest = torch.zeros(len(rewards), dtype=torch.float64)
    for scale in torch.linspace(0.9, 1.1, DRAWS):
        near = rewards * scale
        signs = (torch.randint(0, 2, near.shape, generator=generator) * 2 - 1).to(near)
        apart = own_advantages(settings, near * (1 + unit * signs)) - own_advantages(settings, near.double())
        largest = torch.maximum(largest, apart.abs())
    if settings.separately:  # then each advantage is divided by what all have in common
        largest[:] = largest.max()
    return 4 * largest + TOLERANCES[torch.float32]


SMALLEST = 1e-30  # the least scale of a difference: where all should be 0, anything else is wrong
# By the precision of the log-probabilities: what a number may be off by, relative to itself, and what any number may be
# off by, relative to the greatest of its tensor. In float64 it is no less than what TRL's constants are off by, which
# have the default precision.
SHARES = {
    torch.float64: (1e-6, 1e-7),
    torch.float32: (1e-4, 1e-5),
    torch.bfloat16: (5e-2, 1e-2),
    torch.float16: (5e-3, 1e-3),
}
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
    of = {LOGPS: forward.logps, "entropies": forward.entropies}
    if forward.auxiliary is not None:
        of["auxiliary loss"] = forward.auxiliary
    leaves = {name: one.detach().clone().requires_grad_() for name, one in of.items()}
    with torch.enable_grad():
        ours = expected_loss(trainer, called.settings, called.inputs, leaves[LOGPS], leaves["entropies"])
        total = ours.loss + auxiliary_share(trainer) * leaves.get("auxiliary loss", 0.0)
    pairs = {"the loss": (theirs.detach(), total.detach())}
    if theirs.requires_grad:
        gradients = zip(of, _by(theirs, of.values()), _by(total, leaves.values()), strict=True)
        pairs |= {f"the gradient by the {name}": (one, other) for name, one, other in gradients}
    return ours, pairs


def compare_loss(trainer: Any, called: LossCall) -> Compared:
    """Returns how TRL's loss of a micro-batch, and where there is a graph its gradient, differ from this package's."""
    ours, pairs = loss_pairs(trainer, called)
    worst, most, findings = 0.0, 0.0, []
    for name, (found, expected) in pairs.items():
        if expected.numel():
            is_value = name == "the loss"
            scale = max(_greatest(expected), 1.0 if is_value else SMALLEST)
            allowed = _shares(expected)[0] * scale if is_value else of_gradient(expected)
            beyond = float(excess(found, expected, allowed).max())
            if beyond > 1 and name.endswith(LOGPS):
                allowed = allowed + DRAWN_UNITS * _rounding(trainer, called)
                beyond = float(excess(found, expected, allowed).max())
            worst, most = max(worst, float(excess(found, expected, scale).max())), max(most, beyond)
            findings += first_difference(name, found, expected, allowed)
    return Compared(worst, most, findings, ours)


def _by(loss: Tensor, of: Collection[Tensor]) -> list[Tensor]:
    """Returns the gradient of the loss by each tensor; zeros for one that it does not depend on."""
    reached = [one for one in of if one.requires_grad]
    found = iter(torch.autograd.grad(loss, reached, retain_graph=True, materialize_grads=True))
    return [next(found) if one.requires_grad else torch.zeros_like(one) for one in of]


def equation(loss_type: str) -> str:
    """Returns the equation of a loss type: what follows the colon in the first line of its function's docstring."""
    return (FORMULAS[loss_type].__doc__ or "").partition("\n")[0].partition(": ")[2].rstrip(".")


def _shares(values: Tensor) -> tuple[float, float]:
    return SHARES.get(values.dtype, SHARES[torch.float32])


def _greatest(values: Tensor) -> float:
    return float(values.abs().nan_to_num().max())


def of_gradient(gradient: Tensor) -> Tensor:
    """Returns what each element of a gradient may be off by, as long as its terms do not cancel. [B, T] → [B, T]"""
    own, of_greatest = _shares(gradient)
    return (own * gradient.abs().double() + of_greatest * _greatest(gradient)).clamp(min=SMALLEST)


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
        cast |= {name: cast[name] + moved for name in (LOGPS, OLD_LOGPS, REF_LOGPS, SAMPLING_LOGPS) if name in cast}
        leaf = cast.pop(LOGPS).requires_grad_()
        with torch.enable_grad():
            loss = expected_loss(trainer, called.settings, cast, leaf, cast.pop("entropies")).loss
        return _by(loss, [leaf])[0].double()

    exact = gradient(torch.float64, 0.0)
    drawn = [(gradient(forward.logps.dtype, moved) - exact).abs() for moved in SHIFTS]
    return torch.stack(drawn).amax(dim=0).nan_to_num(nan=0.0)


def own_logps(trainer: Any, model: Any, inputs: Mapping[str, Any], row: int) -> Tensor | str:
    """Returns the log-probabilities of the first ``TOKENS_AT_MOST`` tokens of one completion, [T'], without a graph.

    Or why they cannot be computed again. Random numbers that the model drew are put back.

    Args:
        trainer: a ``GRPOTrainer``; its temperature and its precision are used.
        model: the policy or the reference, without wrappers of ranks.
        inputs: the tensors of a micro-batch, [B, P] and [B, T].
        row: which completion.
    """
    if getattr(trainer, "is_fsdp_enabled", False) or getattr(trainer, "is_deepspeed_enabled", False):
        return "the parameters are in pieces on several ranks"
    if any(inputs.get(name) is not None for name in ("pixel_values", "num_images", "token_type_ids")):
        return "there are images"
    length = inputs["completion_ids"].shape[1]
    # the whole row, for rotary embeddings may follow its length, but only the logits that are needed
    ids, mask = (
        torch.cat([inputs[f"prompt_{what}"][row], inputs[f"completion_{what}"][row]]).unsqueeze(0)
        for what in ("ids", "mask")
    )
    # counted from the end, for a learnt prompt may come before
    places = torch.arange(min(TOKENS_AT_MOST, length), device=ids.device) - length - 1
    kept = {"logits_to_keep": places} if _keeps_logits(model) else {}
    kind = ids.device.type
    devices = range(0 if kind in ("cpu", "mps") else torch.get_device_module(kind).device_count())
    before = _random_states(kind)
    with torch.random.fork_rng(devices, device_type=kind), torch.no_grad(), trainer.accelerator.autocast():
        logits = model(input_ids=ids, attention_mask=mask, use_cache=False, **kept).logits
        drawn = any(not torch.equal(*pair) for pair in zip(before, _random_states(kind), strict=True))
    if drawn:
        return "random numbers in the model (dropout, jitter, NEFTune) make each forward pass another one"
    logits = logits if kept else logits[:, places]
    return token_logps(logits.float(), ids[:, places + 1], trainer.temperature)[0]


def _random_states(kind: str) -> list[Tensor]:
    """The states of torch's random numbers: the CPU's, and those of the current device."""
    return [torch.get_rng_state(), *([] if kind == "cpu" else [torch.get_device_module(kind).get_rng_state()])]


def _keeps_logits(model: Any) -> bool:
    """Whether a model can return the logits at some places alone."""
    within = model.get_base_model() if hasattr(model, "get_base_model") else model
    parameter = inspect.signature(type(within).forward).parameters.get("logits_to_keep")
    return "Tensor" in str(parameter)  # which has its annotation


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
    counted = counted_tokens(inputs)[row, :tokens].cpu() != 0
    allowed = NATS if _is_exact(trainer) else NATS_OF_HALF
    off = excess(found[:tokens], own, allowed).masked_fill(~counted, 0.0)
    mean = float(off.sum() / counted.sum().clamp(min=1))
    if mean <= 1:
        return []
    token = int(off.argmax())
    return [Finding(name, float(found[token].detach()), float(own[token]), (row, token), mean)]


def _is_exact(trainer: Any) -> bool:
    """Whether matrices are multiplied in single precision or better."""
    if str(trainer.accelerator.mixed_precision) in ("bf16", "fp16", "fp8"):
        return False
    products: Any = torch.backends.cuda.matmul  # a torch before 2.9 has no precision there
    precision = getattr(products, "fp32_precision", None) or torch.get_float32_matmul_precision()
    weight = next(bare(trainer, trainer.model).parameters())
    return precision in ("ieee", "none", "highest") and weight.dtype in (torch.float32, torch.float64)
