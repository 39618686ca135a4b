"""Compares the installed TRL's loss and advantages with this package's, value and gradient, over many settings."""

import json
import math
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from grpo_rewards.loss.loss_types import LOSS_TYPES
from grpo_rewards.loss.ratios import importance_sampling_ratio
from grpo_rewards.loss.trl_check.cases import LossCase, ScoringCase, loss_cases, scoring_cases
from grpo_rewards.loss.trl_check.contract import HOOKS, OF_LOSS, Forward, LossCall, changes, loss_settings
from grpo_rewards.loss.trl_check.expected import auxiliary_share, batch_settings, loss_pairs, own_advantages
from grpo_rewards.loss.trl_check.report import Difference, Report, difference
from grpo_rewards.loss.trl_check.tiny import (
    STEP_OPTIONS,
    alone,
    loss_trainer,
    quietly,
    scoring_trainer,
    tiny_trainer,
    two_ranks,
    watched_steps,
)

# How many comparisons each kind of case must come to, in both precisions together.
A_STEP, TWO_RANKS = "steps on one process", "steps on two"
LEAST_COMPARISONS = {**dict.fromkeys(LOSS_TYPES, 460), "advantages": 216, "importance ratio": 24}
LEAST_COMPARISONS |= {A_STEP: 2, TWO_RANKS: 2}
# Which of the losses are compared; 5 is prime to the number of values that each setting has.
EVERY = {torch.float64: 1, torch.float32: 5}
AUXILIARY = 0.8125  # the auxiliary loss of a mixture of experts, exact in every precision
BOUNDED_BY = ("mode", "clip_min", "clip_max")
# Without these methods as they were, and for a loss those of OF_LOSS, a copy of a trainer computes nothing to compare.
OF_SCORING = HOOKS.keys() - {"_compute_loss"}
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
    report = Report(
        trl=version("trl"),
        least=LEAST_COMPARISONS,
        left_out=LEFT_OUT,
        changed=changes(),
        stop_at_first=stop_at_first,
        on_case=on_case,
    )
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are tiny
    forked = torch.random.fork_rng(devices=[])
    try:
        with alone(), quietly(), forked, tempfile.TemporaryDirectory() as name, two_ranks(Path(name)) as ranks:
            trainer = _steps(report, Path(name))
            if not report.stopped:
                with report.failing(TWO_RANKS):
                    _add_steps(report, TWO_RANKS, [json.loads(one) for one in ranks()], STEP_OPTIONS)
            if trainer is not None and not report.stopped:
                _tensors(report, trainer)
    finally:
        torch.set_default_dtype(dtype)
        torch.set_num_threads(threads)
    report.seconds = time.perf_counter() - start
    return report


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
            value = math.inf if seen["mismatch"] else seen["excess"]
            case = seen["mismatch"] or f"rank {rank}"
            report.differences.append(Difference(kind, torch.float32, value, None, case, 1.0, options))


def _tensors(report: Report, trainer: Any) -> None:
    """Adds all comparisons on tensors that are possible with this TRL."""
    for dtype, every in EVERY.items():
        # TRL makes some constants in the default precision, not in that of its tensors: the temperatures of SAPO,
        # and n / (n - 1) of the deviation
        torch.set_default_dtype(dtype)
        losses = islice(loss_cases(), 0, None, every)
        comparisons: Any = (OF_LOSS, _of_loss, losses), (OF_SCORING, _of_scoring, scoring_cases(dtype))
        for needed, compare, cases in comparisons:
            for case in () if needed & report.changed.keys() else cases:
                with report.failing(case.kind, case):
                    report.differences.append(compare(trainer, case, dtype))
                last = report.differences[-1:]  # empty where nothing of a changed TRL could be run
                if report.stop_at_first and (report.failed or any(one.is_mismatch for one in last)):
                    return


def _of_loss(base: Any, case: LossCase, dtype: torch.dtype) -> Difference:
    tensors = case.tensors(dtype)
    leaves = [tensors.pop("logps"), tensors.pop("entropies"), torch.tensor(AUXILIARY, dtype=dtype)]
    forward = Forward(*(leaf.requires_grad_() for leaf in leaves))
    steps, per_generation, ranks, training = case.window
    window = {"current_gradient_accumulation_steps": steps, "gradient_accumulation_steps": steps}
    window["steps_per_generation"] = per_generation
    trainer = loss_trainer(base, forward, training, ranks, **window, **case.settings)
    called = LossCall(0, 0, training, tensors, loss_settings(trainer), [forward])
    called.loss = trainer._compute_loss(trainer.model, tensors)
    value, *gradients = (difference(*pair) for pair in loss_pairs(trainer, called)[1].values())
    logged = trainer._metrics["train" if training else "eval"].get("aux_loss", [])
    if logged != [AUXILIARY][: bool(auxiliary_share(trainer))]:
        value = math.inf
    return Difference(case.kind, dtype, value, max(gradients), str(case), None, case.named)


def _of_scoring(base: Any, case: ScoringCase, dtype: torch.dtype) -> Difference:
    trainer = scoring_trainer(base, case)
    batch = trainer._generate_and_score_completions([{"prompt": ""}] * len(case.lengths))
    if case.sampling_logps is None:
        pair = batch["advantages"], own_advantages(batch_settings(trainer, True), case.rewards)
    else:
        mask, sampled = batch["completion_mask"].to(dtype), case.sampling_logps.to(dtype)
        correction, low, high = (case.settings[f"vllm_importance_sampling_{name}"] for name in BOUNDED_BY)
        mine = importance_sampling_ratio(case.logps, sampled, mask, correction, low, high)
        pair = batch["importance_sampling_ratio"], mine
    return Difference(case.kind, dtype, difference(*pair), None, str(case), None, case.settings)
