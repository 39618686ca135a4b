"""The loss that a ``GRPOTrainer`` should compute, given its settings and its tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.grpo import GRPOLoss, grpo_loss
from grpo_rewards.loss.ratios import high_entropy_mask

__all__ = ["auxiliary_share", "expected_loss", "loss_settings"]


def loss_settings(trainer: Any) -> dict[str, Any]:
    """Returns the arguments of ``grpo_loss`` that follow from a trainer's settings.

    Call it before TRL computes its loss, for TRL may then change the entropy bonus of the next step.
    """
    args, training = trainer.args, trainer.model.training
    bonus = trainer.entropy_coef if trainer._entropy_bonus_enabled else 0.0
    if trainer.use_adaptive_entropy and trainer._last_world_entropy > args.entropy_target:
        bonus = 0.0
    return {
        "loss_type": trainer.loss_type,
        "importance_sampling_level": trainer.importance_sampling_level,
        "epsilon": trainer.epsilon_low,
        "epsilon_high": trainer.epsilon_high,
        "delta": args.delta,
        "beta": trainer.beta,
        "bias_correction_kl": args.use_bias_correction_kl,
        "max_completion_length": trainer.max_completion_length,
        "world_size": trainer.accelerator.num_processes,
        "accumulation_steps": trainer.current_gradient_accumulation_steps if training else 1,
        "entropy_coef": bonus,
        "off_policy_threshold": trainer.off_policy_mask_threshold,
        "sapo_temperature_pos": args.sapo_temperature_pos,
        "sapo_temperature_neg": args.sapo_temperature_neg,
        "vespo_k_pos": args.vespo_k_pos,
        "vespo_lambda_pos": args.vespo_lambda_pos,
        "vespo_k_neg": args.vespo_k_neg,
        "vespo_lambda_neg": args.vespo_lambda_neg,
    }


def expected_loss(
    trainer: Any, settings: Mapping[str, Any], inputs: Mapping[str, Any], logps: Tensor, entropies: Tensor
) -> GRPOLoss:
    """Returns this package's loss of one micro-batch.

    Args:
        trainer: a ``GRPOTrainer``, or an object of ``standin``.
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
