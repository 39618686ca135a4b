"""Does a reward look at what the model did? What its function takes of that, and what its code uses."""

from __future__ import annotations

import dis
import functools
import inspect
import re
import types
from collections.abc import Callable, Collection, Iterator
from typing import Any

from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import GIVEN_BY_TRAINER, listed, words_in
from grpo_rewards.registry.model_arguments import FROM_MODEL, completion_argument, only_passes_on, parameters_of

PASSED = ("completions", "completion_ids", "environments")  # by trainers, to plain functions
MAKES_SEVERAL = re.compile(r"list|tuple|sequence|iterable|tensor|array", re.IGNORECASE)
LOADS = re.compile("LOAD_(FAST|DEREF|CLASSDEREF|FROM_DICT_OR_DEREF)")  # the steps that use a variable
OF_ROLLOUTS = frozenset(("env", "environment", "episode", "rollout", "trajectory"))  # words in names of what it returns
PASS_ROLLOUT = "Pass that as well: check_rewards(…, rollout_func=…)."
READ_ANYTHING = frozenset(("locals", "vars", "eval", "exec"))


def unseeing(one: Any, columns: Collection[str] | None, rolled_out: bool = False) -> tuple[str, str] | None:
    """(message, remedy) for a reward that looks at nothing of what the model did; ``None`` for every other one.

    Args:
        one: a reward, or a plain function as TRL takes it.
        columns: the names of the dataset's columns, or ``None``. What is none of them may come from a
            ``rollout_func``, and so from the model.
        rolled_out: whether there is a ``rollout_func``.
    """
    if not isinstance(one, Reward) and not takes_of_model(one):
        if _reads_a_rollout(one, columns or (), rolled_out):
            return None
        does = f"reads nothing of what the model did: a trainer passes that as {listed(PASSED)}"
        return f"{does}, and it takes {listed(parameters_of(one))}.", _how_to_see(one)
    if not _ignores(one, columns or ()):
        return None
    read = one.columns if isinstance(one, Reward) else [name for name in parameters_of(one) if name not in PASSED]
    meant = completion_argument(read)
    hint = "" if meant is None else f"Did you mean '{meant[1]}' by '{meant[0]}'? "
    message = "takes what the model did and never uses it: a row earns the same whatever is written."
    return message, f"{hint}Use it, or leave the reward out."


def _reads_a_rollout(function: Any, columns: Collection[str], rolled_out: bool) -> bool:
    """Whether a function as TRL calls it, with ``**kwargs``, reads what is no column, and a rollout may return."""
    parameters = parameters_of(function)
    named = {name for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD}
    missing = (named | (_used_arguments(function) or set())) - GIVEN_BY_TRAINER.union(columns)
    return len(named) < len(parameters) and any(rolled_out or is_of_rollout(name) for name in missing)


def is_of_rollout(column: str) -> bool:
    """Whether a name is like those of what a ``rollout_func`` returns beside the completions, such as env_reward."""
    return not OF_ROLLOUTS.isdisjoint(words_in(column)) and column not in GIVEN_BY_TRAINER


def takes_of_model(function: Any) -> bool:
    """Whether a plain function takes what the model did, by name or from its ``**kwargs``."""
    parameters, used = parameters_of(function), _used_arguments(function)
    if any(name in parameters for name in PASSED):
        return True
    takes_all = not parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    return takes_all and (used is None or not used.isdisjoint(PASSED))


def _ignores(one: Any, columns: Collection[str]) -> bool:
    """Whether it is certain that a reward, or each part of one, uses nothing but its row."""
    if isinstance(one, Reward) and one.parts:
        return all(_ignores(part, columns) for part in one.parts)
    own: Any = one if isinstance(one, Reward) else None
    if own is not None and not hasattr(own, "signature"):
        return False  # of a class of its own, which reads a call as it likes
    function = one if own is None else own.function
    used = _used_arguments(function)
    if used is None or not used.isdisjoint((*FROM_MODEL, *(own.dependencies if own else ()))):
        return False
    parameters = parameters_of(function).items()
    settings = {name for name, its in parameters if its.default is not its.empty and its.default is not None}
    read = (used - GIVEN_BY_TRAINER if own is None else used.intersection(own.signature.columns)) - settings
    return {column for name in read for column in (own.column_names[name] if own else (name,))}.issubset(columns)


def _how_to_see(function: Callable[..., Any]) -> str:
    """What to do so that a plain function sees what the model did."""
    parameters = parameters_of(function)
    named = [name for name, one in parameters.items() if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    meant = completion_argument(named)
    if meant is None:
        rollout = f" Does a rollout_func return what it reads? {PASS_ROLLOUT}" if len(named) < len(parameters) else ""
        return (
            "If it makes a reward, call it, and give what it returns. Else have it take 'completion', the text of one, "
            f"and decorate it with @grpo_rewards.reward, or completions, a list, and **kwargs.{rollout}"
        )
    name, ours = meant
    returns = getattr(function, "__annotations__", {}).get("return")
    is_plural = name.endswith("s") and not name.endswith(("is", "ids", "messages"))
    many = is_plural or "prompts" in parameters if returns is None else MAKES_SEVERAL.search(str(returns)) is not None
    ours += "s" if many and ours == "completion" else ""
    renamed = "" if name == ours else f"Did you mean '{ours}' by '{name}'? Rename it. "
    rest = ", and leave out **kwargs" if len(named) < len(parameters) else ""
    return f"{renamed}Decorate the function with @grpo_rewards.{'batch_reward' if many else 'reward'}{rest}."


def _used_arguments(function: Callable[..., Any]) -> set[str] | None:
    """The arguments that the code of a function loads, and those that the functions wrapped around it mention.

    Returns:
        Their names; ``None`` if it is not written in Python, or if it uses its ``**kwargs``, in which all may be.
    """
    while isinstance(function, functools.partial):
        function = function.func
    called: Any = function if inspect.isroutine(function) else type(function).__call__
    mentioned: set[Any] = set()
    while hasattr(called, "__wrapped__") and only_passes_on(called):
        code = getattr(called, "__code__", None)
        mentioned.update(*([code.co_varnames, code.co_names, code.co_consts] if code else []))
        called = called.__wrapped__
    code = getattr(called, "__code__", None)
    if not isinstance(code, types.CodeType):
        return None
    loaded = {*_loaded_names(code)}
    count = code.co_argcount + code.co_kwonlyargcount
    takes_rest = bool(code.co_flags & inspect.CO_VARKEYWORDS)
    rest = [code.co_varnames[count + bool(code.co_flags & inspect.CO_VARARGS)]] if takes_rest else []
    if not loaded.isdisjoint((*rest, *READ_ANYTHING)):
        return None
    return loaded.intersection(code.co_varnames[:count]) | mentioned.intersection(FROM_MODEL)


def _loaded_names(code: types.CodeType) -> Iterator[str]:
    """The variables that the code of a function, and of the functions inside it, uses, and all other names in it.

    Where it only hands a variable on to a function inside it, the use is that function's.
    """
    shared = {*code.co_cellvars, *code.co_freevars}
    yield from code.co_names
    for step in dis.get_instructions(code):
        if LOADS.search(step.opname):
            names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            yield from (name for name in names if name not in shared or "DEREF" in step.opname)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _loaded_names(inner)
