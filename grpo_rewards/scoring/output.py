"""The file of verdicts, JSON lines, written so that an interrupted run can be resumed.

Beside it lie ``<name>.place.json``, which records what was scored and how far, and ``<name>.malformed.jsonl`` with what
could not be read.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import shown
from grpo_rewards.scoring.rows import Malformed, Place
from grpo_rewards.scoring.work import Scored

PLACE, UNREADABLE = ".place.json", ".malformed.jsonl"  # what lies beside an output, behind its name
SECONDS = 1.0  # between two notes of the place
ANEW: dict[str, Any] = {"place": Place()._asdict(), "done": False, "size": 0, "malformed": 0}
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
    begun = output.with_name(output.name + PLACE).exists()
    of_output = {output.resolve().with_name(output.name + ending) for ending in ("", PLACE, UNREADABLE)}
    rest = [path for path in files if path.resolve() not in of_output]
    for path in files:
        if path not in rest and (str(path) in named or not begun):
            raise RewardError(f"{path} is to be read, and is where the verdicts go ({output}). Give another output.")
    if not rest:
        raise RewardError(f"there is nothing to read beside what was written before in {output}.")
    return rest


class Output:
    """Where verdicts are kept, and how far they are.

    Attributes:
        path: of the file.
        malformed_path: of what could not be read.
        start: the place from which the run is resumed.
        is_done: whether all was scored before.
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
        self.settings = json.loads(json.dumps(settings))
        self.place_path = path.with_name(path.name + PLACE)
        self.malformed_path = path.with_name(path.name + UNREADABLE)
        self._malformed = open(self.malformed_path, "ab")  # noqa: SIM115  # closed in close
        _lock(self._malformed, path)
        try:
            noted = ANEW if overwrite or not path.exists() else self._noted_before()
            self._kept = {name: noted[name] for name in ANEW}
            self.start, self.is_done = Place(**noted["place"]), noted["done"]
            self._file = open(path, "ab")  # noqa: SIM115  # closed in close
            self._trim()
            if noted is ANEW:
                self._note()
        except BaseException:
            self._close_malformed()
            raise
        self._noted = time.monotonic()

    def _noted_before(self) -> dict[str, Any]:
        """What was noted last, if what is there is as it was left, by a run with the same settings."""
        try:
            noted: dict[str, Any] = json.loads(self.place_path.read_text(encoding="utf-8"))
            Place(**noted["place"])
            before, done, size, malformed = (noted[name] for name in ("settings", "done", "size", "malformed"))
        except (OSError, ValueError, TypeError, LookupError):
            raise RewardError(f"{self.path} is there already. Give another name, or --overwrite.") from None
        for name, now in self.settings.items():
            if before.get(name) != now:
                raise RewardError(
                    f"{self.path} was begun with other settings: {name} was {shown(before.get(name))} and is "
                    f"{shown(now)}. Give another name, or --overwrite."
                )
        for path, left in ((self.path, size), (self.malformed_path, malformed)):
            now = path.stat().st_size
            if now < left or (done and now > left and path == self.path):
                raise _changed(path, f"it had {left:,} bytes, and has {now:,}")
        return noted

    def add(self, scored: Scored) -> None:
        """Keeps what came of a chunk. Where Ctrl-C comes in between, nothing of it is kept."""
        malformed = b"".join(json.dumps(one._asdict()).encode() + b"\n" for one in scored.malformed)
        self._file.write(scored.lines)
        self._malformed.write(malformed)
        self._kept = {
            "place": scored.after._asdict(),
            "done": False,
            "size": self._kept["size"] + len(scored.lines),
            "malformed": self._kept["malformed"] + len(malformed),
        }
        if time.monotonic() - self._noted > SECONDS:
            self._note()

    def _note(self) -> None:
        """Makes sure of what was kept, and then notes the place behind it."""
        self._noted = time.monotonic()
        _on_disk(self._file)
        _on_disk(self._malformed)
        _replace(self.place_path, json.dumps({"settings": self.settings, **self._kept}).encode())

    def _trim(self) -> None:
        """Takes away what lies behind what was kept."""
        self._file.truncate(self._kept["size"])
        self._malformed.truncate(self._kept["malformed"])

    def close(self, done: bool) -> None:
        """Notes how far it is, and closes the files. Where nothing is malformed, there is no file of it."""
        self._trim()
        self._kept["done"] = done or self.is_done
        self._note()
        self._close_malformed()
        self._file.close()

    def _close_malformed(self) -> None:
        if not self.malformed_path.stat().st_size:
            self.malformed_path.unlink()  # while it is still locked: nobody else may have begun
        self._malformed.close()

    def malformed(self) -> list[Malformed]:
        """What could not be read so far."""
        return [Malformed(**one) for one in _objects(self.malformed_path)]

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows with their verdicts that are kept."""
        return _objects(self.path)


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError:
                raise _changed(path, f"line {number} is no JSON") from None


def _refuse_name(path: Path) -> None:
    """Raises RewardError for what is no name of a file of JSON lines."""
    if path.suffix != LINES:
        raise RewardError(
            f"{path}: verdicts are kept as JSON lines, -o NAME{LINES}. To make another format of them: "
            f"datasets.Dataset.from_json('NAME{LINES}').to_parquet('NAME.parquet')."
        )
    if not path.parent.is_dir():
        raise RewardError(f"{path}: there is no folder {path.parent}.")


def _changed(path: Path, how: str) -> RewardError:
    """What is raised where something is not as the run before left it, so that going on would lose or grow it."""
    do = "Put it back, give another name, or begin anew: --overwrite"
    return RewardError(f"{path} is not as it was left: {how}. {do}.")


def _on_disk(file: IO[bytes]) -> None:
    """Waits until all that was written is on the disk: a place that is noted must not outlive what lies before it."""
    file.flush()
    os.fsync(file.fileno())


def _replace(path: Path, content: bytes) -> None:
    """Writes a new file, which takes the place of ``path`` once it is on the disk."""
    fresh = path.with_name(path.name + ".new")
    with open(fresh, "wb") as file:
        file.write(content)
        _on_disk(file)
    os.replace(fresh, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # which holds the new name
    finally:
        os.close(folder)


def _lock(file: IO[bytes], path: Path) -> None:
    """Refuses to write where another process does, as long as that one has the file open.

    Where the system or the file system has no locks, nothing is refused.
    """
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise RewardError(f"{path} is being written by another process. Wait for it, or give another name.") from None
    except OSError:
        pass
