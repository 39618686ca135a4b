"""The columns of the problems: called as the task calls them, and no more of them than the rewards read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from datasets import Dataset

from grpo_rewards import Reward
from running.reading.files import LINE
from running.reading.made_columns import with_made
from running.settings import TaskArguments
from running.task import Task

__all__ = ["as_came", "as_named", "without_unread"]

OPTIONS = ("prompt_column", "answer_column")  # what the data call the first two columns of a task


def as_named(problems: Dataset, task: Task, script: TaskArguments) -> Dataset:
    """The problems with the task's own names for their columns; ends the program where one is missing or no text."""
    for option, column in zip(OPTIONS, task.columns, strict=False):
        given = getattr(script, option)
        if given is not None and given != column:
            problems = renamed(problems, given, column, option)
    problems = with_made(problems, task)
    for position, column in enumerate(task.columns):
        if column not in problems.column_names:
            do = f" Name it with --{OPTIONS[position]}." if position < len(OPTIONS) else ""
            sys.exit(f"error: the problems have no column '{column}'. Columns: {listed(problems)}.{do}")
    if task.ask is None:
        require_texts(problems, task.columns[0])
    return problems


def as_came(problems: Dataset, task: Task, script: TaskArguments) -> Dataset:
    """The problems under the names that the data have, so that the same settings read them again."""
    for option, column in zip(OPTIONS, task.columns, strict=False):
        given = getattr(script, option)
        if given is not None and given != column:
            problems = problems.rename_column(column, given)
    return problems.remove_columns([LINE]) if LINE in problems.column_names else problems


def renamed(problems: Dataset, given: str, column: str, option: str) -> Dataset:
    """The problems with one column under the task's name for it."""
    if given not in problems.column_names:
        sys.exit(f"error: --{option} {given}: the problems have no such column. Columns: {listed(problems)}.")
    if column in problems.column_names:
        sys.exit(
            f"error: --{option} {given} would be called '{column}', and the problems have a column of that name "
            f"already. Leave --{option} out to use that one, or remove it from the data."
        )
    return problems.rename_column(given, column)


def require_texts(problems: Dataset, column: str) -> None:
    if bad := [row for row, value in enumerate(problems[column]) if not isinstance(value, str)]:
        sys.exit(
            f"error: the {column} of {len(bad)} of {len(problems)} problems is no text: rows {str(bad[:10])[1:-1]}."
        )


def without_unread(problems: Dataset, rewards: Sequence[Reward], also: Iterable[str] = ()) -> Dataset:
    """The problems with their prompt, what the rewards read of them, and ``also``; TRL hands on all that it gets."""
    read = {column for reward in rewards for names in reward.column_names.values() for column in names}
    return problems.select_columns([name for name in problems.column_names if name in {"prompt", *read, *also}])


def listed(problems: Dataset) -> str:
    return ", ".join(problems.column_names)
