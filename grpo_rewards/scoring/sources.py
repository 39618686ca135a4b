"""Files of completions as a stream of pieces: JSON lines, JSON, CSV and parquet, in memory a piece at a time."""

from __future__ import annotations

import csv
import glob
import gzip
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import listed

__all__ = ["LINES", "STDIN", "Malformed", "Piece", "Place", "matching_files", "pieces"]

STDIN = "-"
LINES, DOCUMENT, CELLS, PARQUET = ".jsonl", ".json", ".csv", ".parquet"
KINDS = (LINES, f"{LINES}.gz", DOCUMENT, CELLS, PARQUET)
PIECE_BYTES = 1 << 18  # of JSON lines
PIECE_ROWS = 256  # of the other kinds
LONGEST_LINE = 1 << 26  # bytes; what is longer is no completion, and would not fit into memory
LINE_CUT = 200  # characters of a malformed line that are shown
BOM, UTF_16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
BETWEEN = re.compile(r"[\s,]*")


@dataclass(frozen=True)
class Place:
    """How far the files were read: so many of them whole, and of the next one so many rows, or bytes and lines."""

    files: int = 0
    rows: int = 0
    bytes: int = 0


class Malformed(NamedTuple):
    """A line, or a row, that cannot be scored because it cannot be read.

    Attributes:
        path: of its file.
        line: its number, from 1; in JSON and parquet that of the row.
        why: what is wrong with it.
        text: as it stands there.
    """

    path: str
    line: int
    why: str
    text: str = ""

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.why}: {self.text[:LINE_CUT]!r}"


@dataclass
class Piece:
    """Some rows in a row.

    Attributes:
        path: of their file.
        first: the number of the first line or row, from 1.
        after: the place behind them.
        read: how many bytes of the files lie before that place, about.
        lines: JSON lines as they stand in the file, or ``None``.
        rows: rows of the other kinds, with their numbers.
        malformed: what could not be read.
    """

    path: str
    first: int
    after: Place
    read: int
    lines: bytes | None = None
    rows: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    malformed: list[Malformed] = field(default_factory=list)


