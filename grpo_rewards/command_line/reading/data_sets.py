"""Data sets as the command line names them: a file, a folder that ``datasets`` saved, or a name on the hub."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grpo_rewards.command_line.printing import need
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import did_you_mean, listed, shown

__all__ = ["load_columns"]

Columns = dict[str, Sequence[Any]]
KINDS_OF_FILES = (".jsonl", ".json", ".csv", ".parquet")
LONGEST_CELL = 2**31 - 1  # Python's own limit for a cell is 131,072 characters, which a long text exceeds


def load_columns(named: str, split: str | None = None, renamed: Mapping[str, str] | None = None) -> Columns:
    """The columns of a data set, by name.

    Args:
        named: a file (JSON lines, JSON, CSV, parquet), a folder, or a name on the hub, ``name:configuration`` if it has
            several.
        split: which split of a folder or of the hub's data; ``train`` by default, or the only one.
        renamed: columns by another name: with ``{"answer": "solution"}`` what is in ``solution`` is ``answer``.

    Raises:
        RewardError: it is not there, cannot be read, or has no such column or split.
    """
    path = Path(named)
    if path.is_file():
        columns = _of_file(path)
    elif path.suffix in KINDS_OF_FILES:
        raise RewardError(f"{named}: there is no such file (in {Path.cwd()}).")
    else:
        columns = _of_datasets(named, path, split)
    return _with_names(columns, renamed or {}, named)


def _of_file(path: Path) -> Columns:
    readers = {".jsonl": _of_json_lines, ".json": _of_json, ".csv": _of_csv, ".parquet": _of_parquet}
    if path.suffix not in readers:
        raise RewardError(f"{path}: its name must end with {listed(KINDS_OF_FILES)}.")
    if not path.stat().st_size:
        raise RewardError(f"{path} is empty; it needs one problem a row.")
    try:
        return readers[path.suffix](path)
    except UnicodeDecodeError as error:
        raise RewardError(f"{path} is no UTF-8 text at byte {error.start}. Save it as UTF-8.") from None


def _of_json_lines(path: Path) -> Columns:
    rows = []
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise RewardError(f"{path}: line {number} is no JSON ({error}): {shown(line.strip(), 60)}") from None
            if not isinstance(row, dict):
                raise RewardError(f"{path}: line {number} is no JSON object in braces: {shown(line.strip(), 60)}")
            rows.append(row)
    return _turned(rows)


def _of_json(path: Path) -> Columns:
    try:
        held = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise
        raise RewardError(f"{path} is no JSON ({error}). JSON lines are in a file that ends with .jsonl.") from None
    if isinstance(held, list) and all(isinstance(row, dict) for row in held):
        return _turned(held)
    if isinstance(held, dict) and held and all(isinstance(column, list) for column in held.values()):
        return held
    raise RewardError(f"{path} must hold a list of objects, one for each row, or lists by column.")


def _of_csv(path: Path) -> Columns:
    """All cells stay texts: 007, 1.50 and NA are golds, and no numbers or gaps."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines, strict=True)
            columns: dict[str, list[Any]] = {name: [] for name in rows.fieldnames or ()}
            for row in rows:
                if None in row or None in row.values():
                    raise RewardError(f"{path}: line {rows.line_num} has more or fewer cells than the first line.")
                for name, value in row.items():
                    columns[name].append(value)
    except csv.Error as error:
        raise RewardError(f"{path} cannot be read as CSV: {error}.") from None
    return dict(columns)


def _of_parquet(path: Path) -> Columns:
    need("trl", "pyarrow")
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table

    try:
        return dict(read_table(path).to_pydict())
    except ArrowException as error:
        raise RewardError(f"{path} cannot be read as parquet: {str(error).splitlines()[0]}") from None


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


def _turned(rows: list[dict[str, Any]]) -> Columns:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


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
