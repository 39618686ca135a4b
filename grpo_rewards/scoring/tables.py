"""CSV, JSON and parquet as pieces of so many rows."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from grpo_rewards.completion_tables import opened_table
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import shown
from grpo_rewards.scoring.lines import LONGEST_LINE, refuse_other_bytes, size_of
from grpo_rewards.scoring.piece import Malformed, Numbered, Piece, Place, Rows

__all__ = ["of_csv", "of_json", "of_parquet"]

PIECE_ROWS = 256
READ_AT_ONCE = 1 << 18  # characters of JSON
LONGEST_MARK = 8  # bytes, of those that identify a kind of file
AS_UTF_8 = "iconv -f WINDOWS-1252 -t UTF-8 {path} > NEW.csv"  # what most files that are none were saved as
SEPARATOR_LINE = re.compile("sep=(.)")  # which Excel writes, and wants, above the names
BETWEEN = re.compile(r"[\s,]*")


def _by_piece(
    path: Path | str, rows: Iterator[tuple[int, Any]], here: Place, before: int, read: Callable[[], int]
) -> Iterator[Piece]:
    """Numbered rows as pieces. What is none has (why, its bytes) in its place; ``read`` returns how much is read."""
    start, begun = here, before
    kept: list[tuple[int, dict[str, Any]]] = []
    broken: list[Malformed] = []
    for number, row in rows:
        if number <= here.rows:
            continue
        if isinstance(row, dict):
            kept.append((number - start.rows - 1, row))
        else:
            why, held = row if isinstance(row, tuple) else ("it is no object in braces", json.dumps(row).encode())
            broken.append(Malformed.of_bytes(str(path), number, why, held))
        if len(kept) + len(broken) >= PIECE_ROWS:
            after, now = Place(here.files, number), before + read()
            yield Rows(str(path), start, after, begun, now, kept, broken)
            kept, broken, start, begun = [], [], after, now
    yield Rows(str(path), start, Place(here.files + 1), begun, before + size_of(path), kept, broken)


def of_csv(path: Path | str, here: Place, before: int) -> Iterator[Piece]:
    """CSV. All cells are texts, as they stand there: 007, 1.50 and NA are no numbers and no gaps."""
    with open(path, "rb") as start:
        refuse_other_bytes(path, start.read(LONGEST_MARK))
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        yield from _by_piece(path, _csv_rows(path, _Unread(file)), here, before, lambda: _bytes_read(file))


class _Unread:
    """The lines of a file. Those behind the first of a row that turns out to be none are read again."""

    def __init__(self, file: IO[str]) -> None:
        self.file = file
        self.taken: list[str] = []
        self.again: deque[str] = deque()

    def __iter__(self) -> _Unread:
        return self

    def __next__(self) -> str:
        line = self.again.popleft() if self.again else next(self.file)
        self.taken.append(line)
        return line

    def held(self) -> bytes:
        """The bytes of the lines that were taken for a row."""
        return "".join(self.taken).rstrip("\r\n").encode("utf-8", "surrogateescape")

    def read_again(self) -> None:
        """Leaves all but the first line of the row to be read again."""
        self.again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]

    def seek(self) -> None:
        """Goes to the beginning."""
        self.taken.clear()
        self.file.seek(0)


def _csv_reader(path: Path | str, file: _Unread) -> tuple[Any, list[str]]:
    """(a reader of the rows, the names of the columns). Cells are apart by commas, or as the first line has it.

    Raises:
        RewardError: the first line has no names of columns.
    """
    csv.field_size_limit(min(sys.maxsize, LONGEST_LINE))
    try:
        reader = csv.reader(file, strict=True)
        names = next(reader, [])
        separator_line = SEPARATOR_LINE.fullmatch("".join(names)) if len(names) == 1 else None
        separator = (
            separator_line.group(1)
            if separator_line
            else next((one for one in ";\t" if len(names) == 1 and one in names[0]), None)
        )
        if separator is not None:  # as Excel saves it where numbers have a decimal comma
            file.seek()
            reader = csv.reader(file, strict=True, delimiter=separator)
            names = next(reader)
            names = next(reader, []) if separator_line else names
    except csv.Error as error:
        raise RewardError(f"{path}: its first line is none of CSV, {error}.") from None
    if not all(_is_utf8(name) for name in names):
        raise RewardError(f"{path}: its first line is no UTF-8. Save it as UTF-8: {AS_UTF_8.format(path=path)}")
    _refuse_twice(path, names, "Rename one in its first line")
    return reader, names


def _refuse_twice(path: Path | str, names: Sequence[str], remedy: str) -> None:
    """Raises RewardError if two columns have one name: only the last of them would be read."""
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise RewardError(f"{path}: it has two columns {shown(twice)}. {remedy}.")


def _csv_rows(path: Path | str, file: _Unread) -> Iterator[tuple[int, Any]]:
    reader, names = _csv_reader(path, file)
    number = 0
    while True:
        number += 1
        file.taken.clear()
        is_again = bool(file.again)
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            file.read_again()
            yield number, (f"it is no CSV, {error}", file.held())
            continue
        if is_again and file.held().count(b'"') % 2:  # the end of a cell whose beginning was reported already
            yield number, ("it is no CSV, it ends a quote that it does not begin", file.held())
        elif cells and len(cells) != len(names):
            yield number, (f"it has {len(cells)} cells, and there are {len(names)} columns", file.held())
        elif not all(cell.isascii() or _is_utf8(cell) for cell in cells):
            yield number, ("it is no UTF-8", file.held())
        elif cells:
            yield number, dict(zip(names, cells, strict=True))


def _bytes_read(file: Any) -> int:
    """How many bytes of a text file were read, about: it reads ahead."""
    return int(file.buffer.tell())


def _is_utf8(cell: str) -> bool:
    return not any("\udc80" <= one <= "\udcff" for one in cell)  # in which surrogateescape puts other bytes


def of_json(path: Path | str, here: Place, before: int) -> Iterator[Piece]:
    """JSON: a list of objects, read as a stream, or one object of lists by column, or one with the list in it."""
    with open(path, "rb") as beginning:
        refuse_other_bytes(path, beginning.read(LONGEST_MARK))
    with open(path, encoding="utf-8-sig") as file:
        start = _more(path, file, 1)
        while start and start.isspace():
            start = _more(path, file, 1)
        rows = _listed_rows(path, file) if start == "[" else _columns(path, start + _more(path, file, -1))
        yield from _by_piece(path, rows, here, before, lambda: _bytes_read(file))


def _listed_rows(path: Path | str, file: IO[str]) -> Iterator[tuple[int, Any]]:
    """The elements of the list whose bracket was read."""
    decoder, text, at, number, wanted = json.JSONDecoder(), "", 0, 0, READ_AT_ONCE
    while True:
        at = BETWEEN.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty text
        if text.startswith("]", at):
            return
        try:
            row, end = decoder.raw_decode(text, at)
            if end == len(text) and isinstance(row, int | float):
                raise ValueError("it ends before its list does")  # or the number goes on in what is read next
        except (ValueError, RecursionError) as error:
            more = _more(path, file, wanted) if len(text) - at < LONGEST_LINE else ""
            if not more:
                raise RewardError(f"{path}: it is no JSON after row {number}: {error}. Mend it there.") from None
            text, at = text[at:] + more, 0
            wanted = len(text)  # doubles, so that a long element is not parsed again and again
            continue
        number, at, wanted = number + 1, end, READ_AT_ONCE
        yield number, row


def _more(path: Path | str, file: IO[str], wanted: int) -> str:
    try:
        return file.read(wanted)
    except UnicodeDecodeError as error:
        raise RewardError(f"{path}: it is no UTF-8: {error}.") from None


def _columns(path: Path | str, text: str) -> Iterator[tuple[int, Any]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RewardError(f"{path}: it is no JSON: {error}. Of one object a line, name it .jsonl.") from None
    lists = {name: value for name, value in found.items() if isinstance(value, list)} if isinstance(found, dict) else {}
    if len(lists) == 1 and all(isinstance(one, dict) for one in next(iter(lists.values()))):
        yield from enumerate(next(iter(lists.values())), 1)
    elif lists and len(lists) == len(found) and len({len(value) for value in lists.values()}) == 1:
        for number, cells in enumerate(zip(*lists.values(), strict=True), 1):
            yield number, dict(zip(lists, cells, strict=True))
    else:
        raise RewardError(f"{path}: it must be a list of objects, or one object with an equally long list per column.")


@dataclass
class Batch(Piece):
    """Rows of a parquet file.

    Attributes:
        stream: them, as Arrow writes them. Objects of Python are made of them where they are scored.
    """

    stream: Any

    def rows(self) -> tuple[list[Numbered], list[Malformed]]:
        import pyarrow

        table = pyarrow.ipc.open_stream(self.stream).read_all()
        try:
            return [(at, row, None) for at, row in enumerate(table.to_pylist())], []
        except UnicodeDecodeError:  # of a damaged file: which rows is it?
            return self._apart(table)

    def _apart(self, table: Any) -> tuple[list[Numbered], list[Malformed]]:
        rows: list[Numbered] = []
        malformed = []
        for at in range(len(table)):
            try:
                rows.append((at, table.slice(at, 1).to_pylist()[0], None))
            except UnicodeDecodeError as error:
                malformed.append(Malformed.of_bytes(self.path, self.number(at), "it is no UTF-8", error.object))
        return rows, malformed


def of_parquet(path: Path | str, here: Place, before: int) -> Iterator[Piece]:
    """Parquet.

    Raises:
        RewardError: it is none or damaged, two columns have one name, or pyarrow is not installed.
    """
    with opened_table(path) as file:
        _refuse_twice(path, file.schema_arrow.names, "Write it again with one of them renamed")
        yield from _batches(path, file, here, before)


def _batches(path: Path | str, file: Any, here: Place, before: int) -> Iterator[Piece]:
    count, row = file.metadata.num_rows, 0
    each = size_of(path) / max(count, 1)
    if not count:
        yield Rows(str(path), here, Place(here.files + 1), before, before)
    for batch in file.iter_batches(batch_size=PIECE_ROWS):
        first, row = max(row, here.rows), row + len(batch)
        if row <= here.rows:
            continue
        after = Place(here.files, row) if row < count else Place(here.files + 1)
        begun, read = (before + int(at * each) for at in (first, row))
        part = batch.slice(len(batch) - (row - first))
        yield Batch(str(path), Place(here.files, first), after, begun, read, _as_stream(part))


def _as_stream(batch: Any) -> bytes:
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return bytes(sink.getvalue())
