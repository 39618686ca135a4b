"""Probes and thorough checks without what takes long in them, for tests of what they find elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from grpo_rewards.checks.reward import hacks
from grpo_rewards.checks.setup import trials

__all__ = ["quick_probes", "with_quick_probes"]


@contextmanager
def quick_probes() -> Iterator[None]:
    """No process is started to see whether a pickled reward arrives there, and the giant text is a tenth as long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "_sent", lambda pickled: {})
        patch.setattr(hacks, "GIANT", hacks.GIANT // 10)
        yield


@pytest.fixture
def with_quick_probes() -> Iterator[None]:
    with quick_probes():
        yield
