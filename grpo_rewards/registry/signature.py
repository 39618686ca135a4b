"""Reads the signature of a reward function and checks the star rule.

Before the ``*`` stand the names that the trainer gives and dataset columns, after it the options that users configure.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from traceback import walk_tb
from typing import Any

from grpo_rewards.errors import RewardError, completion_argument, listed, shown
from grpo_rewards.registry.call import LOGGERS, TAKEN_BY_TRAINER, Column
from grpo_rewards.registry.interface import Reward

# What functions read of a call: in @reward, and in @batch_reward. All other names before the star are dataset columns.
ROW_GIVEN = ("completion", "messages", "prompt", "completion_ids", "trainer_state", "environments")
BATCH_GIVEN = ("completions", "messages", "prompts", "completion_ids", "trainer_state", "environments")
GIVEN_BY_TRAINER = TAKEN_BY_TRAINER.union(ROW_GIVEN, BATCH_GIVEN)
FROM_MODEL = ("completion", "completions", "messages", "completion_ids", "environments")
REQUIRED = inspect.Parameter.empty
# Options of an async function beside its own: how many completions it works on at once, and seconds.
ASYNC_OPTIONS: Mapping[str, Any] = {"concurrency": 32, "timeout": 60.0}
# Names that no option can have, with the reason.
NO_OPTION = {
    **dict.fromkeys((*ROW_GIVEN, *BATCH_GIVEN), "the trainer gives it: write it before the '*'"),
    "name": "bind(name=…) renames a reward",
    "columns": "bind(columns=…) renames the columns it reads",
}


@dataclass(frozen=True)
class Signature:
    """What a reward function reads and what it can be configured with.

    Attributes:
        reads: the names before the star, in order: those the trainer gives, and dataset columns.
        columns: those of ``reads`` that are dataset columns, under these names.
        optional: those of ``reads`` that have a default, with it.
        options: the names after the star, each with its default and its type, and dependencies with their specs.
        groups: parameters after the star that are dataclasses; each field of one is an option.
        dependencies: those of ``reads`` that are the verdicts of another reward, which is an option of the same name.
        batch: whether the function sees the whole call.
        is_async: whether calling it makes a coroutine.
        shown: how ``inspect`` and editors show it: with all options behind the star, the fields of groups and
            dependencies with their default specs among them.
    """

    reads: tuple[str, ...]
    columns: tuple[Column, ...]
    optional: Mapping[str, Any]
    options: Mapping[str, inspect.Parameter]
    groups: Mapping[str, type]
    dependencies: tuple[str, ...]
    batch: bool
    is_async: bool
    shown: inspect.Signature

    def arguments(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for the function: all options, those of each group collected into one dataclass."""
        arguments = dict(options)
        for parameter, group in self.groups.items():
            arguments[parameter] = group(**{one.name: arguments.pop(one.name) for one in fields(group) if one.init})
        return arguments

    def check_option(self, reward_name: str, name: str, value: Any) -> None:
        """Raises RewardError for a value of another type than the annotation of the option."""
        wanted, is_limit = self.options[name].annotation, self.is_async and name in ASYNC_OPTIONS
        if not fits(value, wanted) or (is_limit and value <= 0):
            fitting = f"{spoken(wanted)}{' above 0' if is_limit else ''}, not {shown(value)}"
            raise RewardError(f"option '{name}' of reward '{reward_name}' must be {fitting}.")


def where(function: Callable[..., Any], error: Exception | None = None) -> str:
    """``file:line`` of a function, or of the ``__call__`` of an object; of an error the last line in that file."""
    code = getattr(inspect.unwrap(_called(function)), "__code__", None)
    if code is None:
        return "unknown place"
    passed = walk_tb(error.__traceback__) if error else ()
    lines = [line for frame, line in passed if frame.f_code.co_filename == code.co_filename]
    return f"{code.co_filename}:{[code.co_firstlineno, *lines][-1]}"


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of what is called, by name; none of a built-in without a signature.

    Those of an adapter made with ``functools.wraps`` are its own. A wrapper that takes just ``*args`` and ``**kwargs``
    is called with what it wraps takes.
    """
    try:
        own = inspect.signature(function, follow_wrapped=False).parameters
        only_passes_on = all(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in own.values())
        return dict(inspect.signature(function).parameters if only_passes_on else own)
    except (TypeError, ValueError):
        return {}


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, or of the class of a callable object."""
    function = function.func if isinstance(function, functools.partial) else function
    return str(getattr(function, "__name__", type(function).__name__))


