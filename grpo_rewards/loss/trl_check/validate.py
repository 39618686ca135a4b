"""Compares the installed TRL's loss and advantages with this package's, value and gradient, over many settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.advantages import combine_rewards, group_advantages, separate_advantages
from grpo_rewards.loss.loss_types import LOSS_TYPES
from grpo_rewards.loss.ratios import importance_sampling_ratio
from grpo_rewards.loss.trl_check.cases import (
    LENGTHS,
    ROWS,
    TOKENS,
    AdvantageCase,
    LossCase,
    SamplingCase,
    advantage_cases,
    loss_cases,
    sampling_cases,
)
from grpo_rewards.loss.trl_check.expected import auxiliary_share, expected_loss, loss_settings
from grpo_rewards.loss.trl_check.heads import LEAST_OF_HEADS, check_heads
from grpo_rewards.loss.trl_check.report import TOLERANCES, Difference, Report, difference, kinds, nan_last
from grpo_rewards.loss.trl_check.shuffled_rows import LEAST_OF_ROWS, check_rows
from grpo_rewards.loss.trl_check.standin import loss_trainer, scoring_trainer
from grpo_rewards.loss.trl_check.step.whole import LEAST_IN_STEPS, check_steps
from grpo_rewards.loss.trl_check.support import SUPPORTED_TRL, is_supported, truly_lacking

__all__ = ["LEAST_COMPARISONS", "TOLERANCES", "Difference", "Report", "difference", "kinds", "validate_trl_loss"]

# How many comparisons each kind of case must come to, in both precisions together.
LEAST_ON_TENSORS = {**dict.fromkeys(LOSS_TYPES, 1824), "advantages": 216, "importance ratio": 24}
LEAST_COMPARISONS = {**LEAST_ON_TENSORS, **LEAST_OF_HEADS, **LEAST_OF_ROWS, **LEAST_IN_STEPS}
WHOLE_STEP = "a whole step"
AUXILIARY = 0.8125  # the auxiliary loss of a mixture of experts, exact in every precision


def validate_trl_loss(stop_at_first: bool = False, on_case: Callable[[str], None] | None = None) -> Report:
    """Compares the installed TRL with this package: its loss and advantages, and the whole step around them.

    The loss is compared value and gradient, in float64 and float32, on batches made by hand, which TRL's own methods
    are called with. The step is compared in runs of a tiny model, alone and on two ranks: from the prompts to the
    gradient that reaches the weights, and what is logged. All of it runs on a CPU, without a network, in about a
    minute.

    It is written for the versions of TRL in ``SUPPORTED_TRL``: there, what cannot be run has failed. What another
    version does not have, an option, a loss type, a method, is in the report's ``lacking``, and the rest is compared.

    Args:
        stop_at_first: whether to end as soon as something is wrong; the steps, which show most, come first.
        on_case: called with what is compared next.
    """
    start = time.perf_counter()
    report = Report(trl=version("trl"), least=dict(LEAST_COMPARISONS), on_case=on_case)
    usual, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are tiny
    try:
        torch.set_default_dtype(torch.float64)
        if is_supported(report.trl):
            check_rows(report)
            check_heads(report, stop_at_first)
            check_steps(report, stop_at_first)
        else:
            first, last = SUPPORTED_TRL
            report.lacking[WHOLE_STEP] = [f"it is checked from TRL {first} on, below {last}"]
            report.least = {kind: least for kind, least in LEAST_COMPARISONS.items() if kind in LEAST_ON_TENSORS}
        for dtype in TOLERANCES:
            # TRL makes some constants in the default precision, not in that of its tensors: the temperatures of SAPO,
            # and n / (n - 1) of the deviation
            torch.set_default_dtype(dtype)
            for kind, compare, case in _cases(dtype):
                if stop_at_first and report.is_wrong:
                    break
                with report.failing(kind, case, partial(_lacking, case)):
                    report.differences.append(compare(case, dtype))
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(usual)
    report.seconds = time.perf_counter() - start
    return report


def _cases(dtype: torch.dtype) -> Iterator[tuple[str, Callable[..., Difference], Any]]:
    for loss_case in loss_cases():
        yield str(loss_case.settings["loss_type"]), _of_loss, loss_case
    for advantage_case in advantage_cases(dtype):
        yield "advantages", _of_advantages, advantage_case
    for sampling_case in sampling_cases():
        yield "importance ratio", _of_sampling, sampling_case


def _lacking(case: LossCase | AdvantageCase | SamplingCase, error: BaseException) -> str | None:
    """Returns what of a case's needs the installed TRL does not have."""
    return truly_lacking(*_needed(case), error)


