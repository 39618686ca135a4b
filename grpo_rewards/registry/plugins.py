"""Rewards that other installed packages offer through the entry-point group ``grpo_rewards``."""

from __future__ import annotations

import inspect
import warnings
from importlib.metadata import EntryPoint, entry_points

from grpo_rewards.registry.errors import RewardError, shown
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.names import ENTRY_POINT_GROUP, add, qualified

__all__ = ["load_plugins"]

_LOADED: set[tuple[str, str]] = set()
_SAID: set[str] = set()


def load_plugins() -> None:
    """Loads each entry point once. One that is broken is a warning that names its package; the others go on."""
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda one: (one.value, one.name)):
        if (point.name, point.value) in _LOADED:
            continue
        _LOADED.add((point.name, point.value))
        try:
            loaded = point.load()  # importing its module registers what that decorates
            if isinstance(loaded, Reward):
                _add_offered(loaded, point.module)
            elif not inspect.ismodule(loaded):
                raise RewardError(f"it is {shown(loaded)}, neither a Reward nor a module of rewards")
        except (Exception, SystemExit) as error:  # noqa: BLE001  # foreign code: nothing in it may stop a run
            _warn_once(f"{_distribution(point)}: rewards in '{point.value}' cannot be loaded: {error}")


def _add_offered(offered: Reward, module: str) -> None:
    """Registers what an entry point names, unless importing its module did so, or tried to."""
    if qualified(f"{module.partition('.')[0]}.{offered.name}") != offered:
        add(offered, module)


def _warn_once(message: str) -> None:
    if message not in _SAID:
        _SAID.add(message)
        warnings.warn(message, stacklevel=4)


def _distribution(point: EntryPoint) -> str:
    return f"plugin '{point.dist.name} {point.dist.version}'" if point.dist else f"plugin '{point.name}'"
