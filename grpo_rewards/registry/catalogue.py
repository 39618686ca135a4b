"""The names: what is registered, by whom, and how a name, a spec or a dotted path becomes a Reward."""

from __future__ import annotations

import ast
import importlib
import inspect
import linecache
import os
import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeAlias, TypeVar

from grpo_rewards.registry.errors import RewardError, did_you_mean, listed, shown
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.reward import Reward
from grpo_rewards.registry.signature import where
from grpo_rewards.registry.spec import Spec, parse_spec

__all__ = ["ENTRY_POINT_GROUP", "get_reward", "list_rewards", "register", "register_composer"]

ENTRY_POINT_GROUP = "grpo_rewards"

Composer: TypeAlias = Callable[..., Reward]
Compose = TypeVar("Compose", bound=Composer)

_REGISTRY: dict[str, Reward] = {}
_COMPOSERS: dict[str, Composer] = {}
_LOADED_PLUGINS: set[tuple[str, str]] = set()


def register(new: FunctionReward) -> FunctionReward:
    """Puts a reward under its name. Redefining the same function replaces it; another function is refused."""
    if new.name in _COMPOSERS:
        raise RewardError(f"'{new.name}' makes a reward of rewards; give yours another name ({where(new.function)}).")
    if not new.name.isidentifier():
        raise RewardError(
            f"a reward cannot be registered as {shown(new.name)}: a spec could not name it. Give it an identifier, "
            f'@reward(name="my_reward") ({where(new.function)}).'
        )
    old = _REGISTRY.get(new.name)
    if old is not None and not (isinstance(old, FunctionReward) and _same_function(old.function, new.function)):
        there = where(old.function) if isinstance(old, FunctionReward) else repr(old)
        raise RewardError(
            f"reward '{new.name}' is defined twice: at {there} and at {where(new.function)}. "
            f'Rename one function, or give it another name with @reward(name="…").'
        )
    _REGISTRY[new.name] = new
    return new


def list_rewards() -> list[str]:
    """The names of all registered rewards, those of installed plugins included, sorted."""
    _load_plugins()
    return sorted(_REGISTRY)


def register_composer(compose: Compose) -> Compose:
    """Makes a function that makes a reward of rewards known to specs, under its own name."""
    _COMPOSERS[compose.__name__] = compose
    return compose


def get_reward(spec: str | Reward) -> Reward:
    """The reward that a spec names.

    A spec is ``name``, ``name(option=literal, …)``, either with a dotted path for a name, or a composite of specs:
    ``gated(boxed_answer, by=think_format)``. Options are literals; nothing of a spec is ever evaluated. ``name='…'``
    among them renames the reward in the logs.

    Raises:
        RewardError: malformed spec, unknown reward or option, a path that cannot be imported or holds no Reward.

    >>> get_reward("soft_overlong(max_tokens=1024, buffer=256)")
    soft_overlong(max_tokens=1024, buffer=256)
    """
    return spec if isinstance(spec, Reward) else _found(parse_spec(spec))


def _found(spec: Spec) -> Reward:
    if spec.path in _COMPOSERS:
        return _composed(_COMPOSERS[spec.path], spec)
    found = _by_dotted_path(spec.path) if "." in spec.path else _by_name(spec.path)
    options = spec.options()
    return found.bind(**options) if options else found


def _composed(compose: Composer, spec: Spec) -> Reward:
    positional, named = spec.arguments(_found)
    signature = inspect.signature(compose)
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
        taken = signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)
        raise RewardError(f"malformed reward spec {shown(spec.text)}: {error}. It is {spec.path}{taken}.") from None
    return compose(*positional, **named)


def _by_name(name: str) -> Reward:
    if name not in _REGISTRY:
        _load_plugins()
    if name not in _REGISTRY:
        raise RewardError(
            f"unknown reward '{name}'{did_you_mean(name, [*_REGISTRY, *_COMPOSERS])} "
            f"Registered: {listed(list_rewards())}. Made of others: {listed(sorted(_COMPOSERS))}."
        )
    return _REGISTRY[name]


def _by_dotted_path(path: str) -> Reward:
    module_path, _, attribute = path.rpartition(".")
    try:
        module = importlib.import_module(module_path)
    except ModuleNotFoundError as error:
        if error.name is None or not (module_path == error.name or module_path.startswith(error.name + ".")):
            raise  # the module is there; something that it imports is not, and the traceback says what
        raise RewardError(
            f"reward '{path}': there is no module '{error.name}'. Is it installed, or its folder on PYTHONPATH?"
        ) from error
    found = getattr(module, attribute, None)
    if isinstance(found, Reward):
        return found
    if found is None:
        theirs = [name for name, value in vars(module).items() if isinstance(value, Reward)]
        raise RewardError(
            f"module '{module_path}' has no '{attribute}'{did_you_mean(attribute, theirs)} "
            f"Rewards in it: {listed(theirs)}."
        )
    raise RewardError(
        f"'{path}' is {shown(found)}, not a Reward. Decorate it with @grpo_rewards.reward, "
        "or hand it to TRL's reward_funcs as it is."
    )


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


def _same_function(old: Callable[..., Any], new: Callable[..., Any]) -> bool:
    """Whether ``new`` is ``old`` defined again: a cell run again, a module reloaded or imported under a second name."""
    old_code, new_code = inspect.unwrap(old).__code__, inspect.unwrap(new).__code__
    same_file = os.path.realpath(old_code.co_filename) == os.path.realpath(new_code.co_filename)
    same_place = same_file and old_code.co_firstlineno == new_code.co_firstlineno
    if old.__qualname__ != new.__qualname__:
        return False
    if same_place:
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
