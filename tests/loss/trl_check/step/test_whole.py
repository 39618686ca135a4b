"""A real trainer takes real steps with the tiny model, and nothing in them is other than it must be."""

import os

import pytest

pytest.importorskip("trl", reason="trl is not installed")
pytest.importorskip("peft", reason="peft is not installed")

import torch
from trl import GRPOTrainer

from grpo_rewards.loss.trl_check.report import Report
from grpo_rewards.loss.trl_check.step import whole
from grpo_rewards.loss.trl_check.step.ranks import RanksFailed
from grpo_rewards.loss.trl_check.step.runs import RUNS


class NoRanks:
    """In place of two processes, which take a while."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def seen(self):
        raise RanksFailed("they did not start")


@pytest.fixture(autouse=True)
def in_double():
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(usual)


def checked(monkeypatch, *names, stop_at_first=False):
    monkeypatch.setattr(whole, "RUNS", [run for run in RUNS if run.name in names])
    monkeypatch.setattr(whole, "Ranks", NoRanks)
    report = Report()
    whole.check_steps(report, stop_at_first)
    return report


def test_each_part_of_a_step_is_compared_and_agrees(monkeypatch):
    report = checked(monkeypatch, "each completion used twice", "vLLM, by token")
    assert report.mismatches == []
    assert {one.kind for one in report.differences} == set(whole.LEAST_IN_STEPS)


def test_without_peft_the_runs_of_an_adapter_are_left_out_and_it_is_said(monkeypatch):
    monkeypatch.setattr(whole, "find_spec", lambda name: None)
    report = checked(monkeypatch, "on policy", "a new adapter")
    assert report.left_out == {"the reference of an adapter": "peft is not installed: pip install peft"}
    assert {one.case.partition(":")[0] for one in report.differences} == {"the run 'on policy'"}


def test_ranks_that_do_not_start_are_a_failure(monkeypatch):
    report = checked(monkeypatch, "on policy")
    assert report.failed == {"two ranks": ["they did not start"]}


def test_a_step_that_raises_is_a_failure_and_the_first_can_be_the_last(monkeypatch):
    def raising(self, inputs):
        raise KeyError("nothing")

    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", raising)
    report = checked(monkeypatch, "on policy", "reference", stop_at_first=True)
    assert report.failed == {"the run 'on policy'": ["KeyError: 'nothing'"]}


def test_a_step_that_leaves_python_is_a_failure_too(monkeypatch):
    def leaving(self, inputs):
        raise SystemExit(0)

    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", leaving)
    report = checked(monkeypatch, "on policy", stop_at_first=True)
    assert report.failed == {"the run 'on policy'": ["SystemExit: 0"]}


def test_what_a_launcher_says_of_ranks_and_precision_is_not_for_these_runs(monkeypatch):
    """A process of ``torchrun``: rank 0 of two would wait for the other, and bfloat16 would be off."""
    said = {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
    said |= {"ACCELERATE_MIXED_PRECISION": "bf16", "ACCELERATE_DYNAMO_BACKEND": "EAGER", "OMPI_COMM_WORLD_SIZE": "2"}
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    report = checked(monkeypatch, "on policy", stop_at_first=True)
    assert (report.mismatches, list(report.failed)) == ([], ["two ranks"])  # which NoRanks refuses
    assert {name: os.environ[name] for name in said} == said


def test_a_loss_that_is_computed_elsewhere_is_refused(monkeypatch):
    def fused(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        return sum(weight.sum() for weight in model.parameters()) * 0

    monkeypatch.setattr(GRPOTrainer, "compute_loss", fused)
    report = checked(monkeypatch, "on policy", stop_at_first=True)
    assert "in another way than by GRPOTrainer._compute_loss" in report.failed["the run 'on policy'"][0]
