"""Whether the columns that rewards read are there, and whether a name clashes with what TRL passes itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from grpo_rewards.preflight.columns.of_functions import read_by
from grpo_rewards.preflight.distinct_names import logged_name
from grpo_rewards.preflight.report import Finding
from grpo_rewards.probing.scene import leaves
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import listed, missing_column, nearest_column

__all__ = ["check_columns"]

# GRPOTrainer names these to remove_unused_columns, and no others.
READ_BY_TRAINER = ("prompt", "image", "images")

# TRL hands these over itself and would overwrite a column of that name silently.
OVERWRITTEN = ("trainer_state", "log_extra", "log_metric", "environments")
# TRL passes these by keyword, so that a column of that name is a TypeError in the first step.
CLASHING = ("prompts", "completions")


def check_columns(rewards: Sequence[Any], columns: Sequence[str], args: Any = None) -> Iterator[Finding]:
    """Findings about the columns that rewards read, and errors for those that TRL overwrites or refuses."""
    for one in rewards:
        wanted = one.columns if isinstance(one, Reward) else ()
        for column in wanted:
            if column not in columns:
                own = next((name for name, its in one.column_names.items() if column in its), None)
                message, remedy = missing_column(one.name, column, columns, own)
                if not str(one.__module__).startswith("grpo_rewards.") and nearest_column(column, columns) is None:
                    remedy += f" Is '{own}' a setting, the same for all rows? Write it behind the '*', and bind it."
                yield Finding("error", "columns", message, remedy, one.name)
        if wanted and set(wanted) <= set(_kept(args, columns)):
            yield Finding("fine", "columns", f"{one.name} reads {listed(wanted)}.", reward=one.name)
    for leaf in (leaf for one in rewards for leaf in leaves(one)):
        for own, column in leaf.renamed_columns.items():
            if column not in columns and column not in leaf.columns:
                message = f"reward '{leaf.name}' is bound to read '{column}' as '{own}', and there is no such column."
                yield Finding("warning", "columns", message, "It will do without. Mend bind(columns=…).", leaf.name)
    yield from _removed(rewards, args, columns)
    for column in columns:
        if column in CLASHING or column in OVERWRITTEN:
            what = "passes an argument of that name" if column in CLASHING else "overwrites it with its own"
            yield Finding(
                "error",
                "columns",
                f"the dataset has a column '{column}', and TRL {what}.",
                f'Rename it with dataset.rename_column("{column}", "my_{column}") '
                f'or drop it with dataset.remove_columns("{column}").',
            )


def _kept(args: Any, columns: Sequence[str]) -> list[str]:
    """The columns that reach rewards: with ``remove_unused_columns`` only those that the trainer itself reads."""
    if not getattr(args, "remove_unused_columns", None):
        return list(columns)
    return [name for name in columns if name in READ_BY_TRAINER]


def _removed(rewards: Sequence[Any], args: Any, columns: Sequence[str]) -> Iterator[Finding]:
    """Errors for rewards whose columns are there, and taken away before they are called."""
    kept = _kept(args, columns)
    for one in rewards:
        removed = [name for name in read_by(one) if name in columns and name not in kept]
        if removed:
            name = logged_name(one)
            message = f"{name} reads {listed(removed)}, which remove_unused_columns takes out of the data before."
            yield Finding("error", "columns", message, "Set remove_unused_columns: false, its default.", name)