def _called(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a call runs: the given one, or ``__call__`` of a callable object."""
    return function if inspect.isroutine(function) else type(function).__call__


def read_signature(function: Callable[..., Any], *, batch: bool, dependencies: Mapping[str, str]) -> Signature:
    """The signature of a reward function, or a RewardError that quotes the rule it breaks.

    Args:
        function: a function, a bound method or a callable object.
        batch: whether it sees the whole call.
        dependencies: those that it reads of other rewards, with the specs of the default ones.
    """
    if not callable(function) or inspect.isclass(function) or inspect.isbuiltin(function):
        instead = " Make an object of the class, and decorate that." if inspect.isclass(function) else ""
        raise RewardError(f"@{_decorator(batch)} goes on a function, not on {shown(function)}.{instead}")
    if isinstance(function, Reward):
        raise RewardError(f"{shown(function)} is a reward already; bind it, or register it under another name.")
    called = _called(function)
    is_async = inspect.iscoroutinefunction(called)
    hints = _hints(getattr(called, "__annotations__", {}), called)
    before: dict[str, inspect.Parameter] = {}
    options: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for name, one in parameters_of(function).items():
        hint = hints.get(name, REQUIRED)
        if one.kind is not one.KEYWORD_ONLY:
            before[name] = one
        elif isinstance(hint, type) and is_dataclass(hint):
            groups[name] = hint
            options += _options_of(hint, one.default)
        else:
            options.append(_option(name, one.default, hint))
    for name, value in ASYNC_OPTIONS.items() if is_async else ():
        if not (batch and name == "concurrency"):
            options.append(_option(name, value, type(value)))
    options += [_option(name, spec, "Reward | str") for name, spec in dependencies.items()]
    for rule in _broken_rules(before, [one.name for one in options], dependencies, batch):
        raise RewardError(f"reward '{name_of(function)}' ({where(function)}) {rule}")
    given = [one for one in before.values() if one.name not in dependencies]
    columns = [one for one in given if one.name not in (BATCH_GIVEN if batch else ROW_GIVEN)]
    return Signature(
        reads=tuple(before),
        columns=tuple(Column(one.name, one.name, one.default is not REQUIRED) for one in columns),
        optional={name: one.default for name, one in before.items() if one.default is not REQUIRED},
        options={one.name: one for one in options},
        groups=groups,
        dependencies=tuple(dependencies),
        batch=batch,
        is_async=is_async,
        shown=inspect.Signature([*given, *options], return_annotation=hints.get("return", REQUIRED)),
    )


def _option(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _options_of(group: type, default: Any) -> Iterator[inspect.Parameter]:
    """An option for each field of a dataclass; ``default`` is an object of it, if there is one."""
    hints = _hints({one.name: one.type for one in fields(group)}, group)
    for one in (one for one in fields(group) if one.init):
        made = one.default if one.default_factory is MISSING else one.default_factory()
        value = getattr(default, one.name) if isinstance(default, group) else made
        yield _option(one.name, REQUIRED if value is MISSING else value, hints.get(one.name, REQUIRED))


def _broken_rules(
    before: Mapping[str, inspect.Parameter], options: Sequence[str], dependencies: Mapping[str, str], batch: bool
) -> Iterator[str]:
    """What breaks the star rule: for each break the end of a sentence that begins with the reward."""
    this, other = (BATCH_GIVEN, ROW_GIVEN) if batch else (ROW_GIVEN, BATCH_GIVEN)
    written = dict(zip(other, this, strict=True))
    for name, one in before.items():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            starred = one.replace(annotation=REQUIRED)
            yield f"takes {starred}. Name what it reads: dataset columns before a bare '*', options after it."
        if written.get(name, name) != name:
            sees = "the whole call" if batch else "one completion"
            instead = f"Write '{written[name]}', or use @{_decorator(not batch)}."
            yield f"reads '{name}', but @{_decorator(batch)} sees {sees}. {instead}"
    for name in (*before, *options):
        if name in LOGGERS:  # a Verdict carries the reason, and the machinery logs it
            yield f"reads '{name}'. Return a Verdict with a reason instead: it is logged for you."
    if not {*FROM_MODEL, *dependencies}.intersection(before):
        yield _without_model(list(before), [name for name in this if name in FROM_MODEL])
    for name in dependencies:
        if name not in before or before[name].default is not REQUIRED:
            yield (
                f"has the dependency '{name}', so it must read '{name}' before the '*', without a default: these are "
                "the verdicts of that reward."
            )
    for name in options:
        if name in NO_OPTION:
            yield f"has an option called '{name}', but {NO_OPTION[name]}. Choose another name."
        if options.count(name) + (name in before and name not in dependencies) > 1:
            of_async = ", which every async reward has as an option" if name in ASYNC_OPTIONS else ""
            yield f"has two parameters called '{name}'{of_async}. Choose another name."


def _without_model(reads: Sequence[str], from_model: Sequence[str]) -> str:
    """The message about a reward that would give the same whatever the model does."""
    given, meant = completion_argument(reads) or ("", "")
    own = next(name for name in from_model if name.startswith(meant))
    hint = f"; did you mean '{own}' by '{given}'?" if given else "."
    only = f", only {listed(reads)}" if reads else ""
    return (
        f"reads nothing of what the model did{only}{hint} Read {' or '.join(from_model)} before the '*'. A reward "
        f"that scores the row alone, or columns from a rollout_func, must still name '{from_model[0]}'."
    )


def _decorator(batch: bool) -> str:
    return "batch_reward" if batch else "reward"


def _hints(annotations: Mapping[str, Any], of: Callable[..., Any]) -> dict[str, Any]:
    """The types that a function or a class is annotated with, as far as they can be resolved.

    Resolves each separately; a name imported under TYPE_CHECKING is skipped.
    """
    scope = {**vars(sys.modules.get(of.__module__, types)), **getattr(inspect.unwrap(of), "__globals__", {})}
    found: dict[str, Any] = {}
    for name, annotation in annotations.items():
        with contextlib.suppress(NameError, TypeError, AttributeError):
            found |= typing.get_type_hints(types.SimpleNamespace(__annotations__={name: annotation}), scope)
    return found


def fits(value: Any, wanted: Any) -> bool:
    """Whether a value fits an option's annotation. Plain types, unions, literals and containers are checked; other
    annotations accept anything.
    """
    kind = typing.get_origin(wanted) or wanted
    if kind in UNIONS:
        return any(fits(value, one) for one in typing.get_args(wanted))
    if kind is typing.Literal:
        return value in typing.get_args(wanted)
    if kind in (int, float):
        is_number = isinstance(value, int) or (kind is float and isinstance(value, float))
        return is_number and not isinstance(value, bool) and abs(value) < math.inf
    return kind not in CHECKED_TYPES or isinstance(value, kind)


UNIONS = (typing.Union, types.UnionType)
CHECKED_TYPES = (str, bool, type(None), list, tuple, dict, set)
OF_TYPES = {str: "a string", int: "a whole number", float: "a finite number", bool: "True or False", type(None): "None"}


def spoken(wanted: Any) -> str:
    """An annotation in words, for a message."""
    kind = typing.get_origin(wanted)
    if kind is typing.Literal:
        return "one of " + ", ".join(map(repr, typing.get_args(wanted)))
    if kind in UNIONS:
        return " or ".join(spoken(one) for one in typing.get_args(wanted))
    return OF_TYPES.get(wanted, f"of type {wanted.__name__ if isinstance(wanted, type) else wanted}")
