"""TRL held to the loss over hand-made batches: that it passes as it is, and that a changed TRL does not."""

import pytest

pytest.importorskip("trl", reason="trl is not installed")

import torch
import trl
from trl import GRPOTrainer

from grpo_rewards.loss import LOSS_TYPES, validate_trl_loss
from grpo_rewards.loss.trl_check import cases, validate


@pytest.mark.full
def test_the_installed_trl_computes_the_loss_of_the_papers():
    report = validate_trl_loss()
    assert report.mismatches == []
    assert report.trl == trl.__version__
    assert len(report.differences) > 2 * 900
    kinds = list(validate.kinds(report))
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
    assert torch.get_default_dtype() == torch.float32


def few(monkeypatch, count=40):
    """Leaves every so-manieth case, so that a test of a changed TRL is quick."""
    every = list(cases.loss_cases())
    monkeypatch.setattr(validate, "loss_cases", lambda: iter(every[:: len(every) // count]))


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


def test_a_trl_of_another_inside_is_told_apart_from_a_mismatch(monkeypatch):
    few(monkeypatch)
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", lambda self, model, inputs: self.not_there)
    monkeypatch.setattr(validate, "advantage_cases", lambda dtype: iter(()))
    monkeypatch.setattr(validate, "sampling_cases", lambda: iter(()))
    report = validate_trl_loss()
    assert report.differences == []
    assert set(report.lacking) == set(LOSS_TYPES)


def test_what_an_older_trl_lacks_is_listed_and_the_rest_compared(monkeypatch):
    few(monkeypatch)

    def older(self, model, inputs):
        if self.loss_type == "luspo":
            raise ValueError("Unknown loss type: luspo")
        return COMPUTE(self, model, inputs)

    monkeypatch.setattr(GRPOTrainer, "_compute_loss", older)
    monkeypatch.delattr(GRPOTrainer, "get_gamma_weights")
    report = validate_trl_loss()
    assert set(report.lacking) == {"luspo", "vespo"}
    assert report.lacking["luspo"][0] == "ValueError: Unknown loss type: luspo"
    assert report.mismatches == []
    assert {"dapo", "advantages"} <= {one.kind for one in report.differences}
