"""Two processes are started as two ranks whatever started this one, and none of them is left behind."""

import os
import random
import subprocess
import sys
from types import SimpleNamespace

import pytest
from tables import each_row

pytest.importorskip("trl", reason="trl is not installed")

import torch

from grpo_rewards.loss.trl_check.step import ranks
from grpo_rewards.loss.trl_check.step.comparing import Findings
from grpo_rewards.loss.trl_check.step.configured import random_states, seeded_states
from grpo_rewards.loss.trl_check.step.order import check_random_states
from grpo_rewards.loss.trl_check.step.ranks import Ranks, RanksFailed

STARTED = subprocess.Popen


def running(monkeypatch, code, fails_at=None):
    """Lets ``Ranks`` start processes that run other code, and returns them with the environments they were given."""
    started = []

    def start(command, env, **settings):
        if len(started) == fails_at:
            raise OSError("no more processes")
        process = STARTED([sys.executable, "-c", code], env=env, **settings)
        started.append((process, env))
        return process

    monkeypatch.setattr(ranks.subprocess, "Popen", start)
    return started


def test_if_the_second_cannot_be_started_the_first_ends(monkeypatch, tmp_path):
    started = running(monkeypatch, "import time; time.sleep(60)", fails_at=1)
    with pytest.raises(OSError, match="no more"), Ranks(tmp_path):
        pass
    assert started[0][0].poll() is not None


def test_they_are_not_told_what_a_launcher_told_this_process(monkeypatch, tmp_path):
    for name in ("TORCHELASTIC_USE_AGENT_STORE", "ACCELERATE_USE_DEEPSPEED", "GROUP_RANK", "OMPI_COMM_WORLD_RANK"):
        monkeypatch.setenv(name, "True")
    monkeypatch.setenv("WORLD_SIZE", "8")
    started = running(monkeypatch, "pass")
    with Ranks(tmp_path):
        pass
    assert [env["WORLD_SIZE"] for _, env in started] == ["2", "2"]
    assert not any(
        name.startswith(("TORCHELASTIC", "ACCELERATE", "GROUP", "OMPI")) for _, env in started for name in env
    )
    assert os.environ["WORLD_SIZE"] == "8"


def test_ranks_that_end_early_without_an_error_have_failed(monkeypatch, tmp_path):
    running(monkeypatch, "pass")
    with Ranks(tmp_path) as both, pytest.raises(RanksFailed, match="status 0 before its runs did"):
        both.seen()


def rank_seen(rank, seed, before_generations):
    generated = [SimpleNamespace(random_state=state) for state in before_generations]
    return SimpleNamespace(rank=rank, config={"seed": 5}, random_states=seeded_states(seed), generated=generated)


@each_row("second, states, wrong", [(6, "cd", 0), (5, "cd", 1), (6, "ad", 1), (5, "ab", 3)])
def test_ranks_that_sample_the_same_are_told(second, states, wrong):
    findings = Findings("two ranks")
    check_random_states(findings, [rank_seen(0, 5, "ab"), rank_seen(1, second, states)])
    assert sum(one.value > 0 for one in findings.found) == wrong
    assert len(findings.found) == 4


def test_the_states_are_those_of_a_seed_that_was_set():
    torch.manual_seed(7)
    random.seed(7)
    assert random_states() == seeded_states(7) != seeded_states(8)
