"""Fixtures that keep tests apart, the doctests of the package among them (conftest.py names this a plug-in)."""

import functools
import os
from collections.abc import Iterator
from typing import Any

import pytest
from left_behind import end_left_processes, shared_state, what_differs

import grpo_rewards
from grpo_rewards.registry import catalogue as registered


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No test changes what the next one finds: whoever does fails. Other programs do, once they are imported."""
    if "PROGRAM_UNDER_TEST" in os.environ:
        yield
        return
    before = shared_state()
    yield
    if found := what_differs(before):
        end_left_processes(before)
        pytest.fail("the test leaves something behind for the next one:\n" + "\n".join(found), pytrace=False)


@pytest.fixture(autouse=True, scope="session")
def catalogue() -> Iterator[None]:
    """The rewards of the package are loaded once, and the packages that are installed looked through once.

    Each listing of the rewards looks for plug-ins. Those of tests are installed where processes of their own see them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registered, "entry_points", functools.cache(registered.entry_points))
        grpo_rewards.list_rewards()
        yield


@pytest.fixture(autouse=True)
def own_registry() -> Iterator[None]:
    """What a test registers is forgotten when it ends; the rewards of the package stay."""
    registries: tuple[dict[str, Any], ...] = (registered.REWARDS, registered.MODULES)
    before = [dict(one) for one in registries]
    yield
    for one, its in zip(registries, before, strict=True):
        one.clear()
        one.update(its)
