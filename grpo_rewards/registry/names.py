"""Which reward has which name: registering one, those of installed packages, and definitions that clash."""

from __future__ import annotations

import importlib
import inspect
import keyword
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from grpo_rewards.public_names import OWN_REWARDS
from grpo_rewards.registry.errors import RewardError, shown
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.signature import where

Composer: TypeAlias = Callable[..., Reward]
Compose = TypeVar("Compose", bound=Composer)

ENTRY_POINT_GROUP = "grpo_rewards"

_REGISTRY: dict[str, Reward] = {}
_QUALIFIED: dict[str, Reward] = {}  # "package.name", for plug-ins whose reward could not have its bare name
_MODULES: dict[str, str] = {}  # in which each registered reward was written
_COMPOSERS: dict[str, Composer] = {}
REWARDS: Mapping[str, Reward] = MappingProxyType(_REGISTRY)
COMPOSERS: Mapping[str, Composer] = MappingProxyType(_COMPOSERS)


def register(reward: Reward | type[Reward], *, name: str | None = None) -> Reward:
    """Puts a reward that no decorator made under a name, so that specs, ``list_rewards`` and YAML know it.

    A decorated function is registered already. This is for an object of a class of your own that derives from
    ``Reward``, for one with options bound, and for a composite.

    Args:
        reward: the reward, or a class derived from ``Reward`` that is made without arguments.
        name: the name, an identifier; the reward's own by default.

    Returns:
        The reward under that name.

    Raises:
        RewardError: it is no Reward, its name is no identifier, or another reward has the name.

    >>> import grpo_rewards as gr
    >>> short = gr.register(gr.max_length.bind(max_tokens=256), name="at_most_256")
    >>> gr.get_reward("at_most_256").score("", completion_ids=range(300))
    0.0
    """
    if inspect.isclass(reward) and issubclass(reward, Reward):
        try:
            reward = reward()
        except TypeError as error:
            raise RewardError(f"{reward.__name__} cannot be made without arguments ({error}). Register one.") from error
    if not isinstance(reward, Reward):
        raise RewardError(
            f"{shown(reward)} is no Reward. Decorate a function with @grpo_rewards.reward, or derive a class from "
            "grpo_rewards.Reward."
        )
    if not isinstance(getattr(reward, "name", None), str):
        raise RewardError(f"{type(reward).__name__} has no name: set the attribute 'name' in the class.")
    caller = str(sys._getframe(1).f_globals.get("__name__", ""))
    return add(reward if name is None or name == reward.name else reward.bind(name=name), caller)


def add(new: Reward, module: str) -> Reward:
    """Puts a reward that was written in ``module`` under its own name.

    Redefining the same function replaces it. If another reward has the name, a plug-in's is left out with a warning,
    and stays reachable as ``package.name``; anybody else's is refused.
    """
    package = module.partition(".")[0]
    load_own(new.name)
    if not new.name.isidentifier() or keyword.iskeyword(new.name):
        raise RewardError(
            f"a reward cannot be registered as {shown(new.name)}: a spec could not name it. Give it an identifier, "
            f'@reward(name="my_reward") ({_place(new)}).'
        )
    _QUALIFIED[f"{package}.{new.name}"] = new
    old = _COMPOSERS.get(new.name, _REGISTRY.get(new.name))
    if old is None or (isinstance(old, Reward) and _replaces(new, module, old)):
        _REGISTRY[new.name] = new
        _MODULES[new.name] = module
    elif package in {point.module.partition(".")[0] for point in _offered()}:
        new.specified_as(f"{package}.{new.name}")  # so that its spec is found again
        warnings.warn(
            f"the reward '{new.name}' of '{package}' ({_place(new)}) is not listed under that name, which is taken "
            f"({_place(old)}). In specs it is '{package}.{new.name}'.",
            stacklevel=4,
        )
    else:
        raise RewardError(
            f"reward '{new.name}' is defined twice: at {_place(old)} and at {_place(new)}. "
            f'Rename one function, or give it another name with @reward(name="…").'
        )
    return new


