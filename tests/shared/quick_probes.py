"""Probes and thorough checks without what takes long in them, for tests of what they find elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from grpo_rewards.checks.reward import problems

__all__ = ["quick_probes", "with_quick_probes"]


@contextmanager
def quick_probes() -> Iterator[None]:
    """The giant text is a tenth as long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problems, "GIANT", problems.GIANT // 10)
        yield


@pytest.fixture
def with_quick_probes() -> Iterator[None]:
    with quick_probes():
        yield
