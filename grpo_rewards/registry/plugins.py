"""Rewards that other installed packages offer through the entry-point group ``grpo_rewards``."""

from __future__ import annotations

import inspect
import warnings
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from grpo_rewards.registry.errors import RewardError, shown
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.names import ENTRY_POINT_GROUP, add, qualified

__all__ = ["PluginFailure", "load_plugins", "offered_plugins", "plugin_failures"]


class PluginFailure(NamedTuple):
    """An entry point that could not be loaded.

    Attributes:
        plugin: the package that offers it, with its version.
        entry: what it names: a module, or a reward in one.
        why: what was raised.
    """

    plugin: str
    entry: str
    why: str


_LOADED: set[tuple[str, str]] = set()
_WARNED: set[str] = set()
_FAILED: dict[tuple[str, str], PluginFailure] = {}


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
            why = str(error) if isinstance(error, RewardError | ImportError) else f"{type(error).__name__}: {error}"
            _FAILED[point.name, point.value] = PluginFailure(_offered_by(point), point.value, why)
            _warn_once(f"plugin '{_offered_by(point)}': rewards in '{point.value}' cannot be loaded: {error}")


def plugin_failures() -> list[PluginFailure]:
    """The entry points that could not be loaded, after ``load_plugins``."""
    return list(_FAILED.values())


def offered_plugins() -> list[tuple[str, str]]:
    """(package with its version, what it names) of each entry point of installed packages."""
    points = entry_points(group=ENTRY_POINT_GROUP)
    return sorted({(_offered_by(point), point.value) for point in points})


def _add_offered(offered: Reward, module: str) -> None:
    """Registers what an entry point names, unless importing its module did so, or tried to."""
    if qualified(f"{module.partition('.')[0]}.{offered.name}") != offered:
        add(offered, module)


def _warn_once(message: str) -> None:
    if message not in _WARNED:
        _WARNED.add(message)
        warnings.warn(message, stacklevel=4)


def _offered_by(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.name
