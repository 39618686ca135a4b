"""The verdicts in a file, written so that one can go on with it: JSON lines, or a folder of numbered parquet parts.

Beside it lie ``<name>.place.json``, which records what was scored and how far, and ``<name>.malformed.jsonl`` with what
could not be read.
"""

from __future__ import annotations

import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import shown
from grpo_rewards.scoring.apart import PART, PLACE, UNREADABLE
from grpo_rewards.scoring.piece import Malformed, Place
from grpo_rewards.scoring.sources import CELLS, DOCUMENT, LINES
from grpo_rewards.scoring.work import Scored

__all__ = ["READ_ONCE", "Kept", "kept_in"]

SECONDS = 1.0  # between two notes of the place in a file of lines
PART_ROWS = 50_000  # of a parquet part
NOTED = frozenset(("settings", "place", "done", "size", "malformed"))  # of each place
READ_ONCE = "read once"  # what the settings hold for standard input and pipes
KEEP_LINES = "Keep JSON lines, which may differ: -o NAME.jsonl."


def kept_in(path: Path, settings: Mapping[str, Any], overwrite: bool) -> Kept:
    """Where the verdicts are kept: a name that ends with .jsonl is a file of lines, and all else a folder of parts.

    Args:
        path: of the file or the folder.
        settings: what decides about the verdicts. An output that was started with others cannot be resumed.
        overwrite: begin anew, whatever is there.

    Raises:
        RewardError: it was begun with other settings, or something else is there.
    """
    if str(path) == "-":
        raise RewardError("-o -: verdicts are kept in a file or a folder, so that one can go on: -o NAME.jsonl.")
    if not path.parent.is_dir():
        raise RewardError(f"{path}: there is no folder {path.parent}.")
    if path.suffix in (CELLS, DOCUMENT, ".gz"):
        raise RewardError(f"{path}: verdicts are kept as JSON lines, NAME.jsonl, or as parquet in a folder.")
    of_lines = path.suffix == LINES
    if path.exists() and path.is_dir() == of_lines:
        is_now, ends = ("a folder", "") if of_lines else ("a file", f", which ends with {LINES} if it is one of lines")
        raise RewardError(f"{path} is {is_now}. Give another name{ends}.")
    return (KeptLines if of_lines else KeptParts)(path, json.loads(json.dumps(settings)), overwrite)


