"""Trains the tiny model under all settings, alone and on two ranks, and compares all between prompt and gradient."""

import tempfile
from pathlib import Path

from grpo_rewards.loss.trl_check.report import Report
from grpo_rewards.loss.trl_check.tiny import alone, quietly, two_ranks
from whole_step.batches import check_batches, own_batches
from whole_step.comparing import Findings
from whole_step.forward import Policy
from whole_step.given_rewards import own_rewards
from whole_step.judges import saved_judges
from whole_step.live import Seen, adapter_of, train
from whole_step.logged import check_logs
from whole_step.order import (
    check_generation,
    check_order,
    check_random_states,
    check_resumption,
    check_settings,
    turns_of_run,
)
from whole_step.ranks import on_both_ranks
from whole_step.runs import RUNS, RUNS_OF_RANKS, Run
from whole_step.tiny import saved_model
from whole_step.uses import replayed


def check_steps(report: Report) -> None:
    """Adds to a report how far TRL is off in each part of a step, in each run."""
    with alone(), tempfile.TemporaryDirectory() as name, quietly():
        folder = Path(name)
        saved_model(folder)
        saved_judges(folder)
        with two_ranks(folder, "whole_step.ranks") as ranks:
            for run in RUNS:
                _add(report, run, folder, None)
            with report.failing("two ranks"):
                for run, seen in zip(RUNS_OF_RANKS, on_both_ranks(ranks()), strict=True):
                    _add(report, run, folder, list(seen))


def _add(report: Report, run: Run, folder: Path, seen: list[Seen] | None) -> None:
    findings = Findings(run.name)
    with report.failing(f"the run '{run.name}'"):
        check_run(findings, run, [train(run, folder)] if seen is None else seen, folder)
    report.differences += findings.found


def check_run(findings: Findings, run: Run, ranks: list[Seen], folder: Path) -> None:
    """Compares all that was seen in a run, on all its ranks, with what must have been."""
    policy = Policy(folder, adapter_of(run))
    for seen in ranks:
        check_settings(findings, run, seen)
        if run.resumes is not None:
            check_resumption(findings, seen)
        for generated in seen.generated:
            generated.turns = turns_of_run(run, seen, generated)
            check_generation(findings, run, seen, generated)
    check_random_states(findings, ranks)
    check_order(findings, run, ranks)
    batches = own_batches(ranks, policy, own_rewards(run, folder))
    for seen, own in zip(ranks, batches, strict=True):
        check_batches(findings, seen, own)
    check_logs(findings, run, ranks, batches, replayed(findings, ranks, batches, policy))
