"""Processes that score, forked from one that has imported what they need, where a test is not about how they start."""

from multiprocessing import get_context

import pytest

from grpo_rewards.scoring import pool

__all__ = ["forked_scoring"]

FORKED = get_context("forkserver")  # which is a fresh process: this one has threads


@pytest.fixture
def forked_scoring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes that score start in milliseconds; fresh ones, as users have them, take a second."""
    FORKED.set_forkserver_preload(["pytest", "grpo_rewards.scoring"])
    monkeypatch.setattr(pool, "get_context", lambda method: FORKED)
