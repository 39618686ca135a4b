"""Reads the signature of a reward function and checks the star rule.

Before the ``*`` stand the names that the trainer gives and dataset columns, after it the options that users configure.
"""

from __future__ import annotations

import functools
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import MappingProxyType
from typing import Any

from grpo_rewards.registry.errors import RewardError, did_you_mean, listed, shown
from grpo_rewards.registry.interface import Reward
from grpo_rewards.registry.model_arguments import FROM_MODEL, completion_argument, real_signature

__all__ = ["REQUIRED", "Signature", "is_async", "is_number_type", "name_of", "read_signature", "spoken", "where"]

ROW_GIVEN = ("completion", "messages", "prompt", "completion_ids", "trainer_state", "environments")
BATCH_GIVEN = ("completions", "messages", "prompts", "completion_ids", "trainer_state", "environments")
# The trainer's loggers are not for reading: a Verdict carries the reason, and the machinery logs it.
NOT_READABLE = ("log_extra", "log_metric")
# What bind() itself takes, so that no option can have these names.
TAKEN_BY_BIND = {"name": "bind(name=…) renames a reward", "columns": "bind(columns=…) renames the columns it reads"}
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Signature:
    """What a reward function reads and what it can be configured with.

    Attributes:
        reads: the names before the star, in order: those the trainer gives, and dataset columns.
        columns: those of ``reads`` that are dataset columns.
        optional: those of ``reads`` that have a default, with it.
        options: the names after the star with their defaults (``REQUIRED`` if there is none).
        annotations: the types of the options, as far as they could be resolved.
        returns: the annotated return type, or ``REQUIRED``.
        groups: parameters after the star that are dataclasses; each field of one is an option.
        dependencies: those of ``reads`` that are the verdicts of another reward, which is an option of the same name.
    """

    reads: tuple[str, ...]
    columns: tuple[str, ...]
    optional: dict[str, Any]
    options: dict[str, Any]
    annotations: dict[str, Any]
    returns: Any
    groups: dict[str, type]
    dependencies: tuple[str, ...] = ()

    def unset(self, options: dict[str, Any]) -> list[str]:
        """The options that have no default and no value yet."""
        return [name for name, default in self.options.items() if default is REQUIRED and name not in options]

    def arguments(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for the function, with the options of each group collected into one dataclass.

        Raises:
            RewardError: a dataclass refuses its values.
        """
        arguments = dict(options)
        for parameter, group in self.groups.items():
            names = [one.name for one in fields(group) if one.init]
            values = {name: arguments.pop(name) for name in names if name in arguments}
            values = {name: self.options[name] for name in names if self.options[name] is not REQUIRED} | values
            try:
                arguments[parameter] = group(**values)
            except (TypeError, ValueError) as error:
                raise RewardError(f"{group.__name__} cannot be made of {listed(values)}: {error}") from error
        return arguments

    def check_option(self, reward_name: str, name: str, value: Any) -> None:
        """Raises RewardError for an option that does not exist, or a value of another type than its annotation."""
        if name not in self.options:
            known = (*self.options, *self.dependencies)
            theirs = f" or those of {listed(self.dependencies)}" if self.dependencies else ""
            raise RewardError(
                f"reward '{reward_name}' has no option '{name}'{did_you_mean(name, known)} "
                f"Options: {listed(known)}{theirs}."
            )
        wanted = self.annotations.get(name, Any)
        if not fits(value, wanted):
            raise RewardError(
                f"option '{name}' of reward '{reward_name}' must be {spoken(wanted)}, not {shown(value)}."
            )

    def shown_to_inspect(self, function: Callable[..., Any], dependency_specs: Mapping[str, str]) -> inspect.Signature:
        """The function's signature as ``inspect`` and editors show it, with all options behind the star.

        Among these are the fields of its groups, and its dependencies, with their default specs.
        """
        hidden = (*self.groups, *dependency_specs)
        kept = [one for one in real_signature(function).parameters.values() if one.name not in hidden]
        known = {one.name for one in kept}
        grouped = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=self.annotations.get(name, REQUIRED)
            )
            for name, default in self.options.items()
            if name not in known
        ]
        dependency_parameters = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=spec, annotation="Reward | str")
            for name, spec in dependency_specs.items()
        ]
        return inspect.Signature([*kept, *grouped, *dependency_parameters], return_annotation=self.returns)


def where(function: Callable[..., Any]) -> str:
    """``file:line`` of a function, or of the ``__call__`` of an object, for messages."""
    code = getattr(inspect.unwrap(_called(function)), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else "unknown place"


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, or of the class of a callable object."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it makes a coroutine: an ``async def``, or an object whose ``__call__`` is one."""
    return inspect.iscoroutinefunction(_called(function))


def _called(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a call runs: the given one, or ``__call__`` of a callable object."""
    return function if inspect.isroutine(function) else type(function).__call__


def read_signature(
    function: Callable[..., Any],
    *,
    batch: bool,
    dependencies: Iterable[str] = (),
    more_options: Mapping[str, Any] = MappingProxyType({}),
) -> Signature:
    """The signature of a reward function, or a RewardError that quotes the rule it breaks."""
    if not callable(function) or inspect.isclass(function) or inspect.isbuiltin(function):
        instead = " Make an object of the class, and decorate that." if inspect.isclass(function) else ""
        raise RewardError(f"@{_decorator(batch)} goes on a function, not on {shown(function)}.{instead}")
    if isinstance(function, Reward):
        raise RewardError(f"{shown(function)} is a reward already; bind it, or register it under another name.")
    hints = _hints(function)
    reads: list[str] = []
    optional: dict[str, Any] = {}
    options: dict[str, Any] = {}
    annotations: dict[str, Any] = {}
    groups: dict[str, type] = {}
    for parameter in real_signature(function).parameters.values():
        _check_parameter(function, parameter, batch)
        name, hint = parameter.name, hints.get(parameter.name)
        if parameter.kind is not parameter.KEYWORD_ONLY:
            reads.append(name)
            if parameter.default is not parameter.empty:
                optional[name] = parameter.default
            continue
        spelled = {name: (parameter.default, hint)}
        if isinstance(hint, type) and is_dataclass(hint):
            groups[name], spelled = hint, _options_of(hint, parameter.default)
        for one in spelled:
            _check_option_name(function, one)
        for one, (default, annotation) in spelled.items():
            if one in (*options, *reads):
                raise RewardError(
                    f"reward '{name_of(function)}' ({where(function)}) has two parameters called '{one}'."
                )
            options[one] = default
            annotations |= {} if annotation is None else {one: annotation}
    given = BATCH_GIVEN if batch else ROW_GIVEN
    if not {*FROM_MODEL, *dependencies}.intersection(reads):
        raise RewardError(_without_model(f"reward '{name_of(function)}' ({where(function)})", reads, batch))
    for name in dependencies:
        if name not in reads or name in given or name in optional:
            raise RewardError(
                f"reward '{name_of(function)}' ({where(function)}) has the dependency '{name}', so it must read "
                f"'{name}' before the '*', without a default: these are the verdicts of that reward."
            )
        _check_option_name(function, name)
    columns = tuple(name for name in reads if name not in (*given, *dependencies))
    for name, default in more_options.items():
        if name in (*options, *reads):
            raise RewardError(
                f"reward '{name_of(function)}' ({where(function)}) has a parameter '{name}', which every async reward "
                "has as an option of its own. Choose another name."
            )
        options[name], annotations[name] = default, type(default)
    returns = hints.get("return", REQUIRED)
    return Signature(tuple(reads), columns, optional, options, annotations, returns, groups, tuple(dependencies))


def _without_model(reward: str, reads: Sequence[str], batch: bool) -> str:
    """The message about a reward that would give the same whatever the model does."""
    own = [name for name in (BATCH_GIVEN if batch else ROW_GIVEN) if name in FROM_MODEL]
    columns = [name for name in reads if name not in (*BATCH_GIVEN, *ROW_GIVEN)]
    of_rows = f": {listed(columns)} {'is a column' if len(columns) == 1 else 'are columns'} of the dataset"
    meant = completion_argument(reads)
    ours = "" if meant is None else meant[1] + "s" * (batch and meant[1] == "completion")
    hint = "." if meant is None else f"; did you mean '{ours}' by '{meant[0]}'?"
    return (
        f"{reward} reads nothing of what the model did{of_rows if columns else ''}{hint} Read {' or '.join(own)} "
        f"before the '*'. One of the row alone, or of what a rollout_func adds to it, names '{own[0]}' all the same."
    )


def _options_of(group: type, default: Any) -> dict[str, tuple[Any, Any]]:
    """The default and the type of each field of a dataclass; ``default`` is an object of it, if there is one."""
    hints = _hints(group)
    found = {}
    for one in fields(group):
        value = one.default_factory() if one.default_factory is not MISSING else one.default
        value = getattr(default, one.name) if isinstance(default, group) else value
        if one.init:
            found[one.name] = (REQUIRED if value is MISSING else value, hints.get(one.name))
    return found


def _check_option_name(function: Callable[..., Any], name: str) -> None:
    if name in (*TAKEN_BY_BIND, *ROW_GIVEN, *BATCH_GIVEN):
        why = TAKEN_BY_BIND.get(name, "the trainer gives it: write it before the '*'")
        raise RewardError(
            f"reward '{name_of(function)}' ({where(function)}) has an option called '{name}', but {why}. "
            "Choose another name."
        )


def _check_parameter(function: Callable[..., Any], parameter: inspect.Parameter, batch: bool) -> None:
    name, at = parameter.name, f"reward '{name_of(function)}' ({where(function)})"
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
        raise RewardError(
            f"{at} takes {star}{name}. Name what it reads: dataset columns before a bare '*', options after it."
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise RewardError(f"{at} has the positional-only parameter '{name}'. Remove the '/'.")
    if name in NOT_READABLE:
        raise RewardError(f"{at} reads '{name}'. Return a Verdict with a reason instead: it is logged for you.")
    other = dict(zip(ROW_GIVEN if batch else BATCH_GIVEN, BATCH_GIVEN if batch else ROW_GIVEN, strict=True))
    if other.get(name, name) != name:
        sees = "the whole call" if batch else "one completion"
        swap = _decorator(not batch)
        raise RewardError(
            f"{at} reads '{name}', but @{_decorator(batch)} sees {sees}. Write '{other[name]}', or use @{swap}."
        )
    if parameter.kind is parameter.KEYWORD_ONLY:
        _check_option_name(function, name)


def _decorator(batch: bool) -> str:
    return "batch_reward" if batch else "reward"


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of the parameters of a function, or of the fields of a class, as far as they can be resolved."""
    called = function if inspect.isclass(function) else _called(function)
    try:
        return typing.get_type_hints(called)
    except (NameError, TypeError, AttributeError):
        pass
    # A name that is imported under TYPE_CHECKING only cannot be resolved: the types that do not need it still can.
    scope = {**getattr(sys.modules.get(called.__module__), "__dict__", {}), **getattr(called, "__globals__", {})}
    found: dict[str, Any] = {}
    for name, annotation in getattr(called, "__annotations__", {}).items():
        one = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            found |= typing.get_type_hints(one, scope)
        except (NameError, TypeError, AttributeError):
            continue
    return found


def fits(value: Any, wanted: Any) -> bool:
    """Whether a value fits an option's annotation. Plain types, unions, literals and containers are checked; other
    annotations accept anything.
    """
    origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in arguments)
    if origin is typing.Literal:
        return value in arguments
    if wanted is None or wanted is type(None):
        return value is None
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    kind = origin or wanted
    return isinstance(value, kind) if kind in (str, bool, list, tuple, dict, set) else True


def spoken(wanted: Any) -> str:
    """An annotation in words, for a message."""
    if typing.get_origin(wanted) is typing.Literal:
        return "one of " + ", ".join(repr(one) for one in typing.get_args(wanted))
    if typing.get_origin(wanted) in (typing.Union, types.UnionType):
        return " or ".join(spoken(one) for one in typing.get_args(wanted))
    plain = {
        str: "a string",
        int: "a whole number",
        float: "a finite number",
        bool: "True or False",
        type(None): "None",
    }
    return plain.get(wanted, f"of type {wanted}")


def is_number_type(returns: Any) -> bool:
    """Whether an annotation promises numbers and no Verdict. Then there are no reasons to log."""
    if typing.get_origin(returns) is list:
        return all(map(is_number_type, typing.get_args(returns)))
    members = typing.get_args(returns) or (returns,)
    return all(one in (float, int, bool, type(None)) for one in members)
