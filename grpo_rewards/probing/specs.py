"""How a reward is written where only text can be given: a spec that gives the same reward back."""

from __future__ import annotations

import importlib
import re
from importlib.metadata import entry_points
from typing import Any

from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.interface import leaves
from grpo_rewards.registry.names import ENTRY_POINT_GROUP

__all__ = ["spec_of"]


def spec_of(reward: Any) -> str | None:
    """A spec for a command line, or the dotted path of a plain function; ``None`` if no module holds it by its name.

    >>> import grpo_rewards as gr
    >>> spec_of(gr.think_format.bind(think_opened=True)), spec_of(lambda completions, **_: [0.0])
    ('think_format(think_opened=True)', None)
    """
    if not isinstance(reward, Reward):
        return _path_of(reward)
    written = repr(reward)
    for one in leaves(reward):
        if _is_listed(one):
            continue
        path = _path_of(one)
        if path is None:
            return None
        own = path.rpartition(".")[2]
        written = re.sub(rf"(?<![\w./'\"]){re.escape(own)}\b(?!=)", path, written)
    return written if _gives(written, reward) else None


def _is_listed(one: Reward) -> bool:
    """Whether every process knows it by its name: ours, and those that an installed package offers."""
    package = str(getattr(getattr(one, "function", one), "__module__", "")).partition(".")[0]
    offering = {point.module.partition(".")[0] for point in entry_points(group=ENTRY_POINT_GROUP)}
    return package in {"grpo_rewards", *offering}


def _gives(spec: str, reward: Reward) -> bool:
    try:
        return get_reward(spec) == reward
    except RewardError:
        return False


def _path_of(one: Any) -> str | None:
    """Where a reward or a function is found by its name, if another process would find it there."""
    function = getattr(one, "function", one)
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if not module or module == "__main__" or not name.isidentifier():
        return None
    held = getattr(importlib.import_module(module), name, None)
    return f"{module}.{name}" if held is not None and getattr(held, "function", held) is function else None
