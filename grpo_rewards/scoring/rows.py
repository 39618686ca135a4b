"""Files of completions as a stream of chunks of rows, in memory a chunk at a time."""

from __future__ import annotations

import base64
import glob
import gzip
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from grpo_rewards.checks.run.files import table_files
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import listed
from grpo_rewards.scoring.tables import Broken, Item, csv_rows, json_rows, parquet_rows, refuse_other_bytes

__all__ = [
    "KINDS",
    "Chunk",
    "Malformed",
    "Numbered",
    "Place",
    "Source",
    "columns_in",
    "is_read_once",
    "matching_files",
    "place_name",
    "size_of",
]

STDIN = "-"
KINDS = (".jsonl", ".jsonl.gz", ".json", ".csv", ".parquet")
TABLES = (".json", ".csv", ".parquet")  # of which rows are counted, and not lines
ROWS_OF_A_CHUNK = 64
LONGEST_LINE = 1 << 26  # bytes; what is longer is no completion, and would not fit into memory
LINE_CUT = 200  # characters of a malformed line that are shown
BOM = b"\xef\xbb\xbf"
Numbered: TypeAlias = "tuple[int, dict[str, Any], bytes | None]"  # its number in its file, the row, its line


@dataclass(frozen=True)
class Place:
    """How far the files were read: so many of them whole, and of the next one so many lines or rows."""

    files: int = 0
    rows: int = 0


class Malformed(NamedTuple):
    """A line, or a row, that cannot be scored because it cannot be read.

    Attributes:
        path: of its file.
        line: its number, from 1; in CSV, JSON and parquet that of the row.
        why: what is wrong with it.
        text: as it stands there; what is no UTF-8 is U+FFFD.
        base64: its bytes, where they are no UTF-8, so that nothing of it is lost; else empty.
    """

    path: str
    line: int
    why: str
    text: str = ""
    base64: str = ""

    @classmethod
    def of_bytes(cls, path: str, line: int, why: str, held: bytes) -> Malformed:
        """One whose bytes are known, whatever they are."""
        text = held.decode("utf-8", "replace")
        is_text = text.encode() == held
        return cls(path, line, why, text, "" if is_text else base64.b64encode(held).decode())

    def __str__(self) -> str:
        return f"{place_name(self.path, self.line)}: {self.why}: {self.text[:LINE_CUT]!r}"


def place_name(path: str, number: int) -> str:
    """What a message calls a place in a file: of a table it is the row, whatever lines that has."""
    return f"{path}, {'row' if path.endswith(TABLES) else 'line'} {number}"


@dataclass
class Chunk:
    """Some rows of a file, one after the other. It is handed to the process that scores them.

    Attributes:
        path: of the file.
        file: how many files are before it.
        items: (number, row) of each, from 1. JSON lines are parsed where they are scored.
        after: the place behind them.
        read: how many bytes of all files lie before that place, about.
    """

    path: str
    file: int
    items: list[Item]
    after: Place
    read: int

    def rows(self) -> tuple[list[Numbered], list[Malformed]]:
        """(the rows; what is none)."""
        rows: list[Numbered] = []
        malformed: list[Malformed] = []
        for number, held in self.items:
            line = held if isinstance(held, bytes) else None
            row = _parsed(held) if isinstance(held, bytes) else held
            if isinstance(row, Broken):
                malformed.append(Malformed.of_bytes(self.path, number, *row))
            else:
                rows.append((number, row, line))
        return rows, malformed


def _parsed(line: bytes) -> dict[str, Any] | Broken:
    try:
        row, why = json.loads(line.decode()), "it is no object in braces"
    except UnicodeDecodeError as error:
        row, why = None, f"it is no UTF-8 at byte {error.start + 1}"
    except (ValueError, RecursionError) as error:
        row, why = None, f"it is no JSON, {error}"
    return row if isinstance(row, dict) else Broken(why, line)


def matching_files(patterns: Sequence[str]) -> list[Path]:
    """The files that the patterns match, those of one pattern in the order of the numbers in their names.

    A folder stands for the tables in its ``completions``, if TRL left some there, and else for the files in it. A pipe
    may have any name.

    Raises:
        RewardError: a pattern matches nothing, or a file is of no kind that can be read.
    """
    found: list[Path] = []
    if STDIN in patterns:
        raise RewardError(f"{STDIN}, standard input, cannot be read together with files.")
    for pattern in patterns:
        matches = (
            [Path(pattern)] if Path(pattern).exists() else [Path(one) for one in glob.glob(pattern, recursive=True)]
        )
        whole = [path for match in matches for path in (_in_folder(match) if match.is_dir() else [match])]
        if not whole and matches:
            raise RewardError(f"{pattern}: it has no completions/completions_*.parquet, nor files of {listed(KINDS)}.")
        if not whole:
            raise RewardError(f"no file matches {pattern!r} (in {Path.cwd()}).")
        found += sorted(whole, key=_natural)
    for path in found:
        if not (path.name.endswith(KINDS) or is_read_once(path)):
            cat = "zcat" if path.suffix == ".gz" else "cat"
            raise RewardError(f"{path}: its name must end with {listed(KINDS)}. Of JSON lines: <({cat} {path})")
    return list(dict.fromkeys(found))


