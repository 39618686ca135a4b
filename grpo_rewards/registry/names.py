"""Which reward has which name: registering one, and telling a redefinition from a clash."""

from __future__ import annotations

import ast
import inspect
import linecache
import os
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from grpo_rewards.registry.errors import RewardError, shown
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.signature import where

__all__ = ["register", "register_composer"]

Composer: TypeAlias = Callable[..., Reward]


Compose = TypeVar("Compose", bound=Composer)


_REGISTRY: dict[str, Reward] = {}


_COMPOSERS: dict[str, Composer] = {}


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


def register_composer(compose: Compose) -> Compose:
    """Makes a function that makes a reward of rewards known to specs, under its own name."""
    _COMPOSERS[compose.__name__] = compose
    return compose


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
