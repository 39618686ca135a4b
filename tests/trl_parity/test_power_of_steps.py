"""The check of a step has the power to find mistakes: each of those planted in TRL is noticed by it."""

import copy
import random
from importlib.metadata import version

import pytest
import torch
import trl
from step_mutants import MUTANTS, ON_RANKS, plant
from tiny_copies import base
from whole_step import whole
from whole_step.judges import saved_judges
from whole_step.ranks import on_both_ranks
from whole_step.runs import RUNS, RUNS_OF_RANKS
from whole_step.tiny import saved_model

from grpo_rewards.loss.trl_check import tiny, validate
from grpo_rewards.loss.trl_check.cases import loss_cases
from grpo_rewards.loss.trl_check.report import Report

pytestmark = pytest.mark.full
# the run that exercises most comes first, so that a mistake is found soon
RICH = ["each completion used twice", "evaluated", "vLLM, by sequence", "tools", "entropy"]
IN_ORDER = sorted(RUNS, key=lambda run: RICH.index(run.name) if run.name in RICH else len(RICH))
RUNS_OF = dict.fromkeys(("alone", "blind_in_steps", "second_in_steps"), IN_ORDER)
RUNS_OF |= {"of_judges": [run for run in RUNS if run.judged], "of_tools": [run for run in RUNS if run.tools]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    saved_model(folder)
    saved_judges(folder)
    return folder


def is_wrong(run, folder, seen=None):
    report = Report(trl=version("trl"))
    whole._add(report, run, folder, seen)
    return bool(report.failed or report.mismatches)


def test_there_are_enough_of_them():
    assert len(MUTANTS["alone"]) + len(MUTANTS["together"]) >= 100
    every = [one for name, mutants in MUTANTS.items() if name != "together" for one in mutants]
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("mutant", [*MUTANTS["blind_of_loss"], *MUTANTS["second_of_loss"]], ids=str)
def test_a_mistake_in_the_loss_is_noticed_on_tensors(mutant, monkeypatch):
    plant(mutant, monkeypatch)
    trainer = copy.copy(base())
    trainer.__class__ = trl.GRPOTrainer
    cases = list(loss_cases())
    random.Random(0).shuffle(cases)  # so that a mistake is found soon
    assert any(validate._of_loss(trainer, case, torch.float64).is_mismatch for case in cases)


@pytest.mark.parametrize(("table", "mutant"), [(name, one) for name in RUNS_OF for one in MUTANTS[name]], ids=str)
def test_a_mistake_in_a_step_is_noticed(table, mutant, folder, monkeypatch):
    plant(mutant, monkeypatch)
    assert any(is_wrong(run, folder) for run in RUNS_OF[table])


def test_a_mistake_between_ranks_is_noticed(folder, monkeypatch):
    """Two processes plant one mistake after the other; what they saw is looked at here."""
    monkeypatch.setattr(tiny, "RANKS_TIMEOUT", 1500.0)
    with tiny.two_ranks(folder, "planted_on_ranks") as both:
        seen_with_each = on_both_ranks(both())
    unnoticed = []
    planted = [one for name in ON_RANKS for one in MUTANTS[name]]
    for mutant, of_ranks in zip(planted, seen_with_each, strict=True):
        if any(isinstance(one, str) for one in of_ranks):  # it raised
            continue
        runs = zip(RUNS_OF_RANKS, zip(*of_ranks, strict=True), strict=True)
        if not any(is_wrong(run, folder, list(seen)) for run, seen in runs):
            unnoticed.append(str(mutant))
    assert unnoticed == []
