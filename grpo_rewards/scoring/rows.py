"""Files of completions as a stream of chunks of rows, in memory a chunk at a time."""

from __future__ import annotations

import base64
import csv
import glob
import gzip
import json
import re
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from grpo_rewards.checks.run.files import is_batch, opened_table, table_files
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import listed, shown

STDIN = "-"
KINDS = (".jsonl", ".jsonl.gz", ".json", ".csv", ".parquet")
TABLES = (".json", ".csv", ".parquet")  # of which rows are counted, and not lines
COMPLETIONS = ("completion", "completions", "response", "generation", "model_output", "output", "prediction", "text")
ROWS_OF_A_CHUNK = 64
PARQUET_ROWS = 256
LONGEST_LINE = 1 << 26  # bytes; what is longer is no completion, and would not fit into memory
LONGEST_CELL = 1 << 26  # characters
LINE_CUT = 200  # characters of a malformed line that are shown
BOM = b"\xef\xbb\xbf"
AS_UTF_8 = "iconv -f WINDOWS-1252 -t UTF-8 {path} > NEW.csv"  # what most files that are none were saved as
SEPARATOR_LINE = re.compile("sep=(.)")  # which Excel writes, and wants, above the names
OTHER_BYTE = re.compile("[\\udc80-\\udcff]")  # as which surrogateescape reads what is no UTF-8
OF_UTF_16 = "it is {form}. Save it as UTF-8: iconv -f {form} -t UTF-8 {{path}} > NEW"
UNPACK = "it is packed by {packer}. Unpack it first, with {packer} -dc."
OTHER_BYTES = {  # with which a file begins that is no text
    b"\xff\xfe": OF_UTF_16.format(form="UTF-16"),
    b"\xfe\xff": OF_UTF_16.format(form="UTF-16"),
    b"{\0": OF_UTF_16.format(form="UTF-16LE"),
    b"\0{": OF_UTF_16.format(form="UTF-16BE"),
    b"\x1f\x8b": UNPACK.format(packer="gzip"),
    b"\x28\xb5\x2f\xfd": UNPACK.format(packer="zstd"),
    b"\xfd7zXZ": UNPACK.format(packer="xz"),
    b"BZh": UNPACK.format(packer="bzip2"),
    b"PAR1": "it is parquet. Give it a name that ends with .parquet.",
    b"PK\x03\x04": "it is a zip archive, as Excel's .xlsx are. Unpack it, or save the table as CSV.",
}
Numbered: TypeAlias = "tuple[int, dict[str, Any], bytes | None]"  # its number in its file, the row, its line
Item: TypeAlias = "tuple[int, dict[str, Any] | bytes | Malformed]"  # its number, from 1, and what stands there
Opened: TypeAlias = "tuple[Iterator[Item], Callable[[int], int]]"  # the rows, and about how many bytes so many are


@dataclass(frozen=True)
class Place:
    """How far the files were read: so many of them whole, and of the next one so many lines or rows."""

    files: int = 0
    rows: int = 0


BEGINNING = Place()


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
        """(the rows; what is none). Of a batch, as ms-swift writes them, each completion is a row."""
        rows: list[Numbered] = []
        malformed: list[Malformed] = []
        for number, held in self.items:
            row = _parsed(self.path, number, held) if isinstance(held, bytes) else held
            if isinstance(row, Malformed):
                malformed.append(row)
            elif any(is_batch(row, name) for name in COMPLETIONS if name in row):
                columns = zip(*row.values(), strict=True)
                rows += [(number, dict(zip(row, cells, strict=True)), None) for cells in columns]
            else:
                rows.append((number, row, held if isinstance(held, bytes) else None))
        return rows, malformed


