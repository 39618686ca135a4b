"""Compares the installed TRL's loss and advantages with this package's, value and gradient, over many settings."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from importlib.metadata import version
from itertools import islice
from pathlib import Path
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
from grpo_rewards.loss.trl_check.contract import FORWARD_PASS, changes
from grpo_rewards.loss.trl_check.expected import auxiliary_share, expected_loss, loss_settings
from grpo_rewards.loss.trl_check.report import Difference, Report, difference, kinds, nan_last
from grpo_rewards.loss.trl_check.tiny import (
    STEP_OPTIONS,
    TwoRanks,
    alone,
    loss_trainer,
    quietly,
    scoring_trainer,
    tiny_trainer,
    watched_steps,
)

__all__ = ["LEAST_COMPARISONS", "Difference", "Report", "kinds", "validate_trl_loss"]

# How many comparisons each kind of case must come to, in both precisions together.
A_STEP, TWO_RANKS = "steps on one process", "steps on two"
LEAST_COMPARISONS = {**dict.fromkeys(LOSS_TYPES, 624 + 124), "advantages": 216, "importance ratio": 24}
LEAST_COMPARISONS |= {A_STEP: 2, TWO_RANKS: 2}
EVERY_IN_FLOAT32 = 5  # of the losses, which is prime to the number of values that each setting has
AUXILIARY = 0.8125  # the auxiliary loss of a mixture of experts, exact in every precision
# Without these methods as they were a copy of a trainer computes nothing that could be compared.
OF_LOSS = {"_compute_loss", FORWARD_PASS}
OF_ADVANTAGES = {"_generate_and_score_completions", "_generate", "_calculate_rewards", FORWARD_PASS}
ELSEWHERE = "pytest tests/trl_parity, in the repository, checks it for each release"
LEFT_OUT = {
    "tools, environments, reward models, rollouts, vLLM's calls, adapters, metrics, tables, checkpoints, the order of "
    "prompts, the fused head": ELSEWHERE,
    "images among a prompt's words, the optimiser, DeepSpeed, FSDP, Triton's kernels": "nothing checks it",
}


def validate_trl_loss(stop_at_first: bool = False, on_case: Callable[[str], None] | None = None) -> Report:
    """Compares the installed TRL with this package: its loss and advantages on tensors, and in steps of a tiny model.

    The loss is compared value and gradient, in float64 and float32, on batches made by hand, which TRL's own methods
    are called with. The steps are those of a real trainer, alone and on two ranks, under ``watch_loss``. All of it runs
    on a CPU, without a network.

    What of TRL is not as it was tested is looked at first, and is in the report's ``changed``; what hangs on it is not
    compared. For a TRL that is as it was, what cannot be run has failed; for another one, nothing follows from that.

    Args:
        stop_at_first: whether to end as soon as something is wrong; the steps, which show most, come first.
        on_case: called with what is compared next.
    """
    start = time.perf_counter()
    least, left_out = dict(LEAST_COMPARISONS), dict(LEFT_OUT)
    report = Report(trl=version("trl"), least=least, left_out=left_out, changed=changes(), on_case=on_case)
    usual, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are tiny
    try:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            for context in (alone(), quietly(), torch.random.fork_rng(devices=[])):
                stack.enter_context(context)
            ranks = stack.enter_context(_two_ranks(folder))
            trainer = _steps(report, folder)
            if ranks is not None and not (stop_at_first and report.is_wrong):
                with report.failing(TWO_RANKS):
                    _add_steps(
                        report, TWO_RANKS, [json.loads(file.read_bytes()) for file in ranks.files()], STEP_OPTIONS
                    )
            if trainer is not None:
                _tensors(report, trainer, stop_at_first)
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(usual)
    report.stopped = stop_at_first and report.is_wrong
    report.seconds = time.perf_counter() - start
    return report


def _two_ranks(folder: Path) -> AbstractContextManager[TwoRanks | None]:
    return TwoRanks(folder)


def _steps(report: Report, folder: Path) -> Any:
    """Takes steps on this process, and returns the trainer that has TRL's own settings; ``None``: there is none."""
    trainer = None
    for name, options in (("rich", STEP_OPTIONS), ("plain", {})):
        with report.failing(A_STEP, name):
            trainer = tiny_trainer(folder / name, **options)
            _add_steps(report, A_STEP, [watched_steps(trainer)], options)
    return trainer


def _add_steps(report: Report, kind: str, ranks: list[dict[str, Any]], options: dict[str, Any]) -> None:
    """Adds what was seen on each rank: the largest difference of a loss or gradient, in tolerances."""
    for rank, seen in enumerate(ranks):
        report.changed |= seen["changed"]
        if seen["losses"] or seen["mismatch"]:
            value = float("inf") if seen["mismatch"] else seen["excess"]
            case = seen["mismatch"] or f"rank {rank}"
            report.differences.append(Difference(kind, torch.float32, value, None, case, 1.0, options))