def _needed(case: LossCase | AdvantageCase | SamplingCase) -> tuple[list[str], list[str]]:
    """Returns the names of the options, and of TRL's methods, that a case cannot do without."""
    if isinstance(case, LossCase):
        methods = {"loss_type": {"vespo": ["get_gamma_weights"]}.get(case.settings["loss_type"], [])}
        methods["top_entropy_quantile"], methods["off_policy_mask_threshold"] = (
            ["get_high_entropy_mask"],
            ["get_off_policy_mask"],
        )
        return list(case.settings), ["_compute_loss", *(one for name in case.settings for one in methods.get(name, []))]
    if isinstance(case, AdvantageCase):
        separately = ["multi_objective_aggregation"] if case.separately else []
        return ["scale_rewards", *separately], ["_generate_and_score_completions"]
    names = ("correction", "mode", *(f"clip_{one}" for one in ("min", "max")))
    return [f"vllm_importance_sampling_{name}" for name in names], ["_generate_and_score_completions"]


def _of_loss(case: LossCase, dtype: torch.dtype) -> Difference:
    tensors = case.tensors(dtype)
    leaves = [*(tensors.pop(name) for name in ("logps", "entropies")), torch.tensor(AUXILIARY, dtype=dtype)]
    theirs, mine = ([leaf.clone().requires_grad_() for leaf in leaves] for _ in range(2))
    trainer = loss_trainer(
        theirs[0],
        theirs[1],
        case.window.training,
        case.window.world_size,
        theirs[2],
        current_gradient_accumulation_steps=case.window.accumulation_steps,
        gradient_accumulation_steps=case.window.accumulation_steps,
        steps_per_generation=case.window.steps_per_generation,
        **case.settings,
    )
    settings = loss_settings(trainer)
    share = auxiliary_share(trainer)
    expected = expected_loss(trainer, settings, tensors, mine[0], mine[1]).loss + share * mine[2]
    computed = trainer._compute_loss(trainer.model, tensors)
    gradients = [
        torch.autograd.grad(loss, of, allow_unused=True) for loss, of in ((computed, theirs), (expected, mine))
    ]
    apart = [_of_gradients(*pair) for pair in zip(*gradients, strict=True)]
    off = [difference(computed.detach(), expected.detach()), _of_metric(trainer, [AUXILIARY] if share else [])]
    name = str(case.settings["loss_type"])
    return Difference(name, dtype, max(off, key=nan_last), max(apart, key=nan_last), str(case))


def _of_metric(trainer: Any, expected: list[float]) -> float:
    """Returns how far the auxiliary loss that is logged is off; NaN where it is logged and must not be, or not."""
    found = trainer._metrics["train" if trainer.model.training else "eval"].get("aux_loss", [])
    return difference(torch.tensor(found), torch.tensor(expected))


def _of_gradients(theirs: Tensor | None, mine: Tensor | None) -> float:
    if theirs is None or mine is None:  # None is a gradient of 0
        return max(float(one.abs().max()) for one in (theirs, mine) if one is not None) if theirs is not mine else 0.0
    return difference(theirs, mine)


def _of_advantages(case: AdvantageCase, dtype: torch.dtype) -> Difference:
    lengths = [3] * len(case.rewards)
    settings = {
        "num_generations": case.group_size,
        "scale_rewards": case.scale,
        "multi_objective_aggregation": "normalize_then_sum" if case.separately else "sum_then_normalize",
        "reward_weights": case.weights,
    }
    trainer = scoring_trainer(case.rewards, lengths, torch.zeros(len(lengths), 3, dtype=dtype), None, **settings)
    theirs = _scored(trainer, len(lengths))["advantages"]
    if case.separately:
        mine = separate_advantages(case.rewards, case.weights, case.group_size)
    else:
        mine = group_advantages(combine_rewards(case.rewards, case.weights), case.group_size, case.scale)  # type: ignore[arg-type]
    return Difference("advantages", dtype, difference(theirs, mine), None, str(case))


def _of_sampling(case: SamplingCase, dtype: torch.dtype) -> Difference:
    generator = torch.Generator().manual_seed(3)
    old = -torch.rand(ROWS, TOKENS, generator=generator).to(dtype)
    # TRL gets the engine's log-probabilities as lists of Python's floats, and makes float32 of them
    sampled = (old + 0.4 * torch.randn(ROWS, TOKENS, generator=generator).to(dtype)).float()
    sampled[0, 2] = torch.nan  # a token that the engine has no log-probability for
    settings: dict[str, Any] = {
        "use_vllm": True,
        "vllm_importance_sampling_correction": True,
        "vllm_importance_sampling_mode": case.correction,
        "vllm_importance_sampling_clip_min": case.low,
        "vllm_importance_sampling_clip_max": case.high,
    }
    rewards = torch.zeros(ROWS, 1, dtype=dtype)
    trainer = scoring_trainer(rewards, list(LENGTHS), old, sampled, **settings)
    theirs = _scored(trainer, ROWS)["importance_sampling_ratio"]
    mask = (torch.arange(TOKENS) < torch.tensor(LENGTHS).unsqueeze(1)).to(dtype)
    mine = importance_sampling_ratio(old, sampled.to(dtype), mask, case.correction, case.low, case.high)  # type: ignore[arg-type]
    return Difference("importance ratio", dtype, difference(theirs, mine), None, str(case))


def _scored(trainer: Any, rows: int) -> dict[str, Tensor]:
    scored: dict[str, Tensor] = trainer._generate_and_score_completions([{"prompt": ""} for _ in range(rows)])
    return scored
