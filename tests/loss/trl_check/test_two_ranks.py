"""Two processes are started as two ranks whatever started this one, and none of them is left behind."""

import os
import subprocess
import sys

import pytest
from processes import is_running, wait_until

from grpo_rewards.loss.trl_check import tiny
from grpo_rewards.loss.trl_check.tiny import alone, two_ranks

STARTED = subprocess.Popen


def running(monkeypatch, code):
    """Lets ``two_ranks`` run other code, and returns the processes with the environments they were given."""
    started = []

    def start(command, env, **settings):
        process = STARTED([sys.executable, "-c", code, *command[3:]], env=env, **settings)
        started.append((process, env))
        return process

    monkeypatch.setattr(tiny.subprocess, "Popen", start)
    return started


def test_they_are_not_given_what_a_launcher_gave_this_process(monkeypatch, tmp_path):
    for name in ("TORCHELASTIC_USE_AGENT_STORE", "ACCELERATE_USE_DEEPSPEED", "GROUP_RANK", "OMPI_COMM_WORLD_RANK"):
        monkeypatch.setenv(name, "True")
    monkeypatch.setenv("WORLD_SIZE", "8")
    started = running(monkeypatch, "pass")
    with alone(), two_ranks(tmp_path):
        pass
    ((_, env),) = started
    assert env["WORLD_SIZE"] == "2"
    assert not any(name.startswith(("TORCHELASTIC", "ACCELERATE", "GROUP", "OMPI")) for name in env)
    assert os.environ["WORLD_SIZE"] == "8"


def test_ranks_that_end_without_a_result_have_failed(monkeypatch, tmp_path):
    running(monkeypatch, "import sys; print('no gloo', file=sys.stderr); sys.exit(3)")
    with two_ranks(tmp_path) as both, pytest.raises(RuntimeError, match="ended with status 3: no gloo"):
        both()


def test_both_end_with_the_block(monkeypatch, tmp_path):
    code = "import os, pathlib, sys, time; other = os.fork(); pathlib.Path(sys.argv[1], str(os.getpid())).touch(); "
    started = running(monkeypatch, code + "time.sleep(60)")

    def pids():
        return [int(file.name) for file in tmp_path.iterdir() if file.name.isdigit()]

    with two_ranks(tmp_path):
        wait_until(lambda: len(pids()) == 2)
    assert started[0][0].poll() is not None
    wait_until(
        lambda: not any(map(is_running, pids()))
    )  # the fork is nobody's child here, so that it is not waited for
