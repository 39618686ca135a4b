"""Reads what a run leaves in its folder: TRL's tables of completions, and the log of its last checkpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grpo_rewards.completion.from_tables import without_arrays
from grpo_rewards.monitor.contents import Table
from grpo_rewards.registry import RewardError

__all__ = ["ALERTS_FILE", "Tables", "has_log", "read_run", "read_table"]

ALERTS_FILE = "alerts.jsonl"  # its first line says which rewards count as gold-based, each further one is an alert


class Tables(Mapping[int, "Table"]):
    """The tables of a folder by step, read when they are asked for: those of a long run do not fit into memory."""

    def __init__(self, folder: Path) -> None:
        found = (folder / "completions").glob("completions_*.parquet")
        self.paths = {int(path.stem.rpartition("_")[2]): path for path in sorted(found)}

    def __getitem__(self, step: int) -> Table:
        return read_table(self.paths[step])

    def __iter__(self) -> Iterator[int]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def read_table(path: Path) -> Table:
    """The columns of one parquet file, with lists in place of arrays.

    Raises:
        RewardError: it cannot be read, as one that was being written when the run was killed.
    """
    import pandas
    import pyarrow

    try:
        frame = pandas.read_parquet(path)
    except (pyarrow.ArrowException, OSError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RewardError(f"{path} cannot be read as parquet: {why} Move it away to go on without it.") from None
    return {name: [without_arrays(value) for value in frame[name].tolist()] for name in frame.columns}


def has_log(folder: Path) -> bool:
    """Whether a run kept a log there."""
    return bool(_logs(folder))


def _logs(folder: Path) -> list[Path]:
    """The logs in a folder, the last one last."""
    states = sorted(folder.glob("checkpoint-*/trainer_state.json"), key=lambda path: int(path.parent.name[11:]))
    return [*states, *folder.glob("trainer_state.json")]


def _log_in(path: Path) -> list[dict[str, Any]]:
    try:
        log: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["log_history"]
    except (ValueError, KeyError, TypeError) as error:
        said = f"{path} holds no log of a run ({type(error).__name__}: {error})."
        raise RewardError(f"{said} Move its folder away to go on with an earlier checkpoint, or without.") from None
    return log


def read_run(folder: str | Path) -> tuple[list[dict[str, Any]], Mapping[int, Table], tuple[str, ...] | None]:
    """(history, tables, gold) of a run, as ``alerts`` takes them.

    The log is that of the last checkpoint, so that steps after it are not seen.

    Raises:
        RewardError: the folder has no checkpoint, or the last one is damaged.
    """
    folder = Path(folder)
    states = _logs(folder)
    if not states:
        raise RewardError(f"{folder} has no checkpoint with a trainer_state.json; save one with save_steps.")
    history = _log_in(states[-1])
    kept = folder / ALERTS_FILE
    first = kept.read_text(encoding="utf-8").partition("\n")[0] if kept.exists() else ""
    gold = json.loads(first).get("gold") if first else None
    return history, Tables(folder), None if gold is None else tuple(gold)
