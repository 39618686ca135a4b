"""Objects that TRL's own methods take for a ``GRPOTrainer``, so that they run without a model and a dataset."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

__all__ = ["loss_trainer", "scoring_trainer"]

# The settings that TRL's methods read, of GRPOConfig and then of GRPOTrainer, with their values where a case gives
# nothing. They are values to start from, not TRL's own defaults.
ARGS: dict[str, Any] = {
    "delta": None,
    "use_bias_correction_kl": False,
    "sapo_temperature_pos": 1.0,
    "sapo_temperature_neg": 1.05,
    "vespo_k_pos": 2.0,
    "vespo_lambda_pos": 3.0,
    "vespo_k_neg": 3.0,
    "vespo_lambda_neg": 2.0,
    "steps_per_generation": 1,
    "gradient_accumulation_steps": 1,
    "entropy_target": 0.2,
    "entropy_coef_delta": 0.01,
    "entropy_coef_min": 0.0,
    "entropy_coef_max": 1.0,
    "per_device_train_batch_size": 8,
    "per_device_eval_batch_size": 8,
    "gradient_checkpointing_kwargs": None,
}
TRAINER: dict[str, Any] = {
    "loss_type": "dapo",
    "importance_sampling_level": "token",
    "epsilon_low": 0.2,
    "epsilon_high": 0.2,
    "beta": 0.0,
    "max_completion_length": 16,
    "current_gradient_accumulation_steps": 1,
    "top_entropy_quantile": 1.0,
    "off_policy_mask_threshold": None,
    "use_vllm": False,
    "vllm_importance_sampling_correction": False,
    "entropy_coef": 0.0,
    "use_adaptive_entropy": False,
    "aux_loss_enabled": False,
    "router_aux_loss_coef": 0.001,
}
METHODS = tuple(
    """
    _compute_loss _generate_and_score_completions get_high_entropy_mask get_off_policy_mask get_gamma_weights
    """.split()
)
# And for those that _generate_and_score_completions reads besides.
SCORING: dict[str, Any] = {
    "environment_factories": None,
    "environments": None,
    "tools": None,
    "_tokenizer": SimpleNamespace(pad_token_id=0),
    "pad_to_multiple_of": None,
    "mask_truncated_completions": False,
    "num_iterations": 1,
    "vllm_importance_sampling_mode": "token_truncate",
    "vllm_importance_sampling_clip_min": None,
    "vllm_importance_sampling_clip_max": 2.0,
    "ref_model": None,
    "num_generations": 2,
    "num_generations_eval": 2,
    "multi_objective_aggregation": "sum_then_normalize",
    "scale_rewards": "group",
    "log_multimodal": False,
    "_is_vlm": False,
}


class _Accelerator:
    """An accelerator on rank 0 of several, whose collective operations return what they are given."""

    sync_gradients = True
    process_index = 0
    device = torch.device("cpu")

    def __init__(self, num_processes: int) -> None:
        self.num_processes = num_processes

    def gather(self, tensor: Tensor) -> Tensor:
        return tensor

    gather_for_metrics = gather

    def reduce(self, tensor: Tensor, reduction: str = "sum") -> Tensor:
        return tensor

    def pad_across_processes(self, tensor: Tensor, dim: int = 0, pad_index: float = 0) -> Tensor:
        return tensor


def loss_trainer(
    logps: Tensor, entropies: Tensor, training: bool, world_size: int, auxiliary: Tensor | None = None, **settings: Any
) -> Any:
    """Returns an object on which ``GRPOTrainer._compute_loss`` can be called.

    Args:
        logps: log π_θ of each token, which a model would compute, [B, T].
        entropies: the entropy of each token's distribution, [B, T].
        training: whether the model is in training mode.
        world_size: the number of ranks that TRL sees.
        auxiliary: the load-balancing loss of a mixture of experts, a scalar; ``None``: the model is none.
        settings: values for names of ``ARGS`` and ``TRAINER`` in place of the defaults.
    """
    trainer = _made({**TRAINER}, training, world_size, settings)
    trainer._entropy_bonus_enabled = trainer.entropy_coef != 0 or trainer.use_adaptive_entropy
    trainer._last_world_entropy, trainer._entropy_window_stats = 0.1, None
    trainer._get_per_token_logps_and_entropies = lambda *_, **wanted: (
        logps,
        entropies,
        auxiliary if wanted.get("compute_aux_loss") else None,
    )
    return trainer


def scoring_trainer(
    rewards_per_func: Tensor, lengths: list[int], logps: Tensor, sampling_logps: Tensor | None, **settings: Any
) -> Any:
    """Returns an object on which ``GRPOTrainer._generate_and_score_completions`` can be called.

    Args:
        rewards_per_func: the rewards, which reward functions would compute, [B, K].
        lengths: the number of tokens of each completion.
        logps: log-probabilities by the training engine, [B, T].
        sampling_logps: log-probabilities by the sampling engine, [B, T]; ``None``: it gives none.
        settings: values for names of ``ARGS``, ``TRAINER`` and ``SCORING`` in place of the defaults.
    """
    trainer = _made({**TRAINER, **SCORING}, True, 1, settings)
    texts, ids = ["" for _ in lengths], [[1] * length for length in lengths]
    sampled = None
    if sampling_logps is not None:
        sampled = [row[:length].tolist() for row, length in zip(sampling_logps, lengths, strict=True)]
    generated: tuple[Any, ...] = ([[1]] * len(lengths), ids, None, texts, sampled, {}, None, None)
    trainer._generate = lambda prompts: generated
    trainer._calculate_rewards = lambda *_: rewards_per_func
    trainer._get_per_token_logps_and_entropies = lambda *_, **__: (logps, None, None)
    names = [f"reward_{index}" for index in range(rewards_per_func.shape[1])]
    trainer.reward_funcs, trainer.reward_func_names = names, names
    if not hasattr(trainer, "reward_weights"):
        trainer.reward_weights = torch.ones(len(names), dtype=rewards_per_func.dtype)
    trainer._logs = {"prompt": [], "completion": [], "rewards": defaultdict(list), "advantages": []}
    trainer._logs["extra"] = defaultdict(list)
    trainer._pending_extra_logs, trainer._pending_metrics = {}, {}
    return trainer


def _made(known: dict[str, Any], training: bool, world_size: int, settings: dict[str, Any]) -> Any:
    from trl import GRPOTrainer

    # a method that another version of TRL does not have raises AttributeError when it is called, not here
    methods = {name: GRPOTrainer.__dict__[name] for name in METHODS if name in GRPOTrainer.__dict__}
    stand_in = type("StandIn", (SimpleNamespace,), methods)
    in_args = {name: settings.pop(name) for name in list(settings) if name in ARGS}
    return stand_in(
        args=SimpleNamespace(**{**ARGS, **in_args}),
        model=SimpleNamespace(training=training, is_gradient_checkpointing=False),
        accelerator=_Accelerator(world_size),
        _metrics={"train": defaultdict(list), "eval": defaultdict(list)},
        **{**known, **settings},
    )
