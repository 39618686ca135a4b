"""What the data calls a column that a reward reads, as an argument of a command."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from grpo_rewards.command_line.printing import refuse

__all__ = ["Renamed", "renamed_columns"]

Renamed = Annotated[
    list[str] | None, typer.Option("--column", metavar="NAME=COLUMN", help="A column by another name: answer=solution.")
]


def renamed_columns(given: Iterable[str] | None) -> dict[str, str]:
    """The names that the data has for columns, by those that rewards have for them. Ends the command if one is none."""
    columns = {}
    for one in given or ():
        name, equals, column = one.partition("=")
        if not (name and equals and column):
            refuse(f"--column {one}: write what the reward calls it, =, and what the data calls it: answer=solution.")
        columns[name] = column
    return columns
