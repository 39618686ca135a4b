"""Two processes are started as two ranks whatever started this one, and none of them is left behind."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("trl", reason="trl is not installed")

from grpo_rewards.loss.trl_check.step import ranks
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
