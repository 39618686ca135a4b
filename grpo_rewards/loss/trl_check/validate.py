"""Compares the installed TRL's loss and advantages with this package's, value and gradient, over many settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.advantages import combine_rewards, group_advantages, separate_advantages
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
from grpo_rewards.loss.trl_check.expected import expected_loss, loss_settings
from grpo_rewards.loss.trl_check.standin import loss_trainer, scoring_trainer

__all__ = ["TOLERANCES", "Difference", "Report", "difference", "validate_trl_loss"]

# By precision: the greatest difference that is no mismatch, relative to 1 or to the number if that is greater.
TOLERANCES = {torch.float64: 1e-12, torch.float32: 1e-6}


@dataclass(frozen=True)
class Difference:
    """How far TRL was from this package's number in one case.

    Attributes:
        kind: the loss type, ``advantages`` or ``importance ratio``.
        dtype: the precision.
        value: the difference of the numbers, relative to 1 or to this package's number if that is greater.
        gradient: the same of the gradients; ``None`` if there is none to compare.
        case: the settings.
    """

    kind: str
    dtype: torch.dtype
    value: float
    gradient: float | None
    case: str

    @property
    def is_mismatch(self) -> bool:
        # not ">", which is False for NaN
        return not max(self.value, self.gradient or 0.0, key=_nan_last) <= TOLERANCES[self.dtype]


@dataclass
class Report:
    """What was compared.

    Attributes:
        differences: one for each case and precision that could be compared.
        lacking: kind of case: why TRL could not compute it, once for each such case. An older or newer TRL may lack a
            method, a setting or a loss type.
        seconds: how long the comparison took.
        trl: the version of TRL.
    """

    differences: list[Difference] = field(default_factory=list)
    lacking: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0
    trl: str = ""

    @property
    def mismatches(self) -> list[Difference]:
        return [one for one in self.differences if one.is_mismatch]

    def largest(self, kind: str, dtype: torch.dtype) -> tuple[int, float, float | None]:
        """Returns the number of cases of a kind, and their largest differences of value and of gradient.

        The gradient's is ``None`` if none was compared. NaN counts as larger than any number.
        """
        some = [one for one in self.differences if (one.kind, one.dtype) == (kind, dtype)]
        gradients = [one.gradient for one in some if one.gradient is not None]
        value = max((one.value for one in some), key=_nan_last, default=0.0)
        return len(some), value, max(gradients, key=_nan_last, default=None)


def validate_trl_loss() -> Report:
    """Compares the installed TRL's loss, advantages and importance-sampling ratios with this package's.

    It calls ``_compute_loss`` and ``_generate_and_score_completions`` of ``GRPOTrainer`` in float64 and float32, and
    takes seconds on a CPU, without a model or a network. It is written for TRL 1.16: what another version lacks, a
    method, a loss type or a setting, is in the report's ``lacking``, and the rest is compared.
    """
    start = time.perf_counter()
    report = Report(trl=version("trl"))
    usual, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are tiny
    try:
        for dtype in TOLERANCES:
            # TRL makes some constants in the default precision, not in that of its tensors: the temperatures of SAPO,
            # and n / (n - 1) of the deviation
            torch.set_default_dtype(dtype)
            for loss_case in loss_cases():
                _compare(report, str(loss_case.settings["loss_type"]), _of_loss, loss_case, dtype)
            for advantage_case in advantage_cases(dtype):
                _compare(report, "advantages", _of_advantages, advantage_case, dtype)
            for sampling_case in sampling_cases():
                _compare(report, "importance ratio", _of_sampling, sampling_case, dtype)
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(usual)
    report.seconds = time.perf_counter() - start
    return report


def _compare(report: Report, kind: str, compare: Callable[..., Difference], case: Any, dtype: torch.dtype) -> None:
    try:
        report.differences.append(compare(case, dtype))
    except _Lacking as reason:
        report.lacking.setdefault(kind, []).append(str(reason))


def difference(one: Tensor, other: Tensor) -> float:
    """Returns the largest |a - b| / max(1, |b|). NaN in both is equal; NaN in one, or other shapes, makes it NaN."""
    if one.shape != other.shape:
        return float("nan")
    both = one.isnan() & other.isnan()
    apart = ((one - other).abs() / other.abs().clamp(min=1)).masked_fill(both, 0.0)
    return float(apart.max()) if apart.numel() else 0.0


def _of_loss(case: LossCase, dtype: torch.dtype) -> Difference:
    tensors = case.tensors(dtype)
    leaves = [tensors.pop(name) for name in ("logps", "entropies")]
    theirs, mine = ([leaf.clone().requires_grad_() for leaf in leaves] for _ in range(2))
    trainer = loss_trainer(
        theirs[0],
        theirs[1],
        case.window.training,
        case.window.world_size,
        current_gradient_accumulation_steps=case.window.accumulation_steps,
        steps_per_generation=case.window.steps_per_generation,
        **case.settings,
    )
    settings = loss_settings(trainer)
    expected = expected_loss(trainer, settings, tensors, mine[0], mine[1]).loss
    computed = _by_trl(lambda: trainer._compute_loss(trainer.model, tensors))
    gradients = [
        torch.autograd.grad(loss, of, allow_unused=True) for loss, of in ((computed, theirs), (expected, mine))
    ]
    apart = [_of_gradients(*pair) for pair in zip(*gradients, strict=True)]
    name = str(case.settings["loss_type"])
    return Difference(
        name, dtype, difference(computed.detach(), expected.detach()), max(apart, key=_nan_last), str(case)
    )


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
    scored: dict[str, Tensor] = _by_trl(
        lambda: trainer._generate_and_score_completions([{"prompt": ""} for _ in range(rows)])
    )
    return scored


def _by_trl(call: Callable[[], Any]) -> Any:
    """Returns what a method of TRL returns. Errors that mean another version of TRL are raised as ``_Lacking``.

    Such a version may read an attribute that the stand-in does not have, or refuse a setting.
    """
    try:
        return call()
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        raise _Lacking(f"{type(error).__name__}: {error}") from error


class _Lacking(Exception):
    """The installed TRL cannot compute this case."""


def _nan_last(number: float) -> tuple[bool, float]:
    """A key to sort by, with NaN after every number."""
    return number != number, number


def kinds(report: Report) -> Iterator[str]:
    """Yields the kinds of cases, those that TRL could not compute last."""
    yield from dict.fromkeys([*(one.kind for one in report.differences), *report.lacking])
