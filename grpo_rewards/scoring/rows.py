"""Files of completions as a stream of chunks of rows, in memory a chunk at a time."""

import csv
import glob
import gzip
import io
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import date, time
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from grpo_rewards.completion_tables import is_batch, opened_table, rows_of, table_files, table_of
from grpo_rewards.errors import RewardError, listed, shown

STDIN = Path("-")
TABLES = (".json", ".parquet")  # of which rows are counted, from 0, as data frames do; else lines, from 1
COMPLETIONS = ("completion", "completions", "response", "generation", "model_output", "output", "prediction", "text")
SETTINGS_ENDING, UNREADABLE = BESIDE = ".settings.json", ".malformed.jsonl"  # what lies beside an output
ROWS_OF_A_CHUNK = 64
PARQUET_ROWS = 256
LONGEST_CELL = 1 << 26  # characters
LINE_CUT = 200  # characters of a malformed line that are shown
BOM, GZIP = b"\xef\xbb\xbf", b"\x1f\x8b"
AS_UTF_8 = "iconv -f WINDOWS-1252 -t UTF-8 {path} > NEW.csv"  # what most files that are none were saved as
OTHER_BYTE = re.compile("[\\udc80-\\udcff]")  # as which surrogateescape reads what is no UTF-8


class Malformed(NamedTuple):
    """A line, or a row, that cannot be scored because it cannot be read.

    Attributes:
        path: of its file.
        line: the number of the line that it begins in, from 1; in JSON and parquet that of the row, from 0.
        why: what is wrong with it.
        text: as it stands there; what is no UTF-8 is U+FFFD.
    """

    path: str
    line: int
    why: str
    text: str

    def __str__(self) -> str:
        return f"{place_name(self.path, self.line)}: {self.why}: {self.text[:LINE_CUT]!r}"


Numbered: TypeAlias = "tuple[int, dict[str, Any]]"  # its number in its file, and the row
Item: TypeAlias = "tuple[int, dict[str, Any] | bytes | Malformed]"  # its number, and what stands there


def place_name(path: str, number: int) -> str:
    """What a message calls a place in a file: a line as an editor counts it, or a row as a data frame does."""
    return f"{path}, {'row' if path.endswith(TABLES) else 'line'} {number}" if path else f"row {number} of a batch"


@dataclass
class Chunk:
    """Some rows of a file, one after the other. It is handed to the process that scores them.

    Attributes:
        path: of the file.
        items: (number, row) of each. JSON lines are parsed where they are scored.
        read: how many bytes of all files were read, up to the end of these rows, about.
    """

    path: str
    items: list[Item]
    read: int = 0

    def rows(
        self, unreadable: Callable[[Mapping[str, Any]], str | None] = lambda row: None
    ) -> tuple[list[Numbered], list[Malformed]]:
        """(the rows; what is none, or is ``unreadable`` for a reason that this gives).

        Of a batch, as ms-swift writes them, each completion is a row.
        """
        rows = []
        malformed = []
        for number, held in self.items:
            row = _parsed(self.path, number, held) if isinstance(held, bytes) else held
            if isinstance(row, Malformed):
                malformed.append(row)
                continue
            is_table = any(is_batch(row, name) for name in COMPLETIONS if name in row)
            for one in rows_of(row) if is_table else [row]:
                why = unreadable(one)
                if why is None:
                    rows.append((number, one))
                else:
                    malformed.append(Malformed(self.path, number, why, json.dumps(one, default=str)))
        return rows, malformed


def _parsed(path: str, number: int, line: bytes) -> dict[str, Any] | Malformed:
    try:
        row, why = json.loads(line.decode()), "it is no object in braces"
    except UnicodeDecodeError as error:
        row, why = None, f"it is no UTF-8 at byte {error.start + 1}"
    except (ValueError, RecursionError) as error:
        row, why = None, f"it is no JSON, {error}"
    return row if isinstance(row, dict) else Malformed(path, number, why, line.decode(errors="replace"))


