"""The settings under which TRL is compared with this package, and the tensors for each, the same on every machine."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple, get_args

import torch
from torch import Tensor

from grpo_rewards.loss.advantages import Scale
from grpo_rewards.loss.loss_types import LOSS_TYPES
from grpo_rewards.loss.ratios import Correction

Settings = dict[str, Any]
ROWS, TOKENS, LENGTHS = 4, 6, (6, 3, 5, 1)
LEVELS = ("token", "sequence")
PENALTIES: tuple[Settings, ...] = (
    {},
    {"beta": 0.04, "use_bias_correction_kl": False},
    {"beta": 0.04, "use_bias_correction_kl": True},
)
BOUNDS: tuple[Settings, ...] = (
    {},
    {"epsilon_high": 0.28},
    {"epsilon_low": 0.1, "epsilon_high": 1.5, "delta": 1.2},
)


class Window(NamedTuple):
    """How micro-batches make up an accumulation window, and whether they are of training or of evaluation."""

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
    Window(3, 2, 2, False),
)
CORRECTED = {"use_vllm": True, "vllm_importance_sampling_correction": True}
SPECIAL: tuple[Settings, ...] = (
    {"off_policy_mask_threshold": 0.05},
    {"off_policy_mask_threshold": 0.05, "masked_row": True},
    {"off_policy_mask_threshold": 0.05, "sampled": "far"},
    {"off_policy_mask_threshold": 0.05, "sampled": "partly unknown"},
    {"off_policy_mask_threshold": 0.3, "sampled": "both ways"},
    {"top_entropy_quantile": 0.4},
    {**CORRECTED, "ratio": "token"},
    {**CORRECTED, "ratio": "sequence"},
    {**CORRECTED, "ratio": "with zeros"},
    {"use_vllm": True, "vllm_importance_sampling_correction": False, "ratio": "token"},
    {"vllm_importance_sampling_correction": True, "ratio": "token"},
    {"entropy_coef": 0.1},
    {"entropy_coef": 0.1, "use_adaptive_entropy": True, "entropy_target": -1.0},
    {"entropy_coef": 0.1, "use_adaptive_entropy": True, "entropy_target": 0.5},
    {"entropy_coef": 0.1, "top_entropy_quantile": 0.4},
    {"sapo_temperature_pos": 2.0, "sapo_temperature_neg": 0.5},
    {"vespo_k_pos": 1.3, "vespo_lambda_pos": 2.2, "vespo_k_neg": 2.7, "vespo_lambda_neg": 4.0},
    {"vespo_lambda_pos": 0.0, "vespo_lambda_neg": 0.0},
    {"masked_row": True},
    {"masked_row": "all"},
    {"advantages": "by token"},
    {"moved": 8.0},
    {"moved": 30.0},
    {"moved": "far, both ways", "vespo_k_pos": 0.5, "vespo_k_neg": 0.5},  # so small that a weight is at its bound
    {"epsilon_high": 0.28, "delta": 1.4, "moved": 1.0},
    {"epsilon_high": 0.28, "delta": 3.0, "moved": 2.0},
    {"max_completion_length": 7},
    {"aux_loss_enabled": True, "router_aux_loss_coef": 0.3},
    {"aux_loss_enabled": False, "router_aux_loss_coef": 0.3},
    {
        **CORRECTED,
        "off_policy_mask_threshold": 0.1,
        "top_entropy_quantile": 0.7,
        "ratio": "token",
        "entropy_coef": 0.05,
        "sampled": "far",
    },
)
SPECIAL_WINDOWS = (WINDOWS[1], WINDOWS[5])


class LossCase(NamedTuple):
    """One comparison of the loss.

    Attributes:
        settings: names and values as a trainer has them.
        window: how micro-batches make up a window.
        has_old: whether there are ``old_per_token_logps``; if not, the policy is on policy.
        has_tools: whether there is a ``tool_mask``.
        ratio: the kind of ``importance_sampling_ratio``: ``token``, ``sequence``, ``with zeros``; ``None``: none.
        masked_row: whether completion 1 is masked altogether; ``all``: all completions are.
        sampled: the kind of ``sampling_per_token_logps``: ``far``, ``partly unknown``, ``both ways``; ``None``: none.
        advantages: ``by completion``, [B], or ``by token``, [B, T].
        moved: the standard deviation of log π_old - log π_θ, or ``far, both ways``.
    """

    settings: Settings
    window: Window
    has_old: bool
    has_tools: bool
    ratio: str | None = None
    masked_row: bool | str = False
    sampled: str | None = None
    advantages: str = "by completion"
    moved: float | str = 0.3

    @property
    def kind(self) -> str:
        """The row of the table."""
        return str(self.settings["loss_type"])

    @property
    def named(self) -> Settings:
        """The settings, the window, and the kinds of tensors that are not as usual, by name."""
        kinds = {name: one for name, one in self._asdict().items() if one != self._field_defaults.get(name)}
        settings, window = kinds.pop("settings"), kinds.pop("window")
        return {**settings, **window._asdict(), **kinds}

    def tensors(self, dtype: torch.dtype) -> dict[str, Tensor]:
        """Returns the inputs of ``_compute_loss``, and with them the policy's ``logps`` and ``entropies``, [B, T]."""
        # no seed of the settings, so that cases differ by their settings alone
        generator = torch.Generator().manual_seed(2 * self.has_old + self.has_tools)

        def drawn(scale: float) -> Tensor:
            # drawn as float32 for both precisions, so that both get the same numbers
            return (torch.randn(ROWS, TOKENS, generator=generator) * scale).to(dtype)

        logps = -drawn(1.0).abs() - 0.1
        mask = (torch.arange(TOKENS) < torch.tensor(LENGTHS).unsqueeze(1)).long()
        if self.masked_row:
            mask[slice(None) if self.masked_row == "all" else 1] = 0
        counted = mask
        # entropies are multiples of 1/4, so that some are exactly at the threshold of a quantile
        tensors = {"logps": logps, "entropies": (drawn(4.0).abs().round() + 1) / 4}
        if isinstance(self.moved, str):
            moved = logps + torch.tensor([40.0, -30.0]).to(dtype).repeat(TOKENS // 2)
        else:
            moved = logps + drawn(self.moved)
        ref = logps + drawn(0.4)
        if self.has_tools:
            tensors["tool_mask"] = (torch.rand(ROWS, TOKENS, generator=generator) > 0.3).long()
            counted = mask * tensors["tool_mask"]
        if self.has_old:
            tensors["old_per_token_logps"] = moved
        if self.ratio is not None:
            tensors["importance_sampling_ratio"] = self._ratio(drawn(0.3).exp().clamp(max=1.5), counted)
        if self.sampled is not None:
            tensors["sampling_per_token_logps"] = self._sampled(logps, drawn(0.05))
        advantages = torch.tensor([1.2, -0.7, -1.5, 0.0], dtype=dtype)
        by_token = advantages.unsqueeze(1) + drawn(0.5)
        generated = counted.sum() * self.window.steps_per_generation * self.window.world_size
        return {
            **tensors,
            **dict.fromkeys(("prompt_ids", "prompt_mask", "completion_ids"), torch.ones_like(mask)),
            "completion_mask": mask,
            "advantages": by_token if self.advantages == "by token" else advantages,
            "num_items_in_batch": generated.to(dtype),
            "ref_per_token_logps": ref,
        }

    def _ratio(self, drawn: Tensor, counted: Tensor) -> Tensor:
        """Returns the ratio as TRL makes it: 1 where the mask is 0, and 0 where it was out of bounds."""
        if self.ratio == "sequence":
            return drawn[:, :1]
        drawn = drawn.masked_fill(drawn > 1.2, 0.0) if self.ratio == "with zeros" else drawn
        return drawn.masked_fill(counted == 0, 1.0)

    def _sampled(self, logps: Tensor, drawn: Tensor) -> Tensor:
        """Returns log-probabilities by another engine: all greater than the policy's, or some greater and some less."""
        if self.sampled == "both ways":
            return logps + drawn + torch.tensor([1.0, -1.0]).to(logps).repeat(TOKENS // 2)
        sampled = logps + drawn + torch.tensor([0.0, 0.2, 0.02, 0.2]).to(logps).unsqueeze(1)
        if self.sampled == "partly unknown":
            sampled[2, 1] = torch.nan
        return sampled


def loss_cases() -> Iterator[LossCase]:
    """Yields each loss type and level with KLs, bounds, windows, old policies and tool masks, and with ``SPECIAL``."""
    for name, level in product(LOSS_TYPES, LEVELS):
        base = {"loss_type": name, "importance_sampling_level": level}
        numbered = product(enumerate(PENALTIES), enumerate(BOUNDS), enumerate(WINDOWS), (False, True), (False, True))
        for (i, penalty), (j, bound), (k, window), has_old, has_tools in numbered:
            if (i + j + k) % 3 == 0:  # a third of them, in which each two still meet
                yield LossCase({**base, **penalty, **bound}, window, has_old, has_tools)
        of_special = product(SPECIAL, enumerate(PENALTIES[:2]), enumerate(SPECIAL_WINDOWS), (False, True))
        for special, (i, penalty), (k, window), has_old in of_special:
            if (i + k + has_old) % 2 == 0:  # half of them
                tensors = {key: value for key, value in special.items() if key in LossCase._fields}
                settings = {key: value for key, value in special.items() if key not in tensors}
                yield LossCase({**base, **penalty, **settings}, window, has_old, True, **tensors)


class ScoringCase(NamedTuple):
    """One comparison of what a batch is given beside its tokens.

    Attributes:
        rewards: of K reward functions, [B, K]; NaN where one returned ``None``.
        settings: names and values as a trainer has them.
        logps: log-probabilities by the training engine, [B, T].
        sampling_logps: log-probabilities by the engine that sampled, [B, T]; ``None``: it gives none.
    """

    rewards: Tensor
    settings: Settings
    logps: Tensor
    sampling_logps: Tensor | None = None

    @property
    def kind(self) -> str:
        """The row of the table."""
        return "advantages" if self.sampling_logps is None else "importance ratio"

    @property
    def lengths(self) -> list[int]:
        """The number of tokens of each completion."""
        return [LENGTHS[at % ROWS] for at in range(len(self.rewards))]


def scoring_cases(dtype: torch.dtype) -> Iterator[ScoringCase]:
    """Yields advantages of groups of 2, 4 and 8 with 1 to 3 rewards, and each correction of ratios with its bounds."""
    generator = torch.Generator().manual_seed(7)
    scales = [{"scale_rewards": one} for one in get_args(Scale)]
    for size, functions, missing in product((2, 4, 8), (1, 2, 3), (0.0, 0.3, 0.9)):
        rewards = torch.randint(0, 3, (16, functions), generator=generator).to(dtype) / 2
        rewards[:size] = 1.0  # a group in which all are equal
        rewards[torch.rand(16, functions, generator=generator) < missing] = torch.nan  # at times of a whole group
        weights = torch.tensor([1.0, 0.2, -0.5][:functions], dtype=dtype)
        for scale in (*scales, {"multi_objective_aggregation": "normalize_then_sum"}):
            settings = {"num_generations": size, "reward_weights": weights, **scale}
            yield ScoringCase(rewards, settings, torch.zeros(16, TOKENS, dtype=dtype))
    old = -torch.rand(ROWS, TOKENS, generator=generator).to(dtype)
    # TRL gets the engine's log-probabilities as lists of Python's floats, and makes float32 of them
    sampled = (old + 0.4 * torch.randn(ROWS, TOKENS, generator=generator).to(dtype)).float()
    sampled[0, 2] = torch.nan  # a token that the engine has no log-probability for
    for mode, (low, high) in product(get_args(Correction), ((None, 2.0), (0.5, None), (0.8, 1.2))):
        bounds = {"vllm_importance_sampling_clip_min": low, "vllm_importance_sampling_clip_max": high}
        settings = {**CORRECTED, "reward_weights": torch.ones(1), "vllm_importance_sampling_mode": mode, **bounds}
        yield ScoringCase(torch.zeros(ROWS, 1, dtype=dtype), settings, old, sampled)