def _parsed(path: str, number: int, line: bytes) -> dict[str, Any] | Malformed:
    try:
        row, why = json.loads(line.decode()), "it is no object in braces"
    except UnicodeDecodeError as error:
        row, why = None, f"it is no UTF-8 at byte {error.start + 1}"
    except (ValueError, RecursionError) as error:
        row, why = None, f"it is no JSON, {error}"
    return row if isinstance(row, dict) else Malformed.of_bytes(path, number, why, line)


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
        is_name = Path(pattern).exists()
        matches = [Path(one) for one in ([pattern] if is_name else glob.glob(pattern, recursive=True))]
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
        self._stream = self._chunks(BEGINNING)
        self._looked_at: list[Chunk] = []

    @cached_property
    def first_row(self) -> dict[str, Any]:
        """The first row that can be read. What was looked at is there again when all is read.

        Raises:
            RewardError: there is none.
        """
        malformed: list[Malformed] = []
        for chunk in self._stream:
            self._looked_at.append(chunk)
            rows, broken = chunk.rows()
            if rows:
                return rows[0][1]
            malformed += broken
        hint = f" The first line: {malformed[0]}." if malformed else ""
        if any(map(is_read_once, self.files)):
            hint += " Standard input and pipes are read as JSON lines."
        raise RewardError(f"there is no row in {listed(map(str, self.files))}.{hint}")

    def chunks(self, start: Place = BEGINNING) -> Iterator[Chunk]:
        """All chunks, or those from a place on, the last one of each file with what is left of it.

        Raises:
            RewardError: a table or a packed file is damaged, or a file is of another kind than its name states. What
                lies before the damage was given before.
        """
        return chain(self._looked_at, self._stream) if start == BEGINNING else self._chunks(start)

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
                            yield Chunk(str(path), at, items, Place(at, number), before + read(number))
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
    found: list[dict[str, Any]] = []
    for chunk in Source(paths).chunks():
        rows, malformed = chunk.rows()
        if malformed:
            raise RewardError(f"{malformed[0]}. Mend it, or take it out.")
        found += [row for _, row, _ in rows]
    if not found:
        raise RewardError(f"{listed(map(str, paths))} is empty; it needs one problem a row.")
    names = dict.fromkeys(name for row in found for name in row)
    return {name: [row.get(name) for row in found] for name in names}


@contextmanager
def _opened(path: Path | str) -> Iterator[Opened]:
    """The numbered rows of a file, and how many of its bytes lie before a row, about."""
    kind = "" if is_read_once(path) else next(kind for kind in KINDS if str(path).endswith(kind))
    if path == STDIN:
        if sys.stdin is None:
            raise RewardError("there is no standard input to read from.")
        yield _lines(path, sys.stdin.buffer), lambda number: 0
    elif kind == ".parquet":
        size = size_of(path)
        with opened_table(path) as table:
            _refuse_twice(path, table.schema_arrow.names, "Write it again with one of them renamed")
            yield _parquet_rows(path, table), lambda number: size * number // max(table.metadata.num_rows, 1)
    elif kind in TABLES:
        with open(path, "rb") as file:
            _refuse_other_bytes(path, file.read(8))
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
            rows = _json_rows(path, text) if kind == ".json" else _csv_rows(path, text)
            yield rows, lambda number: int(text.buffer.tell())  # type: ignore[attr-defined]
    else:
        with open(path, "rb") as file:
            unpacked: Any = file
            if kind == ".jsonl.gz":
                if file.peek(2)[:2] not in (b"", b"\x1f\x8b"):
                    raise RewardError(
                        f"{path}: it is not packed, whatever its name suggests. Give it a name that ends with .jsonl."
                    )
                unpacked = gzip.GzipFile(fileobj=file)
            yield _lines(path, unpacked), lambda number: file.tell() if kind else 0


def _refuse_other_bytes(path: Path | str, start: bytes) -> None:
    """Raises RewardError for a file that begins as one of UTF-16, a packed one or a table of parquet."""
    for begins, message in OTHER_BYTES.items():
        if start.startswith(begins):
            raise RewardError(f"{path}: {message.format(path=path)}")


def _lines(path: Path | str, file: IO[bytes]) -> Iterator[Item]:
    """The lines that are not empty, as they are; of one that is too long its beginning."""
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if number == 1:
            _refuse_other_bytes(path, line)
            line = line.removeprefix(BOM)
        if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
            why = f"it is longer than {LONGEST_LINE:,} bytes"
            yield number, Malformed.of_bytes(str(path), number, why, line[:LINE_CUT])
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
        elif line := line.strip():
            yield number, line


