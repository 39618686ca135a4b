"""The star rule, checked when decorating: before the ``*`` what the trainer gives, after it what users configure."""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from grpo_rewards.registry.errors import RewardError, did_you_mean, listed, shown

__all__ = ["BATCH_GIVEN", "ROW_GIVEN", "Signature", "read_signature", "where"]

ROW_GIVEN = ("completion", "messages", "prompt", "completion_ids", "trainer_state", "environments")
BATCH_GIVEN = ("completions", "messages", "prompts", "completion_ids", "trainer_state", "environments")
# The trainer's loggers are not for reading: a Verdict carries the reason, and the machinery logs it.
NOT_READABLE = ("log_extra", "log_metric")
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Signature:
    """What a reward function reads and what it can be configured with.

    Attributes:
        reads: names before the star, in order: those the trainer gives and dataset columns.
        columns: those of ``reads`` that are dataset columns.
        optional: those of ``reads`` that have a default, with it.
        options: names after the star with their defaults (``REQUIRED`` where there is none).
        annotations: the options' types, where they could be resolved.
        returns: the annotated return type, or ``REQUIRED``.
    """

    reads: tuple[str, ...]
    columns: tuple[str, ...]
    optional: dict[str, Any]
    options: dict[str, Any]
    annotations: dict[str, Any]
    returns: Any

    def unset(self, options: dict[str, Any]) -> list[str]:
        """Options that have no default and no value yet."""
        return [name for name, default in self.options.items() if default is REQUIRED and name not in options]

    def check_option(self, reward_name: str, name: str, value: Any) -> None:
        """Raises RewardError for an option that does not exist or a value of another type."""
        if name not in self.options:
            raise RewardError(
                f"reward '{reward_name}' has no option '{name}'{did_you_mean(name, self.options)} "
                f"Options: {listed(self.options)}."
            )
        wanted = self.annotations.get(name, Any)
        if not _fits(value, wanted):
            raise RewardError(
                f"option '{name}' of reward '{reward_name}' must be {_spoken(wanted)}, not {shown(value)}."
            )


def where(fn: Callable[..., Any]) -> str:
    """``file:line`` of a function, for messages."""
    code = getattr(inspect.unwrap(fn), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else "unknown place"


def read_signature(
    fn: Callable[..., Any], *, batch: bool, more_options: Mapping[str, Any] = MappingProxyType({})
) -> Signature:
    """The signature of a reward function, or a RewardError that quotes the rule it breaks."""
    if not inspect.isfunction(fn):
        raise RewardError(f"@{_decorator(batch)} goes on a function, not on {shown(fn)}.")
    if batch and inspect.iscoroutinefunction(fn):
        raise RewardError(
            f"reward '{fn.__name__}' ({where(fn)}) is an async function that sees the whole call. Write it with "
            "@reward, for one completion: the calls are gathered, and one that fails is one row's None."
        )
    hints = _hints(fn)
    reads, optional, options = [], {}, {}
    for parameter in inspect.signature(fn).parameters.values():
        _check_parameter(fn, parameter, batch)
        if parameter.kind is parameter.KEYWORD_ONLY:
            options[parameter.name] = parameter.default
            continue
        reads.append(parameter.name)
        if parameter.default is not parameter.empty:
            optional[parameter.name] = parameter.default
    given = BATCH_GIVEN if batch else ROW_GIVEN
    if not reads:
        raise RewardError(
            f"reward '{fn.__name__}' ({where(fn)}) reads nothing. "
            f"Before the '*' it may read {listed(given)}, or a dataset column."
        )
    columns = tuple(name for name in reads if name not in given)
    annotations = {name: hints[name] for name in options if name in hints}
    for name, default in more_options.items():
        if name in (*options, *reads):
            raise RewardError(
                f"reward '{fn.__name__}' ({where(fn)}) has a parameter '{name}', which every async reward has as an "
                "option of its own. Choose another name."
            )
        options[name], annotations[name] = default, type(default)
    return Signature(tuple(reads), columns, optional, options, annotations, hints.get("return", REQUIRED))


def _check_parameter(fn: Callable[..., Any], parameter: inspect.Parameter, batch: bool) -> None:
    name, at = parameter.name, f"reward '{fn.__name__}' ({where(fn)})"
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
    if parameter.kind is parameter.KEYWORD_ONLY and (name == "name" or name in (*ROW_GIVEN, *BATCH_GIVEN)):
        why = "bind(name=…) renames a reward" if name == "name" else "the trainer gives it: write it before the '*'"
        raise RewardError(f"{at} has an option called '{name}', but {why}. Choose another name.")


def _decorator(batch: bool) -> str:
    return "batch_reward" if batch else "reward"


def _hints(fn: Callable[..., Any]) -> dict[str, Any]:
    # A name imported under TYPE_CHECKING only cannot be resolved; then there are no types to check, and that is fine.
    try:
        return typing.get_type_hints(fn)
    except (NameError, TypeError, AttributeError):
        return {}


def _fits(value: Any, wanted: Any) -> bool:
    """Whether a value fits an option's annotation; plain types, unions, literals and containers are looked at."""
    origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in arguments)
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


def _spoken(wanted: Any) -> str:
    if typing.get_origin(wanted) is typing.Literal:
        return "one of " + ", ".join(repr(one) for one in typing.get_args(wanted))
    if typing.get_origin(wanted) in (typing.Union, types.UnionType):
        return " or ".join(_spoken(one) for one in typing.get_args(wanted))
    plain = {
        str: "a string",
        int: "a whole number",
        float: "a finite number",
        bool: "True or False",
        type(None): "None",
    }
    return plain.get(wanted, f"of type {wanted}")
