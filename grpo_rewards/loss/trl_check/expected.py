"""What a ``GRPOTrainer`` should make of its settings and its tokens: the loss of a micro-batch, and a batch.

The batch is computed from lists of tokens, the rewards of all ranks, and settings: no trainer, no model. B is the
completions of one rank, W the ranks, K the rewards, P and T the longest prompt and completion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.advantages import Scale, combine_rewards, group_advantages, separate_advantages
from grpo_rewards.loss.grpo import GRPOLoss, grpo_loss
from grpo_rewards.loss.ratios import high_entropy_mask
from grpo_rewards.loss.trl_check.contract import LOSS_SETTINGS
from grpo_rewards.loss.trl_check.report import TOLERANCES, Finding, first_difference

__all__ = [
    "LOGPS_OF_BATCH",
    "OLD_LOGPS",
    "REF_LOGPS",
    "BatchSettings",
    "auxiliary_share",
    "batch_settings",
    "compare_batch",
    "expected_advantages",
    "expected_batch",
    "expected_loss",
    "expected_names",
    "loss_settings",
    "own_advantages",
    "rounding_of_advantages",
]

OLD_LOGPS, REF_LOGPS = "old_per_token_logps", "ref_per_token_logps"
ALWAYS = frozenset(
    ("prompt_ids", "prompt_mask", "completion_ids", "completion_mask", "advantages", "num_items_in_batch")
)
SOMETIMES = frozenset((OLD_LOGPS, REF_LOGPS, "importance_sampling_ratio", "sampling_per_token_logps", "tool_mask"))
LOGPS_OF_BATCH = (OLD_LOGPS, REF_LOGPS, "sampling_per_token_logps")
# What a reward in single precision may be off by after sums, a mean and a deviation, relative to itself. A sum of K is
# off by up to K / 2 units of rounding.
UNIT = 2 * torch.finfo(torch.float32).eps
TERMS_OF_UNIT = 4
DRAWS = 16  # of rounding, to see how far it takes advantages


def loss_settings(trainer: Any) -> dict[str, Any]:
    """Returns the arguments of ``grpo_loss`` that follow from a trainer's settings.

    Call it before TRL computes its loss, for TRL may then change the entropy bonus of the next step.
    """
    found: dict[str, Any] = {}
    for name, path in LOSS_SETTINGS.items():
        with suppress(AttributeError):  # of a TRL that has no such setting
            found[name] = attrgetter(path)(trainer)
    bonus = trainer.entropy_coef if getattr(trainer, "_entropy_bonus_enabled", False) else 0.0
    if getattr(trainer, "use_adaptive_entropy", False) and trainer._last_world_entropy > trainer.args.entropy_target:
        bonus = 0.0
    steps = trainer.current_gradient_accumulation_steps if trainer.model.training else 1
    world_size = trainer.accelerator.num_processes
    return {**found, "world_size": world_size, "accumulation_steps": steps, "entropy_coef": bonus}


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
    mask = inputs["completion_mask"]
    mask = (mask * inputs["tool_mask"] if "tool_mask" in inputs else mask).to(logps.dtype)
    quantile = trainer.top_entropy_quantile
    learning = None
    if quantile < 1:
        learning = high_entropy_mask(entropies.detach(), mask, quantile, _everywhere(trainer, entropies, mask))
    corrects = trainer.use_vllm and trainer.vllm_importance_sampling_correction
    corrects = corrects or settings["loss_type"] == "vespo"  # which uses the ratio whenever there is one
    return grpo_loss(
        logps,
        inputs["advantages"],
        mask,
        old_logps=inputs.get("old_per_token_logps"),
        ref_logps=inputs.get("ref_per_token_logps"),
        sampling_logps=inputs.get("sampling_per_token_logps"),
        importance_ratio=inputs.get("importance_sampling_ratio") if corrects else None,
        entropies=entropies,
        entropy_mask=learning,
        window_tokens=_window_tokens(trainer, inputs),
        **settings,
    )


def auxiliary_share(trainer: Any) -> float:
    """Returns what a mixture of experts' auxiliary loss is multiplied by before it is added to the loss.

    Its coefficient, by the micro-batches of a window in training, for their losses are added up; 0 without a
    request. It is no part of :func:`expected_loss`.
    """
    if not trainer.aux_loss_enabled:
        return 0.0
    coefficient: float = trainer.router_aux_loss_coef
    return coefficient / (trainer.current_gradient_accumulation_steps if trainer.model.training else 1)


def _window_tokens(trainer: Any, inputs: Mapping[str, Any]) -> Tensor:
    """Returns how many tokens an accumulation window has on all ranks: its share of those generated together."""
    generated = _generated_tokens(trainer, inputs).clamp(min=1)
    if not trainer.model.training:  # an evaluation batch is a window of its own
        return generated
    share: float = trainer.current_gradient_accumulation_steps / trainer.args.steps_per_generation
    return generated * share


def _generated_tokens(trainer: Any, inputs: Mapping[str, Any]) -> Tensor:
    """Returns how many tokens count in all micro-batches that were generated together, on all ranks."""
    buffered = getattr(trainer, "_buffered_inputs", None)
    reported: Tensor = inputs["num_items_in_batch"]
    if not buffered or not trainer.model.training:  # an evaluation, or a batch made by hand
        return reported
    masks = [one["completion_mask"] * one.get("tool_mask", 1) for one in buffered]
    own = torch.stack([mask.sum() for mask in masks]).sum()
    counted: Tensor = trainer.accelerator.gather(own).sum().to(reported)
    return counted


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
        has_old, has_ref: whether old and reference log-probabilities must be there.
        corrects: whether vLLM's sampling is corrected.
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
    has_old: bool
    has_ref: bool
    corrects: bool


def batch_settings(trainer: Any, training: bool) -> BatchSettings:
    """Returns what of a ``GRPOTrainer``'s settings the batch depends on, in training or in evaluation.

    Old log-probabilities are needed where the policy changes between generation and use: unless every window of
    accumulation ends with the last use of a generation batch. And wherever vLLM's sampling is corrected.
    """
    args, tokenizer = trainer.args, trainer._tokenizer
    lasts = args.steps_per_generation * trainer.num_iterations
    corrects = trainer.use_vllm and trainer.vllm_importance_sampling_correction
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
        has_old=bool(args.gradient_accumulation_steps % lasts) or corrects,
        has_ref=trainer.beta != 0,
        corrects=corrects,
    )


def expected_batch(
    settings: BatchSettings,
    prompts: Sequence[Sequence[int]],
    completions: Sequence[Sequence[int]],
    rewards_per_func: Tensor,
    tool_masks: Sequence[Sequence[int]] | None = None,
    sampling_logps: Sequence[Sequence[float | None]] | None = None,
) -> dict[str, Tensor]:
    """Returns the tensors that follow from what was generated and rewarded alone, on the CPU.

    ``num_items_in_batch`` is that of this rank: add up those of all. Not here are log-probabilities that a model has to
    compute, and the importance ratio that follows from them.

    Args:
        settings: see :class:`BatchSettings`.
        prompts, completions: the tokens of each, [B] lists.
        rewards_per_func: the rewards of all ranks, [W · B, K].
        tool_masks: 1 for a token of the model, 0 for one of a tool.
        sampling_logps: by the engine that sampled; ``None`` or NaN where it has none.

    Raises:
        ValueError: rewards that are not those of whole groups, or do not reach to this rank.
    """
    keeps = [not settings.drops_truncated or row[-1] in settings.end_ids for row in completions]
    kept = torch.tensor(keeps).long().unsqueeze(1)
    multiple = settings.multiple
    batch = {
        "prompt_ids": _padded(prompts, settings.pad_id, multiple, left=True),
        "prompt_mask": _padded([[1] * len(row) for row in prompts], 0, multiple, left=True),
        "completion_ids": _padded(completions, settings.pad_id, multiple),
        "completion_mask": _padded([[1] * len(row) for row in completions], 0, multiple) * kept,
    }
    counted = batch["completion_mask"]
    if tool_masks is not None:
        batch["tool_mask"] = _padded(tool_masks, 1, multiple) * kept
        counted = counted * batch["tool_mask"]
    if sampling_logps is not None:
        known = [[float("nan") if one is None else one for one in row] for row in sampling_logps]
        batch["sampling_per_token_logps"] = _padded(known, 0.0, multiple)
    advantages = expected_advantages(settings, rewards_per_func, len(completions))
    return {**batch, "advantages": advantages, "num_items_in_batch": counted.sum()}


def expected_names(settings: BatchSettings, with_tools: bool, with_sampling: bool) -> set[str]:
    """Returns the names of the tensors that a batch must have; of those known here it may have no others."""
    optional = {
        OLD_LOGPS: settings.has_old,
        REF_LOGPS: settings.has_ref,
        "importance_sampling_ratio": settings.corrects,
        "sampling_per_token_logps": with_sampling,
        "tool_mask": with_tools,
    }
    return {*ALWAYS, *(name for name, present in optional.items() if present)}


def expected_advantages(settings: BatchSettings, rewards_per_func: Tensor, rows: int) -> Tensor:
    """Returns this rank's advantages in float64. [B]

    Args:
        settings: see :class:`BatchSettings`.
        rewards_per_func: of all ranks, [W · B, K].
        rows: B.

    Raises:
        ValueError: rewards that are not those of whole groups, or do not reach to this rank.
    """
    if len(rewards_per_func) < (settings.rank + 1) * rows:
        found = len(rewards_per_func)
        raise ValueError(f"rank {settings.rank} has {rows} completions, but there are rewards of {found} alone.")
    return own_advantages(settings, rewards_per_func.detach().double().cpu())[settings.rank * rows :][:rows]


def compare_batch(
    settings: BatchSettings, found: Mapping[str, Any], expected: Mapping[str, Tensor], rewards_per_func: Tensor
) -> list[Finding]:
    """Returns how a batch of TRL's differs from the expected one: the first difference of each tensor.

    Args:
        settings: see :class:`BatchSettings`.
        found: TRL's batch.
        expected: what ``expected_batch`` returned, with ``num_items_in_batch`` of all ranks.
        rewards_per_func: of all ranks, [W · B, K].
    """
    wanted = expected_names(settings, "tool_mask" in expected, "sampling_per_token_logps" in expected)
    present = {name for name in ALWAYS | SOMETIMES if found.get(name) is not None}
    findings = [Finding(name, None, None, "no such tensor", "one") for name in sorted(wanted - present)]
    findings += [Finding(name, None, None, "a tensor", "none") for name in sorted(present - wanted)]
    for name in sorted(expected.keys() & present):
        of_tensor = first_difference(
            name, found[name], expected[name], TOLERANCES[torch.float32] if name == "advantages" else 0.0
        )
        if of_tensor and name == "advantages":
            tolerance = rounding_of_advantages(settings, rewards_per_func, len(expected[name]))
            of_tensor = first_difference(name, found[name], expected[name], tolerance)
        findings += of_tensor
    return findings


def _padded(rows: Sequence[Sequence[float]], value: float, multiple: int | None, left: bool = False) -> Tensor:
    """Returns the rows as one tensor, filled up with a value on the right, or on the left."""
    longest = max(len(row) for row in rows)
    if multiple is not None:
        longest = -(-longest // multiple) * multiple
    fill = [[value] * (longest - len(row)) for row in rows]
    return torch.tensor([[*more, *row] if left else [*row, *more] for row, more in zip(rows, fill, strict=True)])


def own_advantages(settings: BatchSettings, rewards: Tensor) -> Tensor:
    """Returns the advantages of all ranks by this package's functions, in the precision of the rewards. [W · B]"""
    weights = torch.tensor(settings.weights, dtype=rewards.dtype)
    if settings.separately:
        return separate_advantages(rewards, weights, settings.group_size)
    return group_advantages(combine_rewards(rewards, weights), settings.group_size, settings.scale)


def rounding_of_advantages(settings: BatchSettings, rewards_per_func: Tensor, rows: int) -> Tensor:
    """Returns how far single precision may take this rank's advantages, as found by computing similar ones. [B]

    The division by a small deviation makes it large, up to the 1e4 of a group in which all rewards are equal.
    Arguments are those of :func:`expected_advantages`.
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
    return 4 * largest[settings.rank * rows :][:rows] + TOLERANCES[torch.float32]
