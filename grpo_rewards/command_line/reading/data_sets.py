"""Data sets as the command line names them: a file, a folder that ``datasets`` saved, or a name on the hub."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grpo_rewards.command_line.printing import need
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import did_you_mean, listed

__all__ = ["load_columns"]

Columns = dict[str, Sequence[Any]]


def load_columns(named: str, split: str | None = None, renamed: Mapping[str, str] | None = None) -> Columns:
    """The columns of a data set, by name.

    Args:
        named: a file (JSON lines, also packed, JSON, CSV, parquet), a pattern such as ``train-*.parquet``, a pipe of
            JSON lines, a folder, or
            a name on the hub, ``name:configuration`` if it has several.
        split: which split of a folder or of the hub's data; ``train`` by default, or the only one.
        renamed: columns by another name: with ``{"answer": "solution"}`` what is in ``solution`` is ``answer``.

    Raises:
        RewardError: it is not there, cannot be read, or has no such column or split.
    """
    from grpo_rewards.scoring.rows import KINDS, columns_in, matching_files

    path = Path(named)
    if path.is_file() or path.is_fifo() or glob.has_magic(named):
        columns: Columns = dict(columns_in(matching_files([named])))
    elif path.name.endswith(KINDS) and not path.is_dir():
        raise RewardError(f"{named}: there is no such file (in {Path.cwd()}).")
    else:
        columns = _of_datasets(named, path, split)
    return _with_names(columns, renamed or {}, named)


def _of_datasets(named: str, path: Path, split: str | None) -> Columns:
    need("trl", "datasets")
    from datasets import load_dataset, load_from_disk

    try:
        if (path / "dataset_info.json").is_file() or (path / "dataset_dict.json").is_file():
            found = load_from_disk(named)
        else:
            name, _, configuration = named.partition(":")
            found = load_dataset(name, configuration or None)
    except Exception as error:  # noqa: BLE001  # datasets raises errors of a dozen libraries
        if path.is_dir():
            do = "Name a file in it, a pattern such as '*.jsonl', or a folder that save_to_disk wrote."
            raise RewardError(f"{named} is a folder in which no data set was found. {do}") from None
        lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        raise RewardError(
            f"{named} is no file, no saved data set, and cannot be loaded from the hub: {lines[0]}"
        ) from None
    if isinstance(found, Mapping):
        found = found[_split_of(named, split, list(found))]
    return dict(found[:])


def _split_of(named: str, split: str | None, splits: list[str]) -> str:
    if split is None:
        return "train" if "train" in splits or len(splits) != 1 else splits[0]
    if split not in splits:
        raise RewardError(f"{named} has no split '{split}'{did_you_mean(split, splits)} Splits: {listed(splits)}.")
    return split


def _with_names(columns: Columns, renamed: Mapping[str, str], named: str) -> Columns:
    columns = dict(columns)
    for new, old in renamed.items():
        if old not in columns:
            raise RewardError(
                f"--column {new}={old}: {named} has no column '{old}'{did_you_mean(old, columns)} "
                f"Columns: {listed(columns)}."
            )
        columns[new] = columns.pop(old)
    return columns