def matching_files(patterns: Sequence[str]) -> list[Path]:
    """The files that the patterns match, those of one pattern in the order of the numbers in their names.

    A folder stands for the tables in its ``completions``, if TRL left some there, and else for the files in it.

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
        if not whole:
            raise RewardError(f"no file matches {pattern!r} (in {Path.cwd()}).")
        found += sorted(whole, key=_natural)
    for path in found:
        if not path.name.endswith(KINDS):
            raise RewardError(f"{path}: its name must end with {listed(KINDS)}.")
    return list(dict.fromkeys(found))


def _in_folder(folder: Path) -> list[Path]:
    tables = list((folder / "completions").glob("completions_*.parquet"))
    return tables or [path for path in folder.iterdir() if path.name.endswith(KINDS)]


def _natural(path: Path) -> list[tuple[int, str]]:
    parts: list[str] = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def pieces(paths: Sequence[Path | str], start: Place = Place()) -> Iterator[Piece]:  # it is frozen
    """The rows of the files from a place on, a piece at a time.

    Raises:
        RewardError: a file of JSON or parquet, or a packed one, is damaged, or one is UTF-16. What lies before the
            damage was given before.
    """
    before = sum(_size(path) for path in paths[: start.files])
    for at, path in enumerate(paths[start.files :], start.files):
        here = start if at == start.files else Place(at)
        try:
            yield from _readers(str(path))(path, here, before)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise RewardError(
                f"{path}: it is damaged, or ends early: {error}. Fetch it again, or save what is whole: "
                f"gzip -dc {path} > NAME{LINES}"
            ) from None
        before += _size(path)


def _readers(name: str) -> Any:
    if name == STDIN or name.endswith((LINES, f"{LINES}.gz")):
        return _lines
    return {DOCUMENT: _document, CELLS: _table, PARQUET: _parquet}[Path(name).suffix]


def _size(path: Path | str) -> int:
    return 0 if path == STDIN else Path(path).stat().st_size


def _opened(path: Path | str) -> IO[bytes]:
    if path == STDIN:
        if sys.stdin is None:
            raise RewardError("there is no standard input to read from.")
        return sys.stdin.buffer
    return gzip.open(path, "rb") if str(path).endswith(".gz") else open(path, "rb")  # type: ignore[return-value]


def _lines(path: Path | str, here: Place, before: int) -> Iterator[Piece]:
    """JSON lines, cut at ends of lines only; they are parsed where they are scored."""
    line, place = here.rows, here.bytes
    with _opened(path) as file:
        if place:
            file.seek(place)
        packed = str(path).endswith(".gz")
        while block := file.read(PIECE_BYTES):
            dropped = 0
            if not block.endswith(b"\n"):
                rest = file.readline(LONGEST_LINE)
                block += rest
                while rest and not block.endswith(b"\n"):  # too long for a line: its end is skipped
                    rest = file.readline(LONGEST_LINE)
                    dropped += len(rest)
                    if rest.endswith(b"\n"):
                        break
            first, place = line + 1, place + len(block) + dropped
            broken = [_too_long(path, line, block)] if dropped else []
            if dropped:
                block = block[: block.rfind(b"\n", 0, len(block) - LONGEST_LINE) + 1]
            count = block.count(b"\n") + (0 if block.endswith(b"\n") or not block else 1)
            line += count + len(broken)
            read = before + (file.fileobj.tell() if packed and hasattr(file, "fileobj") else place)
            if first == 1:
                _refuse_utf_16(path, block)
                block = block.removeprefix(BOM)
            yield Piece(str(path), first, Place(here.files, line, place), read, lines=block, malformed=broken)
    yield Piece(str(path), line + 1, Place(here.files + 1), before + _size(path))


def _refuse_utf_16(path: Path | str, start: bytes) -> None:
    if start.startswith(UTF_16):
        raise RewardError(f"{path}: it is UTF-16. Save it as UTF-8: iconv -f UTF-16 -t UTF-8 {path} > NEW")


def _too_long(path: Path | str, line: int, block: bytes) -> Malformed:
    kept = block[: block.rfind(b"\n", 0, len(block) - LONGEST_LINE) + 1]
    text = block[len(kept) : len(kept) + LINE_CUT].decode("utf-8", "replace")
    return Malformed(str(path), line + kept.count(b"\n") + 1, f"it is longer than {LONGEST_LINE:,} bytes", text)


def _by_piece(
    path: Path | str, rows: Iterator[tuple[int, Any]], here: Place, before: int, read: Callable[[int], int]
) -> Iterator[Piece]:
    """Numbered rows as pieces. What is none has (why, its text) in its place; ``read`` says how much is read."""
    kept: list[tuple[int, dict[str, Any]]] = []
    broken: list[Malformed] = []
    first = last = here.rows
    for number, row in rows:
        if number <= here.rows:
            continue
        last = number
        if isinstance(row, dict):
            kept.append((number, row))
        else:
            why, text = row if isinstance(row, tuple) else ("it is no object in braces", str(row)[:LINE_CUT])
            broken.append(Malformed(str(path), number, why, text))
        if len(kept) + len(broken) >= PIECE_ROWS:
            yield Piece(str(path), first + 1, Place(here.files, last), before + read(last), None, kept, broken)
            kept, broken, first = [], [], last
    yield Piece(str(path), first + 1, Place(here.files + 1), before + _size(path), None, kept, broken)


def _table(path: Path | str, here: Place, before: int) -> Iterator[Piece]:
    """CSV. All cells are texts, as they stand there: 007, 1.50 and NA are no numbers and no gaps."""
    with open(path, "rb") as start:
        _refuse_utf_16(path, start.read(2))
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        yield from _by_piece(path, _csv_rows(file), here, before, lambda _: _told(file))


def _csv_rows(file: IO[str]) -> Iterator[tuple[int, Any]]:
    csv.field_size_limit(min(sys.maxsize, LONGEST_LINE))
    reader = csv.reader(file)
    names = next(reader, [])
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, (str(error), "")
            continue
        if cells and len(cells) != len(names):
            yield number, (f"it has {len(cells)} cells, and there are {len(names)} columns", ",".join(cells))
        elif not all(cell.isascii() or _is_utf8(cell) for cell in cells):
            yield number, ("it is no UTF-8", ascii(",".join(cells)))
        elif cells:
            yield number, dict(zip(names, cells, strict=True))


def _told(file: Any) -> int:
    """How many bytes of a text file were read, about: it reads ahead."""
    return int(file.buffer.tell())


def _is_utf8(cell: str) -> bool:
    return not any("\udc80" <= one <= "\udcff" for one in cell)  # in which surrogateescape puts other bytes


def _document(path: Path | str, here: Place, before: int) -> Iterator[Piece]:
    """JSON: a list of objects, read as a stream, or one object of lists by column, or one with the list in it."""
    with open(path, encoding="utf-8-sig") as file:
        start = _more(path, file, 1)
        while start and start.isspace():
            start = _more(path, file, 1)
        rows = _listed_rows(path, file) if start == "[" else _columns(path, start + _more(path, file, -1))
        yield from _by_piece(path, rows, here, before, lambda _: _told(file))


def _listed_rows(path: Path | str, file: IO[str]) -> Iterator[tuple[int, Any]]:
    """The elements of the list whose bracket was read."""
    decoder, text, at, number, wanted = json.JSONDecoder(), "", 0, 0, PIECE_BYTES
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
        number, at, wanted = number + 1, end, PIECE_BYTES
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


def _parquet(path: Path | str, here: Place, before: int) -> Iterator[Piece]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise RewardError(f"{path}: to read parquet, pip install pyarrow.") from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            each = _size(path) / max(file.metadata.num_rows, 1)
            yield from _by_piece(path, _parquet_rows(file), here, before, lambda row: int(row * each))
    except pyarrow.ArrowException as error:
        raise RewardError(f"{path}: it cannot be read as parquet: {str(error).splitlines()[0]}") from None


def _parquet_rows(file: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    for batch in file.iter_batches(batch_size=PIECE_ROWS):
        for row in batch.to_pylist():
            number += 1
            yield number, row