def _in_folder(folder: Path) -> list[Path]:
    return table_files(folder) or [path for path in folder.iterdir() if path.name.endswith(KINDS)]


def _natural(path: Path) -> list[tuple[int, str]]:
    parts: list[str] = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def size_of(path: Path | str) -> int:
    """How many bytes a file has; 0 for standard input."""
    return 0 if path == STDIN else Path(path).stat().st_size


def is_read_once(path: Path | str) -> bool:
    """Whether a path is standard input, or a pipe, as ``<(zcat rows.gz)`` in a shell: JSON lines that come but once."""
    return path == STDIN or Path(path).is_fifo()


class Source:
    """The files that are scored, or standard input, of which the beginning was looked at.

    Attributes:
        files: their paths.
        size: how many bytes they have together; standard input and pipes have 0.
        chunk_rows: how many rows are in a chunk, which may be changed meanwhile.
    """

    def __init__(self, files: Sequence[Path | str], chunk_rows: int = ROWS_OF_A_CHUNK) -> None:
        self.files = files
        self.chunk_rows = chunk_rows
        self.size = sum(path.stat().st_size for path in files if isinstance(path, Path))
        self._stream = self._chunks(Place())
        self._looked_at: list[Chunk] = []

    def looked_at(self) -> Iterator[Chunk]:
        """The chunks from the beginning, which are there again when all are read."""
        for chunk in self._stream:
            self._looked_at.append(chunk)
            yield chunk

    def chunks(self, start: Place = Place()) -> Iterator[Chunk]:  # it is frozen
        """All chunks, or those from a place on, the last one of each file with what is left of it.

        Raises:
            RewardError: a table or a packed file is damaged, or a file is of another kind than its name states. What
                lies before the damage was given before.
        """
        return chain(self._looked_at, self._stream) if start == Place() else self._chunks(start)

    def _chunks(self, start: Place) -> Iterator[Chunk]:
        before = sum(map(size_of, self.files[: start.files]))
        for at, path in enumerate(self.files[start.files :], start.files):
            done = start.rows if at == start.files else 0
            items: list[Item] = []
            try:
                with _opened(path) as (numbered, read):
                    for number, row in numbered:
                        if number > done:
                            items.append((number, row))
                        if len(items) >= self.chunk_rows:
                            yield Chunk(str(path), at, items, Place(at, number), before + read())
                            items = []
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise RewardError(
                    f"{path}: it is damaged, or ends early: {error}. Fetch it again, or save what is whole: "
                    f"gzip -dc {path} > NAME.jsonl"
                ) from None
            before += size_of(path)
            yield Chunk(str(path), at, items, Place(at + 1), before)


def columns_in(paths: Sequence[Path]) -> dict[str, list[Any]]:
    """All rows of the files, by column. A column that a row does not have is ``None`` there.

    Raises:
        RewardError: a row cannot be read, or there is none.
    """
    columns: dict[str, list[Any]] = {}
    count = 0
    for chunk in Source(paths).chunks():
        rows, malformed = chunk.rows()
        if malformed:
            raise RewardError(f"{malformed[0]}. Mend it, or take it out.")
        for _, row, _ in rows:
            columns |= {name: [None] * count for name in row if name not in columns}
            for name, column in columns.items():
                column.append(row.get(name))
            count += 1
    if not count:
        raise RewardError(f"{listed(map(str, paths))} is empty; it needs one problem a row.")
    return columns


@contextmanager
def _opened(path: Path | str) -> Iterator[tuple[Iterator[Item], Callable[[], int]]]:
    """(the numbered rows of a file, how many of its bytes were read so far)."""
    kind = "" if is_read_once(path) else next(kind for kind in KINDS if str(path).endswith(kind))
    if kind == ".parquet":
        with parquet_rows(path) as found:
            yield found
    elif kind in (".json", ".csv"):
        refuse_other_bytes(path)
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
            numbered = json_rows(path, text) if kind == ".json" else csv_rows(path, text)
            yield numbered, lambda: int(text.buffer.tell())  # type: ignore[attr-defined]
    elif path == STDIN:
        if sys.stdin is None:
            raise RewardError("there is no standard input to read from.")
        yield _lines(path, sys.stdin.buffer), lambda: 0
    else:
        with open(path, "rb") as file:
            unpacked = file
            if kind == ".jsonl.gz":
                if file.peek(2)[:2] not in (b"", b"\x1f\x8b"):
                    raise RewardError(
                        f"{path}: it is not packed, whatever its name suggests. Give it a name that ends with .jsonl."
                    )
                unpacked = gzip.GzipFile(fileobj=file)  # type: ignore[assignment]
            yield _lines(path, unpacked), lambda: file.tell() if kind else 0


def _lines(path: Path | str, file: IO[bytes]) -> Iterator[Item]:
    """The lines that are not empty, as they are; of one that is too long its beginning."""
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if number == 1:
            refuse_other_bytes(path, line)
            line = line.removeprefix(BOM)
        if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
            yield number, Broken(f"it is longer than {LONGEST_LINE:,} bytes", line[:LINE_CUT])
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
        elif line := line.strip():
            yield number, line