class Kept(ABC):
    """Where verdicts are kept, and how far they are.

    Attributes:
        form: of ``Scoring``, which it keeps.
        start: the place from which it goes on.
        is_done: whether all was scored before.
    """

    form: str

    def __init__(self, path: Path, settings: Mapping[str, Any], overwrite: bool) -> None:
        self.path = path
        self.settings = settings
        self.place_path = path.with_name(path.name + PLACE)
        self.malformed_path = path.with_name(path.name + UNREADABLE)
        self._malformed = open(self.malformed_path, "ab")  # noqa: SIM115  # closed in close
        _lock(self._malformed, path)
        try:
            noted = None if overwrite else self._noted_before()
            if noted is not None and self._is_gone():
                noted = None
            if noted is not None:
                self._refuse_changed(noted)
            self.start = Place(**noted["place"]) if noted else Place()
            self.is_done = bool(noted and noted["done"])
            self._open(noted["size"] if noted else 0)
            self._malformed.truncate(noted["malformed"] if noted else 0)
            if noted is None:
                self.note(self.start)
        except BaseException:
            self._close_malformed()
            raise

    def _noted_before(self) -> dict[str, Any] | None:
        try:
            noted: dict[str, Any] = json.loads(self.place_path.read_text(encoding="utf-8"))
            Place(**noted["place"])
            if not noted.keys() >= NOTED:
                raise ValueError("something is missing")
        except (OSError, ValueError, TypeError, LookupError):
            if self.path.exists() and not (self.path.is_dir() and not any(self.path.iterdir())):
                raise RewardError(f"{self.path} is there already. Give another name, or --overwrite.") from None
            return None
        for name, now in self.settings.items():
            before = noted["settings"].get(name)
            if before != now and name == "files" and any(one[-1] == READ_ONCE for one in now):
                raise RewardError(
                    f"{self.path} is there already, and an input that comes through a pipe cannot be resumed. "
                    "Give another name, --overwrite, or a file to read."
                )
            if before != now:
                raise RewardError(
                    f"{self.path} was begun with other settings: {name} was {shown(before)} and is {shown(now)}. Give "
                    "another name, or --overwrite."
                )
        return noted

    def _refuse_changed(self, noted: Mapping[str, Any]) -> None:
        """Raises RewardError if less is there than was noted, or if something was added to what was whole."""
        self._refuse_other_size(noted["size"], noted["done"])
        size = os.fstat(self._malformed.fileno()).st_size
        if size < noted["malformed"]:
            raise changed(self.malformed_path, f"it had {noted['malformed']:,} bytes, and has {size:,}")

    def add(self, scored: Scored) -> None:
        """Keeps what came of a piece."""
        self._add(scored)
        for one in scored.malformed:
            self._malformed.write(json.dumps(one._asdict()).encode() + b"\n")
        if self._is_due():
            self.note(scored.after)

    def note(self, place: Place, done: bool = False) -> None:
        """Makes sure of what lies before the place, and notes it."""
        size = self._flushed()
        _on_disk(self._malformed)
        noted = {"settings": self.settings, "place": asdict(place), "done": done, "size": size}
        with _replacing(self.place_path) as fresh:
            fresh.write(json.dumps({**noted, "malformed": self._malformed.tell()}).encode())

    def close(self) -> None:
        """Closes the files. Where nothing is malformed, there is no file of it."""
        self._close_malformed()

    def _close_malformed(self) -> None:
        self._malformed.flush()
        if not self.malformed_path.stat().st_size:
            self.malformed_path.unlink()  # while it is still locked: nobody else may have begun
        self._malformed.close()

    def malformed(self) -> Iterator[Malformed]:
        """What could not be read so far."""
        if self.malformed_path.exists():
            with open(self.malformed_path, encoding="utf-8") as file:
                for line in file:
                    yield Malformed(**json.loads(line))

    @abstractmethod
    def _is_gone(self) -> bool:
        """Whether nothing is left of what was kept."""

    @abstractmethod
    def _refuse_other_size(self, size: int, is_done: bool) -> None:
        """Raises RewardError if it is smaller than that, or if it was done, of another size."""

    @abstractmethod
    def _open(self, size: int) -> None:
        """Drops what was written behind the last place that was noted."""

    @abstractmethod
    def _add(self, scored: Scored) -> None: ...

    @abstractmethod
    def _is_due(self) -> bool:
        """Whether the place is to be noted."""

    @abstractmethod
    def _flushed(self) -> int:
        """Writes what is not written yet; how large it is then."""

    @abstractmethod
    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows with their verdicts that are kept."""


def changed(path: Path, how: str) -> RewardError:
    """What is raised where something is not as the run before left it, so that going on would lose or grow it."""
    do = "Put it back, give another name, or begin anew: --overwrite"
    return RewardError(f"{path} is not as it was left: {how}. {do}.")


def _on_disk(file: IO[bytes]) -> None:
    """Waits until all that was written is on the disk: a place that is noted must not outlive what lies before it."""
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of ``path`` once it is on the disk."""
    fresh = path.with_name(path.name + ".new")
    with open(fresh, "wb") as file:
        yield file
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


