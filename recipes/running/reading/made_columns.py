"""Columns that a task reads and that its data hold inside another one, as MATH's solutions hold their answers."""

from __future__ import annotations

from datasets import Dataset

from running.task import Task

__all__ = ["with_made"]


def with_made(problems: Dataset, task: Task) -> Dataset:
    """The problems with each column that they do not have and that the task can make from one that they have."""
    for column, (source, make) in task.made_from.items():
        if column not in problems.column_names and source in problems.column_names:
            # all at once: where the first rows make None, map() would take the column for one without a type
            problems = problems.add_column(column, [make(value) for value in problems[source]])
    return problems