def _csv_rows(path: Path | str, file: IO[str]) -> Iterator[Item]:
    """CSV. All cells are texts, as they stand there: 007, 1.50 and NA are no numbers and no gaps.

    Cells are apart by commas, or as the first line has it. A row that is broken takes no other with it: all but its
    first line is read again.
    """
    csv.field_size_limit(LONGEST_CELL)
    names, separator = _header(path, file)
    taken: list[str] = []
    again: deque[str] = deque()

    def lines() -> Iterator[str]:
        while line := again.popleft() if again else file.readline():
            taken.append(line)
            yield line

    number = 0
    while True:
        number += 1
        is_again = bool(again)
        taken.clear()
        cells, why = [], ""
        try:
            cells = next(csv.reader(lines(), strict=True, delimiter=separator))
        except StopIteration:
            return
        except csv.Error as error:
            again.extendleft(reversed(taken[1:]))
            del taken[1:]
            why = f"it is no CSV, {error}"
        held = "".join(taken).rstrip("\r\n")
        if not why and is_again and held.count('"') % 2:  # the end of a cell whose beginning was reported already
            why = "it is no CSV, it ends a quote that it does not begin"
        elif not why and cells and len(cells) != len(names):
            why = f"it has {len(cells)} cells, and there are {len(names)} columns"
        elif not why and not _is_utf8(held):
            why = "it is no UTF-8"
        if why:
            yield number, Malformed.of_bytes(str(path), number, why, held.encode("utf-8", "surrogateescape"))
        elif cells:
            yield number, dict(zip(names, cells, strict=True))


def _header(path: Path | str, file: IO[str]) -> tuple[list[str], str]:
    """(the names of the columns, what stands between cells).

    Raises:
        RewardError: the first line has no names of columns.
    """
    separator = ","
    try:
        names = next(csv.reader(file, strict=True), [])
        if len(names) == 1:
            stated = SEPARATOR_LINE.fullmatch(names[0])
            first = file.readline() if stated else names[0]
            separator = stated.group(1) if stated else next((one for one in ";\t" if one in first), ",")
            names = next(csv.reader([first], strict=True, delimiter=separator), [])
    except csv.Error as error:
        raise RewardError(f"{path}: its first line is none of CSV, {error}.") from None
    if not all(map(_is_utf8, names)):
        raise RewardError(f"{path}: its first line is no UTF-8. Save it as UTF-8: {AS_UTF_8.format(path=path)}")
    _refuse_twice(path, names, "Rename one in its first line")
    return names, separator


def _is_utf8(text: str) -> bool:
    return text.isascii() or OTHER_BYTE.search(text) is None


def _refuse_twice(path: Path | str, names: Sequence[str], remedy: str) -> None:
    """Raises RewardError if two columns have one name: only the last of them would be read."""
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise RewardError(f"{path}: it has two columns {shown(twice)}. {remedy}.")


def _json_rows(path: Path | str, file: IO[str]) -> Iterator[Item]:
    """JSON, read whole: a list of objects, one object of lists by column, or one with the list in it.

    Raises:
        RewardError: it is none of these.
    """
    text = file.read()
    if not _is_utf8(text):
        raise RewardError(f"{path}: it is no UTF-8.")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RewardError(f"{path}: it is no JSON: {error}. Of one object a line, name it .jsonl.") from None
    lists = {name: value for name, value in found.items() if isinstance(value, list)} if isinstance(found, dict) else {}
    if len(lists) == 1 and all(isinstance(one, dict) for one in next(iter(lists.values()))):
        (found,) = lists.values()
    elif lists and len(lists) == len(found) and len({len(value) for value in lists.values()}) == 1:
        found = [dict(zip(lists, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]
    if not isinstance(found, list):
        raise RewardError(f"{path}: it must be a list of objects, or one object with an equally long list per column.")
    for number, row in enumerate(found, 1):
        is_row = isinstance(row, dict)
        yield number, row if is_row else Malformed(str(path), number, "it is no object in braces", json.dumps(row))


def _parquet_rows(path: Path | str, table: Any) -> Iterator[Item]:
    number = 0
    for batch in table.iter_batches(batch_size=PARQUET_ROWS):
        try:
            rows = batch.to_pylist()
        except UnicodeDecodeError:  # of a damaged file: which row is it?
            rows = [_parquet_row(path, number + at + 1, batch.slice(at, 1)) for at in range(len(batch))]
        for row in rows:
            number += 1
            yield number, row


def _parquet_row(path: Path | str, number: int, batch: Any) -> Any:
    """The one row of a batch, or what is wrong with it."""
    try:
        return batch.to_pylist()[0]
    except UnicodeDecodeError as error:
        return Malformed.of_bytes(str(path), number, "it is no UTF-8", error.object)