def _tensors(report: Report, trainer: Any, stop_at_first: bool) -> None:
    """Adds all comparisons on tensors that are possible with this TRL."""
    for dtype in (torch.float64, torch.float32):
        # TRL makes some constants in the default precision, not in that of its tensors: the temperatures of SAPO,
        # and n / (n - 1) of the deviation
        torch.set_default_dtype(dtype)
        for kind, needed, compare, case in _cases(dtype):
            if stop_at_first and report.is_wrong:
                return
            if not needed & report.changed.keys():
                with report.failing(kind, case):
                    report.differences.append(compare(trainer, case, dtype))


def _cases(dtype: torch.dtype) -> Iterator[tuple[str, set[str], Callable[..., Difference], Any]]:
    """Yields each case: its kind, what it takes of TRL, and what compares it."""
    for loss_case in islice(loss_cases(), None, None, 1 if dtype == torch.float64 else EVERY_IN_FLOAT32):
        yield str(loss_case.settings["loss_type"]), OF_LOSS, _of_loss, loss_case
    for advantage_case in advantage_cases(dtype):
        yield "advantages", OF_ADVANTAGES, _of_advantages, advantage_case
    for sampling_case in sampling_cases():
        yield "importance ratio", OF_ADVANTAGES, _of_sampling, sampling_case


def _of_loss(base: Any, case: LossCase, dtype: torch.dtype) -> Difference:
    tensors = case.tensors(dtype)
    leaves = [*(tensors.pop(name) for name in ("logps", "entropies")), torch.tensor(AUXILIARY, dtype=dtype)]
    theirs, mine = ([leaf.clone().requires_grad_() for leaf in leaves] for _ in range(2))
    steps, per_generation, ranks, training = case.window
    window = {"current_gradient_accumulation_steps": steps, "gradient_accumulation_steps": steps}
    window["steps_per_generation"] = per_generation
    trainer = loss_trainer(base, theirs[0], theirs[1], training, ranks, theirs[2], **window, **case.settings)
    share = auxiliary_share(trainer)
    expected = expected_loss(trainer, loss_settings(trainer), tensors, mine[0], mine[1]).loss + share * mine[2]
    computed = trainer._compute_loss(trainer.model, tensors)
    gradients = [
        torch.autograd.grad(loss, of, allow_unused=True) for loss, of in ((computed, theirs), (expected, mine))
    ]
    apart = [_of_gradients(*pair) for pair in zip(*gradients, strict=True)]
    # NaN where the auxiliary loss is logged and must not be, or the other way round
    logged = torch.tensor(trainer._metrics["train" if training else "eval"].get("aux_loss", []))
    off = [
        difference(computed.detach(), expected.detach()),
        difference(logged, torch.tensor([AUXILIARY][: bool(share)])),
    ]
    kind = str(case.settings["loss_type"])
    return Difference(kind, dtype, max(off, key=nan_last), max(apart, key=nan_last), str(case), None, case.named)


def _of_gradients(theirs: Tensor | None, mine: Tensor | None) -> float:
    if theirs is None or mine is None:  # None is a gradient of 0
        return max(float(one.abs().max()) for one in (theirs, mine) if one is not None) if theirs is not mine else 0.0
    return difference(theirs, mine)


def _of_advantages(base: Any, case: AdvantageCase, dtype: torch.dtype) -> Difference:
    lengths = [3] * len(case.rewards)
    settings = {
        "num_generations": case.group_size,
        "scale_rewards": case.scale,
        "multi_objective_aggregation": "normalize_then_sum" if case.separately else "sum_then_normalize",
        "reward_weights": case.weights,
    }
    trainer = scoring_trainer(base, case.rewards, lengths, torch.zeros(len(lengths), 3, dtype=dtype), None, **settings)
    theirs = _scored(trainer, len(lengths))["advantages"]
    if case.separately:
        mine = separate_advantages(case.rewards, case.weights, case.group_size)
    else:
        mine = group_advantages(combine_rewards(case.rewards, case.weights), case.group_size, case.scale)  # type: ignore[arg-type]
    return Difference("advantages", dtype, difference(theirs, mine), None, str(case), None, settings)


def _of_sampling(base: Any, case: SamplingCase, dtype: torch.dtype) -> Difference:
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
    trainer = scoring_trainer(base, torch.zeros(ROWS, 1, dtype=dtype), list(LENGTHS), old, sampled, **settings)
    theirs = _scored(trainer, ROWS)["importance_sampling_ratio"]
    mask = (torch.arange(TOKENS) < torch.tensor(LENGTHS).unsqueeze(1)).to(dtype)
    mine = importance_sampling_ratio(old, sampled.to(dtype), mask, case.correction, case.low, case.high)  # type: ignore[arg-type]
    return Difference("importance ratio", dtype, difference(theirs, mine), None, str(case), None, settings)


def _scored(trainer: Any, rows: int) -> dict[str, Tensor]:
    scored: dict[str, Tensor] = trainer._generate_and_score_completions([{"prompt": ""} for _ in range(rows)])
    return scored
