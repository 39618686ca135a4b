"""A trainer as its configuration says it must be: what it holds, its random states, and how its entropy bonus moves."""

import hashlib
import math
import random
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

# What a trainer holds of its settings, and the name that GRPOConfig has for it.
HELD_SETTINGS = {"epsilon_low": "epsilon"}
HELD_SETTINGS |= {
    name: name
    for name in """
    num_generations max_completion_length max_tool_calling_iterations temperature top_p top_k min_p
    repetition_penalty pad_to_multiple_of use_vllm vllm_importance_sampling_correction vllm_importance_sampling_mode
    vllm_importance_sampling_clip_min vllm_importance_sampling_clip_max loss_type multi_objective_aggregation
    scale_rewards importance_sampling_level off_policy_mask_threshold mask_truncated_completions
    top_entropy_quantile entropy_coef use_adaptive_entropy shuffle_dataset num_iterations epsilon_high beta
    num_generations_eval
    """.split()
}


class _Ranks:
    """An accelerator on which everything was gathered before."""

    def __init__(self, world_size: int, entropies: Tensor) -> None:
        self.num_processes, self.entropies = world_size, entropies

    def pad_across_processes(self, own: Tensor, **_: Any) -> Tensor:
        return own

    def gather(self, own: Tensor) -> Tensor:
        return self.entropies


class Control:
    """The coefficient of the entropy bonus, which an adaptive one changes after each step.

    It goes up by ``entropy_coef_delta`` while the entropy of the step's tokens, on all ranks, is at or below
    ``entropy_target``, else down, between its bounds. The bonus is given where the step before was at or below it.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        self.config, self.coefficient, self.last = config, config["entropy_coef"], math.inf

    def after(self, entropy: float) -> None:
        """Takes note of the mean entropy, in nats, of a step's tokens."""
        config = self.config
        if not config["use_adaptive_entropy"]:
            return
        change = config["entropy_coef_delta"] * (1 if entropy <= config["entropy_target"] else -1)
        bounded = min(max(self.coefficient + change, config["entropy_coef_min"]), config["entropy_coef_max"])
        self.coefficient, self.last = bounded, entropy


def configured(
    config: dict[str, Any], world_size: int, training: bool, control: Control, accumulation: int, entropies: Tensor
) -> Any:
    """Returns an object for ``loss_settings`` and ``expected_loss`` that has what the configuration says.

    Args:
        config: of ``GRPOConfig``.
        world_size: the number of ranks.
        training: not an evaluation.
        control: of the entropy bonus.
        accumulation: how many micro-batches the window has.
        entropies: of the tokens that count on all ranks, [N].
    """
    held = {name: config[known] for name, known in HELD_SETTINGS.items()}
    held["epsilon_high"] = config["epsilon"] if held["epsilon_high"] is None else held["epsilon_high"]
    held["entropy_coef"] = control.coefficient
    return SimpleNamespace(
        **held,
        args=SimpleNamespace(**config),
        model=SimpleNamespace(training=training),
        accelerator=_Ranks(world_size, entropies.detach()),
        current_gradient_accumulation_steps=accumulation,
        _entropy_bonus_enabled=config["entropy_coef"] != 0 or config["use_adaptive_entropy"],
        _last_world_entropy=control.last,
        _buffered_inputs=None,
        aux_loss_enabled=False,
    )


def mean_entropy(entropies: list[Tensor], masks: list[Tensor]) -> float:
    """Returns the mean entropy, in nats, over the tokens that count in some micro-batches."""
    total = torch.stack([(one * mask).sum() for one, mask in zip(entropies, masks, strict=True)]).sum()
    return float(total / torch.stack([mask.sum() for mask in masks]).sum().clamp(min=1))


def random_states() -> dict[str, str]:
    """Returns digests of the random states of torch and of Python."""
    return _digests(torch.get_rng_state(), random.getstate())


def seeded_states(seed: int) -> dict[str, str]:
    """Returns the digests of both states after a seed was set."""
    return _digests(torch.Generator().manual_seed(seed).get_state(), random.Random(seed).getstate())


def _digests(of_torch: Tensor, of_python: Any) -> dict[str, str]:
    states = {"torch": bytes(of_torch.tolist()), "python": repr(of_python).encode()}
    return {name: hashlib.sha256(state).hexdigest()[:16] for name, state in states.items()}
