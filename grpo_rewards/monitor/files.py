"""Reads what a run leaves in its folder: TRL's tables of completions, and the log of its last checkpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grpo_rewards.completion.from_tables import without_arrays
from grpo_rewards.monitor.alert import Alert
from grpo_rewards.monitor.groups import Table
from grpo_rewards.registry import RewardError

__all__ = ["ALERTS_FILE", "Tables", "is_whole", "kept_alerts", "kept_settings", "read_run", "read_table"]

ALERTS_FILE = "alerts.jsonl"  # its first line says which rewards count as gold-based, each further one is an alert
PARQUET_END = b"PAR1"


class Tables(Mapping[int, "Table"]):
    """The tables of a folder by step, read when they are asked for: those of a long run do not fit into memory.

    Attributes:
        broken: the files that are not whole, as one is that the trainer writes at this moment; they are passed over.
    """

    def __init__(self, folder: Path) -> None:
        self.paths: dict[int, Path] = {}
        self.broken: list[Path] = []
        for path in sorted((folder / "completions").glob("completions_*.parquet")):
            number = path.stem.rpartition("_")[2]
            if number.isdecimal() and is_whole(path):
                self.paths[int(number)] = path
            else:
                self.broken.append(path)

    def __getitem__(self, step: int) -> Table:
        return read_table(self.paths[step])

    def __iter__(self) -> Iterator[int]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def sizes(self) -> dict[int, int]:
        """The number of completions of each step, without reading them."""
        from pyarrow.parquet import read_metadata

        return {step: read_metadata(path).num_rows for step, path in self.paths.items()}


def is_whole(path: Path) -> bool:
    """Whether a file of parquet has its end, which is written last."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - len(PARQUET_END), 0))
        return file.read() == PARQUET_END


def read_table(path: Path) -> Table:
    """The columns of one parquet file, with lists in place of arrays.

    Raises:
        RewardError: the file is damaged.
    """
    import pandas
    from pyarrow import ArrowException

    try:
        frame = pandas.read_parquet(path)
    except (ArrowException, OSError) as error:
        said = str(error).splitlines()[0]
        raise RewardError(f"{path} cannot be read as parquet: {said}. Remove it to look at the rest.") from None
    return {name: [without_arrays(value) for value in frame[name].tolist()] for name in frame.columns}


def read_run(folder: str | Path) -> tuple[list[dict[str, Any]], Tables, tuple[str, ...] | None]:
    """(history, tables, gold) of a run, as ``alerts`` takes them.

    The log is that of the last checkpoint, or the one that ``trainer_state.json`` of the folder has, whichever goes
    further. Steps after it are not seen.

    Raises:
        RewardError: the folder has no log.
    """
    folder = Path(folder)
    checkpoints = sorted(folder.glob("checkpoint-*/trainer_state.json"), key=lambda path: int(path.parent.name[11:]))
    last = next((log for path in reversed(checkpoints) if (log := _log_in(path)) is not None), None)
    kept = _log_in(folder / "trainer_state.json")
    # a finished run that was made longer has its new steps in a checkpoint, one that goes on has them here
    history = max((log for log in (last, kept) if log is not None), key=_last_step, default=None)
    if history is None:
        raise RewardError(f"{folder} has no checkpoint with a trainer_state.json; save one with save_steps.")
    gold, _ = kept_alerts(folder)
    return history, Tables(folder), gold


def _log_in(path: Path) -> list[dict[str, Any]] | None:
    """The log of a trainer's state; ``None`` if there is no file, or half of one, as while it is written."""
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        return None
    log = state.get("log_history") if isinstance(state, dict) else None
    return log if isinstance(log, list) else None


def kept_alerts(folder: Path) -> tuple[tuple[str, ...] | None, list[Alert] | None]:
    """(gold, alerts) as a ``RewardMonitor`` kept them while the run trained; ``None`` for both if none did."""
    path = folder / ALERTS_FILE
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]  # the last line may be written at this moment
    try:
        lines = [json.loads(line) for line in whole.splitlines() if line.strip()]
    except json.JSONDecodeError as error:
        raise RewardError(f"{path} is damaged ({error}). Remove it, and the run is judged anew.") from None
    if not lines:
        return None, None
    gold = lines[0].get("gold")
    return None if gold is None else tuple(gold), [Alert(**line) for line in lines[1:]]


def kept_settings(folder: Path) -> dict[str, Any]:
    """The settings in the ``run.json`` that a recipe keeps of its run; nothing if none did, or it is being written."""
    try:
        found = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    inner = found.get("settings") if isinstance(found, dict) else None
    return {**found, **inner} if isinstance(inner, dict) else found if isinstance(found, dict) else {}


def _last_step(history: Sequence[Mapping[str, Any]]) -> int:
    return max([0, *(int(log.get("step", 0)) for log in history)])
