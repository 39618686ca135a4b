"""A recipe that is started and ends before a model is loaded: what it says then."""

import sys

import pytest


def stopped(task, arguments, monkeypatch, folder):
    """What a recipe says when it ends, or that a model was loaded: nothing further is done.

    No reward is sent to another process, which takes seconds, and of which recipes say nothing.
    """
    from running import run, training

    def no_model(*_, **__):
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(training, "GRPOTrainer", no_model)
    monkeypatch.setattr("grpo_rewards.checks.setup.all_checks.pickling", lambda rewards: ())
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(folder / "cache"))
    monkeypatch.setattr(sys, "argv", ["recipe.py", *map(str, arguments)])
    with pytest.raises((SystemExit, AssertionError)) as ended:
        run(task)
    return str(ended.value)
