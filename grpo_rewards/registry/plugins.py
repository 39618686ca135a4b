"""Rewards that other installed packages offer through the entry-point group ``grpo_rewards``."""

from __future__ import annotations

import inspect
import warnings
from importlib.metadata import EntryPoint, entry_points

from grpo_rewards.registry.errors import RewardError, shown
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.names import _REGISTRY

__all__ = ["ENTRY_POINT_GROUP"]

ENTRY_POINT_GROUP = "grpo_rewards"


_LOADED_PLUGINS: set[tuple[str, str]] = set()


def _load_plugins() -> None:
    """Loads the entry points of installed packages, once each; one that is broken is a warning that names it."""
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if (point.name, point.value) in _LOADED_PLUGINS:
            continue
        _LOADED_PLUGINS.add((point.name, point.value))
        try:
            loaded = point.load()  # importing it registers what it decorates
            if isinstance(loaded, Reward):
                _register_plugin(loaded)
            elif not inspect.ismodule(loaded):
                raise RewardError(f"it is {shown(loaded)}, neither a Reward nor a module of rewards")
        except (Exception, SystemExit) as error:  # noqa: BLE001  # foreign code: nothing in it may stop a run
            warnings.warn(f"{_distribution(point)}: rewards in '{point.value}' cannot be loaded: {error}", stacklevel=3)


def _register_plugin(loaded: Reward) -> None:
    """Registers a reward that no decorator has: one with options bound, or a composite."""
    known = _REGISTRY.setdefault(loaded.name, loaded)
    if known != loaded:
        raise RewardError(f"its name '{loaded.name}' is taken; give it another with .bind(name=…)")


def _distribution(point: EntryPoint) -> str:
    return f"plugin '{point.dist.name} {point.dist.version}'" if point.dist else f"plugin '{point.name}'"
