"""Plain functions, which TRL calls by keyword with all that it has: whether that call can be made.

Also whether they, or rewards, look at what the model did.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_rewards.preflight.distinct_names import is_model, logged_name
from grpo_rewards.preflight.report import Finding
from grpo_rewards.probing.rows import read_columns
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import BY_TRAINER, listed, missing_column
from grpo_rewards.registry.functions.model_arguments import takes_of_model, unseeing

__all__ = ["check_functions", "check_seen", "is_called", "read_by"]

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
    if isinstance(one, Reward) or is_model(one):
        return set(read_by(one)) <= set(columns)
    return set(read_by(one)) <= set(columns).difference(HELD_BACK) and not _refused(one, columns)


def check_seen(rewards: Sequence[Any], columns: Sequence[str] | None) -> Iterator[Finding]:
    """Errors for rewards and plain functions that look at nothing of what the model did."""
    for one in rewards:
        found = None if is_model(one) else unseeing(one, columns)
        if found is not None:
            name, (message, remedy) = logged_name(one), found
            yield Finding("error", "model", f"{name} {message}", remedy, name)


def check_functions(rewards: Sequence[Any], columns: Sequence[str] | None) -> Iterator[Finding]:
    """Errors for plain functions whose first call would be a TypeError.

    Args:
        rewards: rewards, which are passed over, and plain functions.
        columns: the names of the dataset's columns, or ``None``.
    """
    for one in rewards:
        if isinstance(one, Reward) or is_model(one) or not takes_of_model(one):
            continue  # how to mend the last is another advice
        name = logged_name(one)
        for held in (held for held in HELD_BACK if held in read_by(one)):
            message = f"{name} takes '{held}', which TRL does not pass: its first call is a TypeError."
            yield Finding("error", "arguments", message, f"Take '{held}s', a list of one per completion.", name)
        if columns is not None:
            yield from _missing(name, [one for one in read_by(one) if one not in HELD_BACK], columns)
        if refused := _refused(one, columns or ()):
            message = f"{name} takes no {listed(refused)}, which TRL passes by keyword: its first call is a TypeError."
            yield Finding("error", "arguments", message, "Add **kwargs to its arguments.", name)


def _missing(name: str, read: Sequence[str], columns: Sequence[str]) -> Iterator[Finding]:
    """Errors for the columns that a function reads and that are not there."""
    for column in (column for column in read if column not in columns):
        yield Finding("error", "columns", *missing_column(name, column, columns, can_bind=False), name)


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
