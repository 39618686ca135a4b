"""TRL held to the loss over hand-made batches: that it passes as it is, and that a changed TRL does not."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import torch
import trl
from trl import GRPOTrainer

from grpo_rewards.loss import LOSS_TYPES, validate_trl_loss
from grpo_rewards.loss.trl_check import cases, validate
from grpo_rewards.loss.trl_check.heads import LEAST_OF_HEADS
from grpo_rewards.loss.trl_check.shuffled_rows import SHUFFLED_ROWS
from grpo_rewards.loss.trl_check.step.whole import LEAST_IN_STEPS, LEAST_OF_ADAPTERS
from grpo_rewards.loss.trl_check.support import SUPPORTED_TRL, is_supported


@pytest.mark.full
def test_the_installed_trl_computes_the_loss_of_the_papers():
    report = validate_trl_loss()
    assert report.mismatches == []
    assert report.trl == trl.__version__
    assert len(report.differences) > 2 * 900
    assert (report.failed, report.lacking, report.short) == ({}, {}, {})
    assert report.passed
    kinds = list(validate.kinds(report))[:10]
    assert kinds == [
        "grpo",
        "bnpo",
        "dr_grpo",
        "dapo",
        "luspo",
        "cispo",
        "sapo",
        "vespo",
        "advantages",
        "importance ratio",
    ]
    for kind in kinds:
        assert 0 <= report.largest(kind, torch.float64)[1] <= 1e-12
    compared = {one.kind for one in report.differences}
    assert compared == {*LEAST_IN_STEPS, *LEAST_OF_HEADS, SHUFFLED_ROWS, *kinds}
    of_adapters = Counter(one.kind for one in report.differences if "adapter'" in one.case)
    assert of_adapters == LEAST_OF_ADAPTERS  # by which the least numbers are lowered where peft is not installed
    assert torch.get_default_dtype() == torch.float32


def few(monkeypatch, count=40, of_advantages=9):
    """Leaves every so-manieth case, so that a test of a changed TRL is quick."""
    every = list(cases.loss_cases())
    monkeypatch.setattr(validate, "loss_cases", lambda: iter(every[:: len(every) // count]))
    monkeypatch.setattr(validate, "advantage_cases", lambda dtype: [*cases.advantage_cases(dtype)][::of_advantages])
    monkeypatch.setattr(validate, "check_heads", lambda report, stop_at_first: None)
    monkeypatch.setattr(validate, "check_steps", lambda report, stop_at_first: None)
    monkeypatch.setattr(validate, "LEAST_COMPARISONS", {})


COMPUTE = GRPOTrainer._compute_loss


def times(self, model, inputs):
    return COMPUTE(self, model, inputs) * (1 + 1e-5)


def value_alone(self, model, inputs):
    loss = COMPUTE(self, model, inputs)
    return loss + (loss * 1e-3 - (loss * 1e-3).detach())  # the same number, another gradient


def not_a_number(self, model, inputs):
    return COMPUTE(self, model, inputs) * torch.nan


@pytest.mark.parametrize("changed", [times, value_alone, not_a_number])
def test_a_changed_loss_is_found(changed, monkeypatch):
    few(monkeypatch)
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", changed)
    report = validate_trl_loss()
    assert {one.kind for one in report.mismatches} >= {"grpo", "dapo", "vespo"}


def test_changed_advantages_and_ratios_are_found(monkeypatch):
    few(monkeypatch)
    score = GRPOTrainer._generate_and_score_completions

    def changed(self, inputs):
        output = score(self, inputs)
        return {**output, "advantages": output["advantages"] * 1.001}

    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", changed)
    assert {one.kind for one in validate_trl_loss().mismatches} == {"advantages"}


def raising(self, model, inputs):
    raise RuntimeError("not today")


def leaving(self, model, inputs):
    raise SystemExit(0)


@pytest.mark.parametrize("changed", [raising, leaving, lambda self, model, inputs: self.not_there])
def test_a_loss_that_raises_is_a_failure_of_a_trl_that_is_supported(changed, monkeypatch):
    few(monkeypatch)
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", changed)
    report = validate_trl_loss()
    assert set(report.failed) == set(LOSS_TYPES)
    assert report.lacking == {}
    assert not report.passed
    assert {one.kind for one in report.differences} == {"advantages", "importance ratio", SHUFFLED_ROWS}


def test_too_few_comparisons_are_a_failure(monkeypatch):
    few(monkeypatch, of_advantages=1)
    monkeypatch.setattr(validate, "LEAST_COMPARISONS", {"dapo": 10_000, "advantages": 216})
    report = validate_trl_loss()
    assert list(report.short) == ["dapo"]
    assert report.short["dapo"][1] == 10_000
    assert (report.mismatches, report.failed) == ([], {})
    assert not report.passed


def test_what_an_older_trl_truly_lacks_is_listed_and_the_rest_compared(monkeypatch):
    few(monkeypatch)

    def older(self, model, inputs):
        if self.loss_type == "luspo":
            raise ValueError("Unknown loss type: luspo")
        if self.loss_type == "sapo":
            raise ValueError("a mistake")
        return COMPUTE(self, model, inputs)

    monkeypatch.setattr(validate, "version", lambda name: "1.15.0")
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", older)
    monkeypatch.delattr(GRPOTrainer, "get_gamma_weights")
    report = validate_trl_loss()
    assert set(report.lacking) == {"luspo", "vespo", "a whole step"}
    assert report.lacking["luspo"][0] == "Unknown loss type: luspo"
    assert report.lacking["vespo"][0] == "GRPOTrainer has no method 'get_gamma_weights'"
    assert set(report.failed) == {"sapo"}  # which no version lacks for a mistake
    assert report.mismatches == []
    assert {"dapo", "advantages"} <= {one.kind for one in report.differences}


def test_the_supported_versions_are_those_that_the_recipes_ask_for():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    wanted = next(one for one in project["project"]["optional-dependencies"]["recipes"] if one.startswith("trl"))
    assert wanted == f"trl>={SUPPORTED_TRL[0]},<{SUPPORTED_TRL[1]}"
    assert [is_supported(one) for one in ("0.29.1", "1.15.0", "1.16.0", "1.17.2", "2.0.0")] == [0, 0, 1, 1, 0]


def test_a_version_ahead_of_the_first_that_is_supported_is_not_supported():
    # as pip has it: what is ahead of 1.16 has not all of it, and what is ahead of 2 is no longer 1
    ahead = ("1.16.0.dev0", "1.16.0b1", "1.16.0rc1", "2.0.0.dev0", "2.0rc1")
    assert [is_supported(one) for one in ahead] == [False] * 5
    assert [is_supported(one) for one in ("1.17.0.dev0", "1.16.1rc1", "1.16.0+local")] == [True] * 3
    assert [is_supported(one) for one in ("", "unknown")] == [False] * 2