class KeptLines(Kept):
    """A file of JSON lines."""

    form = "lines"

    def _is_gone(self) -> bool:
        return not self.path.exists()

    def _refuse_other_size(self, size: int, is_done: bool) -> None:
        now = self.path.stat().st_size
        if now < size or (is_done and now > size):
            raise changed(self.path, f"it had {size:,} bytes, and has {now:,}")

    def _open(self, size: int) -> None:
        self._file = open(self.path, "ab")  # noqa: SIM115  # closed in close
        self._file.truncate(size)
        self._noted = time.monotonic()

    def _add(self, scored: Scored) -> None:
        self._file.write(scored.lines)

    def _is_due(self) -> bool:
        return time.monotonic() - self._noted > SECONDS

    def _flushed(self) -> int:
        self._noted = time.monotonic()
        _on_disk(self._file)
        return self._file.tell()

    def close(self) -> None:
        super().close()
        self._file.close()

    def rows(self) -> Iterator[dict[str, Any]]:
        with open(self.path, "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield json.loads(line)
                except ValueError:
                    raise changed(self.path, f"line {number} is no JSON") from None


class KeptParts(Kept):
    """A folder of parquet files, ``part-00000.parquet`` and so on."""

    form = "rows"

    def _is_gone(self) -> bool:
        return not any(self._parts())

    def _refuse_other_size(self, size: int, is_done: bool) -> None:
        noted = [self._part(at) for at in range(size)]
        there = self._parts()
        missing = next((one for one in noted if one not in there), None)
        if missing is not None:
            raise changed(self.path, f"{missing.name} is missing")
        if is_done and len(there) > size:
            raise changed(self.path, f"{there[-1].name} was not there")

    def _part(self, at: int) -> Path:
        return self.path / f"part-{at:05d}.parquet"

    def _open(self, size: int) -> None:
        self.path.mkdir(exist_ok=True)
        for path in self._parts()[size:]:
            path.unlink()
        self._count, self._rows = size, list[dict[str, Any]]()
        self._schema: Any = None

    def _parts(self) -> list[Path]:
        return sorted(self.path.glob(PART))

    def _add(self, scored: Scored) -> None:
        self._rows += scored.rows

    def _is_due(self) -> bool:
        return len(self._rows) >= PART_ROWS

    def _flushed(self) -> int:
        if self._rows:
            import pyarrow.parquet

            table = self._table()
            with _replacing(self._part(self._count)) as fresh:
                pyarrow.parquet.write_table(table, fresh)
            self._count, self._rows = self._count + 1, []
        return self._count

    def _table(self) -> Any:
        """The rows as a table with the columns of the first part, as whoever reads all parts together expects."""
        import pyarrow

        if self._schema is None:
            parts = self._parts()
            self._schema = pyarrow.parquet.read_schema(parts[0]) if parts else _schema_of(self._rows)
        others = {name for row in self._rows for name in row}.difference(self._schema.names)
        if others:
            raise RewardError(
                f"{self.path}: column {min(others)!r} is only in some rows. Keep JSON lines: -o NAME.jsonl."
            )
        try:
            return pyarrow.Table.from_pylist(self._rows, schema=self._schema)
        except (pyarrow.ArrowException, TypeError) as error:
            raise RewardError(f"{self.path}: {error}. {KEEP_LINES}") from None

    def rows(self) -> Iterator[dict[str, Any]]:
        import pyarrow.parquet

        for path in self._parts():
            try:
                with pyarrow.parquet.ParquetFile(path) as file:
                    for batch in file.iter_batches():
                        yield from batch.to_pylist()
            except (pyarrow.ArrowException, ValueError, OSError) as error:
                raise changed(path, f"it is no parquet, {error}") from None


def _schema_of(rows: list[dict[str, Any]]) -> Any:
    """The types of the columns; one that holds nothing yet is one of texts."""
    import pyarrow

    names = list(dict.fromkeys(name for row in rows for name in row))
    try:
        found = [(name, pyarrow.array([row.get(name) for row in rows]).type) for name in names]
    except (pyarrow.ArrowException, TypeError) as error:
        raise RewardError(f"a column is of no single type: {error}. {KEEP_LINES}") from None
    return pyarrow.schema([(name, pyarrow.string() if kind == pyarrow.null() else kind) for name, kind in found])