def matching_files(patterns: Sequence[str]) -> list[Path]:
    """The files that the patterns match, those of one pattern in the order of the numbers in their names.

    A folder stands for the tables in its ``completions``, if TRL left some there, and else for the files in it. A pipe
    may have any name.

    Raises:
        RewardError: a pattern matches nothing, or a file is of no kind that can be read.
    """
    found = []
    if list(patterns) == [str(STDIN)]:
        return [STDIN]
    for pattern in patterns:
        names = [pattern] if Path(pattern).exists() else glob.glob(pattern, recursive=True)
        files = [path for name in map(Path, names) for path in (_in_folder(name) if name.is_dir() else [name])]
        files = [path for path in files if str(path) == pattern or not path.name.endswith(BESIDE)]
        if not files:
            raise RewardError(
                f"no file matches {pattern!r} (in {Path.cwd()}). Of a folder, what is read is "
                f"completions/completions_*.parquet, and names that end with {listed(KINDS)}."
            )
        found += sorted(files, key=_natural)
    for path in found:
        if not (path.name.endswith(KINDS) or is_read_once(path)):
            cat = "zcat" if path.suffix == ".gz" else "cat"
            raise RewardError(f"{path}: its name must end with {listed(KINDS)}. Of JSON lines alone: <({cat} {path})")
    return list(dict.fromkeys(found))


def _in_folder(folder: Path) -> list[Path]:
    return table_files(folder) or [path for path in folder.iterdir() if path.name.endswith(KINDS)]


def _natural(path: Path) -> list[tuple[int, str]]:
    parts: list[str] = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def is_read_once(path: Path) -> bool:
    """Whether a path is standard input, or a pipe, as ``<(zcat rows.gz)`` in a shell: JSON lines that come but once."""
    return path == STDIN or path.is_fifo()


class Source:
    """The files that are scored, or standard input, of which the beginning was looked at.

    Attributes:
        files: their paths.
        size: how many bytes they have together; standard input and pipes have 0.
        read: how many of these were read, about.
        chunk_rows: how many rows are in a chunk, at least.
    """

    def __init__(self, files: Sequence[Path], chunk_rows: int = ROWS_OF_A_CHUNK) -> None:
        self.files = files
        self.chunk_rows = chunk_rows
        self.size = sum(0 if path == STDIN else path.stat().st_size for path in files)
        self.read = 0
        self._rest = self._items()
        self._looked_at: list[tuple[str, Item]] = []

    @cached_property
    def first_row(self) -> dict[str, Any]:
        """The first row that can be read. What was looked at is there again when all is read.

        Raises:
            RewardError: there is none.
        """
        hint = ""
        for path, item in self._rest:
            self._looked_at.append((path, item))
            rows, malformed = Chunk(path, [item]).rows()
            if rows:
                return rows[0][1]
            hint = hint or f" First problem: {malformed[0]}."
        raise RewardError(f"no readable row in {listed(map(str, self.files))}.{hint}")

    def chunks(self, may_begin: Callable[[str, Item], bool] | None = None) -> Iterator[Chunk]:
        """All chunks. Where a file begins one always does.

        Args:
            may_begin: whether a chunk may begin with an item of a file; without it, any may. It sees each of them.

        Raises:
            RewardError: a table or a packed file is damaged, or a file is of another kind than its name states. What
                lies before the damage was given before.
        """
        begun, items = "", list[Item]()
        for path, item in chain(self._looked_at, self._rest):
            is_full = (may_begin is None or may_begin(path, item)) and len(items) >= self.chunk_rows
            if items and (path != begun or is_full):
                yield Chunk(begun, items, self.read)
                items = []
            begun = path
            items.append(item)
        if items:
            yield Chunk(begun, items, self.size)

    def _items(self) -> Iterator[tuple[str, Item]]:
        """What stands in the files, each with the path of its file."""
        for path in self.files:
            before, comes_once = self.read, is_read_once(path)
            kind = ".jsonl" if comes_once else next(kind for kind in KINDS if str(path).endswith(kind))
            if kind in TABLES and not path.stat().st_size:
                raise RewardError(f"{path} is empty.")
            with _opened(path) as file:
                for item in READERS[kind](str(path), file):
                    self.read = before + (0 if comes_once else file.tell())
                    yield str(path), item


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
        found += [row for _, row in rows]
    if not found:
        raise RewardError(f"{listed(map(str, paths))} is empty; it needs one problem a row.")
    return table_of(found)


def _opened(path: Path) -> AbstractContextManager[Any]:
    if path != STDIN:
        return open(path, "rb")
    if sys.stdin is None:
        raise RewardError("there is no standard input to read from.")
    return nullcontext(sys.stdin.buffer)


def _lines(path: str, file: Any) -> Iterator[Item]:
    """The lines that are not empty, as they are."""
    for number, line in enumerate(file, 1):
        held = line.removeprefix(BOM).strip()
        if held:
            yield number, held


def _packed_lines(path: str, file: Any) -> Iterator[Item]:
    """The lines of a file that gzip packed, or of one that was unpacked and kept its name."""
    try:
        yield from _lines(path, gzip.GzipFile(fileobj=file) if file.peek(2)[:2] == GZIP else file)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RewardError(
            f"{path}: it is damaged, or ends early: {error}. Fetch it again, or save what is whole: "
            f"gzip -dc {path} > NAME.jsonl"
        ) from None


