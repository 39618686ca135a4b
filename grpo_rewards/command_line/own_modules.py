"""Rewards of one's own: modules of the folder one works in, and plain functions as TRL takes them."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["find_own_modules", "reward_or_function"]


def find_own_modules() -> None:
    """Appends the working folder to the places that modules are imported from."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def reward_or_function(spec: str) -> Any:
    """The reward that a spec names, or the plain function that stands at a dotted path, as ``trl grpo`` takes it.

    Raises:
        RewardError: there is neither.
    """
    from grpo_rewards.registry import RewardError, get_reward

    try:
        return get_reward(spec)
    except RewardError:
        path, _, name = spec.rpartition(".")
        found: Callable[..., Any] | None = None
        if path in sys.modules and name.isidentifier():  # the registry imported it, and found no reward there
            found = getattr(importlib.import_module(path), name, None)
        if not callable(found):
            raise
        return found