def register_composer(compose: Compose) -> Compose:
    """Makes a function that makes a reward of rewards known to specs, under its own name."""
    _COMPOSERS[compose.__name__] = compose
    return compose


def load_own(name: str | None = None) -> None:
    """Imports this package's own reward, or composer, of this name if there is one; without a name all of them.

    They are imported by name when they are first needed, as a plug-in's are. In a second thread it waits until the
    first one is done with that.
    """
    for module in OWN_REWARDS.values() if name is None else [OWN_REWARDS[name]] if name in OWN_REWARDS else ():
        importlib.import_module(module)


def qualified(path: str) -> Reward | None:
    """The reward that ``package.name`` names, also one that could not have its bare name; ``None`` if there is none."""
    return _QUALIFIED.get(path)


def module_of(name: str) -> str:
    """The module in which a registered reward was written."""
    return _MODULES[name]


def nameless() -> dict[str, Reward]:
    """The rewards that could not have their bare names, by ``package.name``."""
    return {path: one for path, one in sorted(_QUALIFIED.items()) if _REGISTRY.get(one.name) is not one}


def _place(one: Reward | Composer) -> str:
    function = one.function if isinstance(one, Reward) else one
    return repr(one) if function is None else where(function)


def _replaces(new: Reward, module: str, old: Reward) -> bool:
    """Whether ``new`` is ``old`` again: equal, or what a cell that is run again, or a module reloaded, makes of it.

    That is a function of the same name in the same module or file; or, in the same module, another object of the same
    class, or the same function with other options.
    """
    if old == new:
        return True
    was, now = (one if one.function is None else one.function for one in (old, new))
    if inspect.isroutine(was) and inspect.isroutine(now) and was is not now:
        same_place = was.__module__ == now.__module__ or _file(was) == _file(now)  # a script may be imported as well
        return same_place and was.__qualname__ == now.__qualname__
    same_class = type(was).__module__ == type(now).__module__ and type(was).__qualname__ == type(now).__qualname__
    return _MODULES.get(new.name) == module and same_class


def _file(function: Callable[..., Any]) -> str:
    code: CodeType = inspect.unwrap(function).__code__
    return os.path.realpath(code.co_filename)


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


_LOADED: set[str] = set()  # what entry points name
_FAILED: dict[str, PluginFailure] = {}


def load_plugins() -> None:
    """Loads what entry points name, each once. What is broken is a warning that names its package; the others go on."""
    for point in _offered():
        if point.value in _LOADED:
            continue
        _LOADED.add(point.value)
        try:
            loaded = point.load()  # importing its module registers what that decorates
            if isinstance(loaded, Reward):
                if qualified(f"{point.module.partition('.')[0]}.{loaded.name}") != loaded:  # else it did
                    add(loaded, point.module)
            elif not inspect.ismodule(loaded):
                raise RewardError(f"it is {shown(loaded)}, neither a Reward nor a module of rewards")
        except (Exception, SystemExit) as error:  # noqa: BLE001  # foreign code: nothing in it may stop a run
            why = str(error) if isinstance(error, RewardError | ImportError) else f"{type(error).__name__}: {error}"
            _FAILED[point.value] = PluginFailure(_offered_by(point), point.value, why)
            message = f"plugin '{_offered_by(point)}': rewards in '{point.value}' cannot be loaded: {error}"
            warnings.warn(message, stacklevel=3)


def plugin_failures() -> list[PluginFailure]:
    """The entry points that could not be loaded, after ``load_plugins``."""
    return list(_FAILED.values())


def offered_plugins() -> list[tuple[str, str]]:
    """(package with its version, what it names) of each entry point of installed packages."""
    return sorted({(_offered_by(point), point.value) for point in _offered()})


@cache
def _offered() -> tuple[EntryPoint, ...]:
    """The entry points of the packages that were installed when the first one was looked for."""
    return tuple(sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda one: (one.value, one.name)))


def _offered_by(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.name