def _is_utf8(text: str) -> bool:
    return text.isascii() or OTHER_BYTE.search(text) is None


def _csv_rows(path: str, file: IO[bytes]) -> Iterator[Item]:
    """CSV. All cells are texts, as they stand there: 007, 1.50 and NA are no numbers and no gaps.

    Cells are apart by commas, or by semicolons or tabs where the first line has no comma.

    Raises:
        RewardError: a row is no CSV, whose quotes would take others with it, or the first line has no names of columns.
    """
    csv.field_size_limit(LONGEST_CELL)
    lines = iter(io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="").readline, "")
    first = next(lines, "")
    separator = next((one for one in ",;\t" if one in first), ",")
    rows = csv.reader(chain([first], lines), strict=True, delimiter=separator)
    begins = 1
    try:
        names = next(rows, [])
        if not all(map(_is_utf8, names)):
            raise RewardError(f"{path}: its first line is no UTF-8. Save it as UTF-8: {AS_UTF_8.format(path=path)}")
        _refuse_twice(path, names, "Rename one in its first line")
        begins = rows.line_num + 1
        for cells in rows:
            why = ""
            if cells and len(cells) != len(names):
                why = f"it has {len(cells)} cells, and there are {len(names)} columns"
            elif not all(map(_is_utf8, cells)):
                why = "it is no UTF-8"
            if why:
                yield begins, Malformed(path, begins, why, OTHER_BYTE.sub("\ufffd", separator.join(cells)))
            elif cells:
                yield begins, dict(zip(names, cells, strict=True))
            begins = rows.line_num + 1
    except csv.Error as error:
        raise RewardError(f"{place_name(path, begins)}: it is no CSV, {error}. Mend it, or take it out.") from None


def _refuse_twice(path: str, names: Sequence[str], remedy: str) -> None:
    """Raises RewardError if two columns have one name: only the last of them would be read."""
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise RewardError(f"{path}: it has two columns {shown(twice)}. {remedy}.")


def _json_rows(path: str, file: IO[bytes]) -> Iterator[Item]:
    """JSON, read whole: a list of objects, one object of lists by column, or one with the list in it; or JSON lines.

    Raises:
        RewardError: it is none of these.
    """
    held = file.read()
    try:
        found = json.loads(held.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if not str(error).startswith("Extra data: line 2"):
            raise RewardError(f"{path}: it is no JSON: {error}.") from None
        # one object a line, as data sets write it
        yield from ((number - 1, line) for number, line in _lines(path, io.BytesIO(held)))
        return
    if isinstance(found, dict):
        lists = [value for value in found.values() if isinstance(value, list)]
        if len(lists) == 1 and all(isinstance(one, dict) for one in lists[0]):
            found = lists[0]
        elif lists and len(lists) == len(found) and len({*map(len, lists)}) == 1:
            found = rows_of(found)
    if not isinstance(found, list):
        raise RewardError(f"{path}: it must be a list of objects, or one object with an equally long list per column.")
    for number, row in enumerate(found):
        is_row = isinstance(row, dict)
        yield number, row if is_row else Malformed(path, number, "it is no object in braces", json.dumps(row))


def _parquet_rows(path: str, file: IO[bytes]) -> Iterator[Item]:
    size = os.path.getsize(path)
    with opened_table(path) as table:
        _refuse_twice(path, table.schema_arrow.names, "Write it again with one of them renamed")
        batches = table.iter_batches(batch_size=PARQUET_ROWS)
        for number, row in enumerate(row for batch in batches for row in batch.to_pylist()):
            file.seek(size * (number + 1) // table.metadata.num_rows)  # as if it were read line by line
            yield number, {name: _as_text_has_it(value) for name, value in row.items()}


def _as_text_has_it(value: Any) -> Any:
    """A cell as JSON lines would have it: a date or a time in ISO's form, and bytes that are UTF-8, as text."""
    if isinstance(value, date | time):
        return str(value).removesuffix(" 00:00:00")
    with suppress(UnicodeDecodeError):
        return value.decode() if isinstance(value, bytes) else value
    return value


READERS: dict[str, Callable[[str, IO[bytes]], Iterator[Item]]] = {
    ".jsonl": _lines,
    ".jsonl.gz": _packed_lines,
    ".json": _json_rows,
    ".csv": _csv_rows,
    ".parquet": _parquet_rows,
}
KINDS = tuple(READERS)
