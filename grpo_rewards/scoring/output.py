"""The file of verdicts, JSON lines, written so that an interrupted run can be resumed.

A line is a row as it was read, then its verdicts. So who resumes reads the files from their beginning, and finds in the
output what was scored: no other record of the place is needed, and a row that has changed is noticed. Beside it lie
``<name>.settings.json`` with what else decides about the verdicts, and ``<name>.malformed.jsonl`` with what could not
be read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import shown
from grpo_rewards.scoring.work import Scored

SETTINGS_ENDING, UNREADABLE = ".settings.json", ".malformed.jsonl"  # what lies beside an output, behind its name
LINES = ".jsonl"


def without_output(files: Sequence[Path], named: Sequence[str], output: Path) -> list[Path]:
    """The files but for those that an earlier run of the same command wrote, as a pattern or a folder finds them.

    Args:
        files: what is to be read.
        named: the patterns as they were given.
        output: where the verdicts go.

    Raises:
        RewardError: a file that is to be read would be written over.
    """
    begun = output.with_name(output.name + SETTINGS_ENDING).exists()
    of_output = {output.resolve().with_name(output.name + ending) for ending in ("", SETTINGS_ENDING, UNREADABLE)}
    rest = [path for path in files if path.resolve() not in of_output]
    for path in files:
        if path not in rest and (str(path) in named or not begun):
            raise RewardError(f"{path} is to be read, and is where the verdicts go ({output}). Give another output.")
    if not rest:
        raise RewardError(f"there is nothing to read beside what was written before in {output}.")
    return rest


class Output:
    """Where verdicts are kept.

    Attributes:
        path: of the file.
        malformed_path: of what could not be read.
        lines: the file, open at the first line that was not read yet, for whoever finds out what was scored before.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], overwrite: bool) -> None:
        """Opens the file, or begins it.

        Args:
            path: its name.
            settings: what decides about the verdicts. An output that was started with others cannot be resumed.
            overwrite: begin anew, whatever is there.

        Raises:
            RewardError: it was begun with other settings, something else is there, or another process writes it.
        """
        _refuse_name(path)
        self.path = path
        self.malformed_path = path.with_name(path.name + UNREADABLE)
        self.lines = open(path, "a+b")  # noqa: SIM115  # closed in close
        try:
            _lock(self.lines, path)
            if overwrite:
                self.lines.truncate(0)
            _keep_settings(path, json.loads(json.dumps(settings)), is_begun=self.lines.seek(0, os.SEEK_END) > 0)
            self._malformed = open(self.malformed_path, "wb")  # noqa: SIM115  # all that was in it is found again
        except BaseException:
            self.lines.close()
            raise
        self.lines.seek(0)

    def add(self, scored: Scored) -> None:
        """Keeps what came of a chunk, behind all that is there."""
        if scored.lines:
            self.lines.write(scored.lines)
            self.lines.flush()
        self._malformed.writelines(json.dumps(one._asdict()).encode() + b"\n" for one in scored.malformed)

    def close(self) -> None:
        """Closes the files. Where nothing is malformed, there is no file of it."""
        if not self._malformed.tell():
            self.malformed_path.unlink()  # while the output is still locked: nobody else may have begun
        self._malformed.close()
        self.lines.close()


def _keep_settings(path: Path, settings: dict[str, Any], is_begun: bool) -> None:
    """Writes the settings beside an output, or compares them with those that it was begun with."""
    beside = path.with_name(path.name + SETTINGS_ENDING)
    if not is_begun:
        with open(beside, "w", encoding="utf-8") as file:
            json.dump(settings, file)
            file.flush()
            os.fsync(file.fileno())  # without it nothing can be resumed after a power cut
        return
    try:
        before = dict(json.loads(beside.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise RewardError(f"{path} is there already. Give another name, or --overwrite.") from None
    for name, now in settings.items():
        if before.get(name) != now:
            raise RewardError(
                f"{path} was begun with other settings: {name} was {shown(before.get(name))} and is {shown(now)}. "
                "Give another name, or --overwrite."
            )


def _refuse_name(path: Path) -> None:
    """Raises RewardError for what is no name of a file of JSON lines."""
    if path.suffix != LINES:
        raise RewardError(
            f"{path}: verdicts are kept as JSON lines, -o NAME{LINES}. To make another format of them: "
            f"datasets.Dataset.from_json('NAME{LINES}').to_parquet('NAME.parquet')."
        )
    if not path.parent.is_dir():
        raise RewardError(f"{path}: there is no folder {path.parent}.")


def _lock(file: IO[bytes], path: Path) -> None:
    """Refuses to write where another process does, as long as that one has the file open.

    Where the system or the file system has no locks, nothing is refused.
    """
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RewardError(f"{path} is being written by another process. Wait for it, or give another name.") from None
    except (ImportError, OSError):
        return
