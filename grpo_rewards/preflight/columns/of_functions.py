"""Plain functions, which TRL calls by keyword with all that it has: whether that call can be made."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_rewards.preflight.distinct_names import is_model, logged_name
from grpo_rewards.preflight.report import Finding
from grpo_rewards.probing.rows import read_columns
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import BY_TRAINER, listed, missing_column, nearest_column

__all__ = ["check_functions", "is_called", "read_by"]

# TRL passes these by keyword to every function; environments only in runs that have some.
ALWAYS_PASSED = ("completions", *(name for name in BY_TRAINER if name != "environments"))
# It takes these columns out of the way, or passes them by another name.
HELD_BACK = ("prompt", "completion", "completion_ids")


def read_by(one: Any) -> tuple[str, ...]:
    """The columns that a reward reads, or that a plain function has arguments without a default for."""
    if isinstance(one, Reward):
        return tuple(one.columns)
    return () if is_model(one) else tuple(read_columns(one))


def is_called(one: Any, columns: Sequence[str]) -> bool:
    """Whether TRL can call a reward or a function on data with these columns."""
    return set(read_by(one)) <= set(columns) and (
        isinstance(one, Reward) or is_model(one) or not _refused(one, columns)
    )


def check_functions(rewards: Sequence[Any], columns: Sequence[str] | None) -> Iterator[Finding]:
    """Errors for plain functions whose first call would be a TypeError.

    Args:
        rewards: rewards, which are passed over, and plain functions.
        columns: the names of the dataset's columns, or ``None``.
    """
    for one in rewards:
        if isinstance(one, Reward) or is_model(one):
            continue
        name = logged_name(one)
        if columns is not None:
            yield from _missing(name, read_by(one), columns)
        if refused := _refused(one, columns or ()):
            message = f"{name} takes no {listed(refused)}, which TRL passes by keyword: its first call is a TypeError."
            yield Finding("error", "arguments", message, "Add **kwargs to its arguments.", name)


def _missing(name: str, read: Sequence[str], columns: Sequence[str]) -> Iterator[Finding]:
    """Errors for the columns that a function reads and that are not there."""
    for column in (column for column in read if column not in columns):
        message, remedy = missing_column(name, column, columns)
        near = nearest_column(column, columns)
        if near is not None:
            remedy = f'Rename one with dataset.rename_column("{near}", "{column}").'
        yield Finding("error", "columns", message, remedy, name)


def _refused(function: Any, columns: Sequence[str]) -> list[str]:
    """What TRL passes to a function that has no argument for it."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a built-in without a signature
        return []
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return []
    by_keyword = [name for name, one in parameters.items() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    passed = dict.fromkeys([*ALWAYS_PASSED, *(name for name in columns if name not in HELD_BACK)])
    return [name for name in passed if name not in by_keyword]
