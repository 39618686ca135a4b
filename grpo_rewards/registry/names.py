"""Which reward has which name: registering one, those of installed packages, and definitions that clash."""

from __future__ import annotations

import ast
import importlib
import inspect
import keyword
import linecache
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
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
    if isinstance(reward, Reward) and not isinstance(getattr(reward, "name", None), str):
        raise RewardError(f"{type(reward).__name__} has no name: set the attribute 'name' in the class.")
    if not isinstance(reward, Reward):
        raise RewardError(
            f"{shown(reward)} is no Reward. Decorate a function with @grpo_rewards.reward, or derive a class from "
            "grpo_rewards.Reward."
        )
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
    old = _REGISTRY.get(new.name)
    is_composer = new.name in _COMPOSERS
    if not is_composer and (old is None or _replaces(new, module, old)):
        _REGISTRY[new.name] = new
        _MODULES[new.name] = module
    elif _is_plugin(package):
        new.specified_as(f"{package}.{new.name}")  # so that its spec is found again
        taken = "makes a reward of rewards" if old is None else f"is taken ({_place(old)})"
        warnings.warn(
            f"the reward '{new.name}' of '{package}' ({_place(new)}) is not listed under that name, which {taken}. "
            f"In specs it is '{package}.{new.name}'.",
            stacklevel=4,
        )
    elif is_composer or old is None:
        raise RewardError(f"'{new.name}' makes a reward of rewards; give yours another name ({_place(new)}).")
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
    return {path: one for path, one in sorted(_QUALIFIED.items()) if _is_taken_from(one)}


def _is_taken_from(reward: Reward) -> bool:
    """Whether another reward, or a composer, has the reward's name."""
    its = _REGISTRY.get(reward.name)
    return reward.name in _COMPOSERS or (its is not None and its is not reward)


def _is_plugin(package: str) -> bool:
    """Whether a package offers its rewards by an entry point."""
    return package in {point.module.partition(".")[0] for point in _offered()}


def _place(reward: Reward) -> str:
    return repr(reward) if reward.function is None else where(reward.function)


def _replaces(new: Reward, module: str, old: Reward) -> bool:
    """Whether ``new`` is ``old`` again: equal, or what a cell that is run again, or a module reloaded, makes of it.

    That is the same function defined again; or, in the same module, another object of the same class, or the same
    function with other options.
    """
    if old == new:
        return True
    was, now = (one if one.function is None else one.function for one in (old, new))
    if inspect.isroutine(was) and inspect.isroutine(now) and was is not now:
        return _is_redefined(was, now)
    same_class = type(was).__module__ == type(now).__module__ and type(was).__qualname__ == type(now).__qualname__
    return _MODULES.get(new.name) == module and same_class


def _is_redefined(old: Callable[..., Any], new: Callable[..., Any]) -> bool:
    """Whether ``new`` is ``old`` defined again: a cell run again, a module reloaded or imported under a second name."""
    old_code, new_code = (getattr(inspect.unwrap(one), "__code__", None) for one in (old, new))
    if old_code is None or new_code is None or getattr(old, "__qualname__", "") != getattr(new, "__qualname__", ""):
        return False
    same_file = os.path.realpath(old_code.co_filename) == os.path.realpath(new_code.co_filename)
    if same_file and old_code.co_firstlineno == new_code.co_firstlineno:
        return True
    lines = {old_code.co_firstlineno, new_code.co_firstlineno}
    both_there = same_file and _both_in_source(new_code.co_filename, new.__name__, lines)
    return old.__module__ == new.__module__ and not both_there


def _both_in_source(filename: str, name: str, lines: set[int]) -> bool:
    """Whether a file, as it is now, defines a name at all these lines. After an edit the old one is gone."""
    linecache.checkcache(filename)
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:
        return False
    starts = {
        min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == name
    }
    return lines <= starts


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
                _add_offered(loaded, point.module)
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


def _offered() -> tuple[EntryPoint, ...]:
    """The entry points of installed packages. They are scanned anew only where a folder of the path has changed."""
    folders = [Path(one or ".") for one in sys.path]
    return _scanned(tuple((str(one), one.stat().st_mtime_ns if one.exists() else 0) for one in folders))


@lru_cache(maxsize=1)
def _scanned(folders: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda one: (one.value, one.name)))


def _add_offered(offered: Reward, module: str) -> None:
    """Registers what an entry point names, unless importing its module did so, or tried to."""
    if qualified(f"{module.partition('.')[0]}.{offered.name}") != offered:
        add(offered, module)


def _offered_by(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.name
