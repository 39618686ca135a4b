"""The settings under which TRL's loss is compared, and the tensors for each, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grpo_rewards.loss.grpo import LOSS_TYPES

__all__ = ["AdvantageCase", "LossCase", "SamplingCase", "advantage_cases", "loss_cases", "sampling_cases"]

ROWS, TOKENS, LENGTHS = 4, 6, (6, 3, 5, 1)
LEVELS = ("token", "sequence")
PENALTIES: tuple[dict[str, Any], ...] = ({}, {"beta": 0.04}, {"beta": 0.04, "use_bias_correction_kl": True})
BOUNDS: tuple[dict[str, Any], ...] = (
    {},
    {"epsilon_high": 0.28},
    {"epsilon_low": 0.1, "epsilon_high": 1.5, "delta": 1.2},
)


class Window(NamedTuple):
    """How micro-batches are put together."""

    accumulation_steps: int
    steps_per_generation: int
    world_size: int
    training: bool


WINDOWS = (
    Window(1, 1, 1, True),
    Window(4, 4, 2, True),
    Window(2, 8, 1, True),
    Window(3, 2, 4, True),
    Window(4, 4, 2, False),
)
OF_TENSORS = ("ratio", "masked_row", "sampled")
SPECIAL: tuple[dict[str, Any], ...] = (
    {"off_policy_mask_threshold": 0.05},
    {"top_entropy_quantile": 0.4},
    {"use_vllm": True, "vllm_importance_sampling_correction": True, "ratio": "token"},
    {"use_vllm": True, "vllm_importance_sampling_correction": True, "ratio": "sequence"},
    {"entropy_coef": 0.1},
    {"entropy_coef": 0.1, "use_adaptive_entropy": True, "entropy_target": -1.0},
    {"sapo_temperature_pos": 2.0, "sapo_temperature_neg": 0.5, "vespo_k_pos": 1.0, "vespo_lambda_neg": 4.0},
    {"masked_row": True},
    {
        "off_policy_mask_threshold": 0.1,
        "top_entropy_quantile": 0.7,
        "use_vllm": True,
        "vllm_importance_sampling_correction": True,
        "ratio": "token",
        "entropy_coef": 0.05,
        "sampled": True,
    },
)


class LossCase(NamedTuple):
    """``settings`` as a trainer holds them, and which tensors there are."""

    settings: dict[str, Any]
    window: Window
    has_old: bool
    has_tools: bool
    ratio: str | None = None
    masked_row: bool = False
    sampled: bool = False

    @property
    def seed(self) -> int:
        """Of the tensors: the same for all settings of one kind, so that they differ by nothing else."""
        return 2 * self.has_old + self.has_tools

    def tensors(self, dtype: torch.dtype) -> dict[str, Tensor]:
        """The inputs of ``_compute_loss``, with ``logps`` and ``entropies`` of the policy."""
        generator = torch.Generator().manual_seed(self.seed)

        def drawn(scale: float) -> Tensor:
            # drawn as float32 in either case, so that both compare the same numbers
            return (torch.randn(ROWS, TOKENS, generator=generator) * scale).to(dtype)

        logps = -drawn(1.0).abs() - 0.1
        mask = (torch.arange(TOKENS) < torch.tensor(LENGTHS).unsqueeze(1)).long()
        if self.masked_row:
            mask[1] = 0
        tensors = {
            "logps": logps,
            "entropies": drawn(1.0).abs(),
            "prompt_ids": torch.ones(ROWS, 2, dtype=torch.long),
            "prompt_mask": torch.ones(ROWS, 2, dtype=torch.long),
            "completion_ids": torch.ones(ROWS, TOKENS, dtype=torch.long),
            "completion_mask": mask,
            "advantages": torch.tensor([1.2, -0.7, -1.5, 0.4], dtype=dtype),
            "num_items_in_batch": (mask.sum() * self.window.steps_per_generation * self.window.world_size).to(dtype),
            "ref_per_token_logps": logps + drawn(0.4),
        }
        moved = logps + drawn(0.3)
        if self.has_old:
            tensors["old_per_token_logps"] = moved
        if self.has_tools:
            tensors["tool_mask"] = (torch.rand(ROWS, TOKENS, generator=generator) > 0.3).long()
        if self.ratio is not None:
            ratio = drawn(0.3).exp().clamp(max=1.5)
            tensors["importance_sampling_ratio"] = ratio if self.ratio == "token" else ratio[:, :1]
        if self.sampled:
            tensors["sampling_per_token_logps"] = logps + drawn(0.2)
        return tensors


def loss_cases() -> Iterator[LossCase]:
    """Every loss type with every level, KL, bound, window, old log-probabilities and tool mask; and special ones."""
    for name, level in product(LOSS_TYPES, LEVELS):
        base = {"loss_type": name, "importance_sampling_level": level}
        for penalty, bound, window, has_old, has_tools in product(
            PENALTIES, BOUNDS, WINDOWS, (False, True), (False, True)
        ):
            yield LossCase({**base, **penalty, **bound}, window, has_old, has_tools)
        for special, penalty, has_old in product(SPECIAL, PENALTIES[:2], (False, True)):
            settings = {key: value for key, value in special.items() if key not in OF_TENSORS}
            tensors = {key: value for key, value in special.items() if key in OF_TENSORS}
            yield LossCase({**base, **penalty, **settings}, WINDOWS[1], has_old, True, **tensors)


class AdvantageCase(NamedTuple):
    """Rewards of K functions for groups of G, and how TRL is told to normalise them."""

    rewards: Tensor
    weights: Tensor
    group_size: int
    scale: str
    separately: bool


def advantage_cases(dtype: torch.dtype) -> Iterator[AdvantageCase]:
    """Groups of 2, 4 and 8, of 1 to 3 rewards, also with rows and whole groups that cannot be scored."""
    generator = torch.Generator().manual_seed(7)
    for size, functions, missing in product((2, 4, 8), (1, 2, 3), (0.0, 0.3, 0.9)):
        rewards = torch.randint(0, 3, (16, functions), generator=generator).to(dtype) / 2
        rewards[:size] = 1.0  # a group in which all are equal
        rewards[torch.rand(16, functions, generator=generator) < missing] = torch.nan
        weights = torch.tensor([1.0, 0.2, -0.5][:functions], dtype=dtype)
        for scale in ("group", "batch", "none"):
            yield AdvantageCase(rewards, weights, size, scale, False)
        yield AdvantageCase(rewards, weights, size, "group", True)


class SamplingCase(NamedTuple):
    """A correction for an engine that samples and is not the one that trains."""

    correction: str
    low: float | None
    high: float | None


def sampling_cases() -> Iterator[SamplingCase]:
    bounds = ((None, 2.0), (0.5, None), (0.8, 1.2))
    for correction, (low, high) in product(
        ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask"), bounds
    ):
        yield SamplingCase(correction, low, high)
