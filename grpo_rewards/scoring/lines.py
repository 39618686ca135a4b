"""JSON lines, cut at ends of lines only; they are parsed where they are scored.

A plain file is not read to be cut: a piece is where it begins and ends, and has the lines that begin in between.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from grpo_rewards.registry import RewardError
from grpo_rewards.scoring.piece import Malformed, Numbered, Piece, Place, cut

__all__ = ["BOM", "LONGEST_LINE", "STDIN", "is_read_once", "refuse_other_bytes", "size_of", "spans", "streamed_lines"]

STDIN = "-"
PIECE_BYTES = 1 << 19
LONGEST_LINE = 1 << 26  # bytes; what is longer is no completion, and would not fit into memory
BLOCK_BYTES = 1 << 20  # of what is read to count lines
BOM = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
OF_UTF_16 = "it is {form}. Save it as UTF-8: iconv -f {form} -t UTF-8 {{path}} > NEW"
UNPACK = "it is packed by {packer}. Unpack it first, with {packer} -dc."
OTHER_BYTES = {  # with which a file begins that is no text
    b"\xff\xfe": OF_UTF_16.format(form="UTF-16"),
    b"\xfe\xff": OF_UTF_16.format(form="UTF-16"),
    b"{\0": OF_UTF_16.format(form="UTF-16LE"),
    b"\0{": OF_UTF_16.format(form="UTF-16BE"),
    GZIP: UNPACK.format(packer="gzip"),
    b"\x28\xb5\x2f\xfd": UNPACK.format(packer="zstd"),
    b"\xfd7zXZ": UNPACK.format(packer="xz"),
    b"BZh": UNPACK.format(packer="bzip2"),
    b"PAR1": "it is parquet. Give it a name that ends with .parquet.",
    b"PK\x03\x04": "it is a zip archive, as Excel's .xlsx are. Unpack it, or save the table as CSV.",
}

_counted = ("", 0, 0, 0)  # the file in which lines were counted last, when it was written, bytes, lines in these


def size_of(path: Path | str) -> int:
    """How many bytes a file has; 0 for standard input."""
    return 0 if path == STDIN else Path(path).stat().st_size


def is_read_once(path: Path | str) -> bool:
    """Whether a path is standard input, or a pipe, as ``<(zcat rows.gz)`` in a shell: JSON lines that come but once."""
    return path == STDIN or Path(path).is_fifo()


def refuse_other_bytes(path: Path | str, start: bytes) -> None:
    """Raises RewardError for a file that begins as one of UTF-16, a packed one or a table of parquet."""
    for begins, message in OTHER_BYTES.items():
        if start.startswith(begins):
            raise RewardError(f"{path}: {message.format(path=path)}")


def spans(path: Path | str, here: Place, before: int) -> Iterator[Piece]:
    """A plain file as stretches, which end where a multiple of their size does wherever the first begins."""
    size, start = size_of(path), here.bytes
    while True:
        end = min((start // PIECE_BYTES + 1) * PIECE_BYTES, size)
        after = Place(here.files, 0, end) if end < size else Place(here.files + 1)
        yield Span(str(path), Place(here.files, 0, start), after, before + start, before + end)
        if end >= size:
            return
        start = end


@dataclass
class Span(Piece):
    """The lines that begin in a stretch of a file."""

    def rows(self) -> tuple[list[Numbered], list[Malformed]]:
        _, block, too_long = self._lines()
        rows, malformed = _parsed(self, block)
        if too_long:
            malformed.append(_too_long(self, block, too_long))
        return rows, malformed

    def number(self, at: int) -> int:
        return _lines_before(self.path, self._lines()[0]) + at + 1

    def place(self, at: int) -> Place:
        first, block, _ = self._lines()
        return Place(self.start.files, 0, first + _begins(block, at))

    def _lines(self) -> tuple[int, bytes, bytes]:
        """(where the first of the lines begins, the lines, the beginning of the last one if that is too long)."""
        start, end = self.start.bytes, self.after.bytes or size_of(self.path)
        with open(self.path, "rb") as file:
            if start:
                file.seek(start - 1)
                file.readline(end - start + 1)  # the end of a line that began before, or only the break in front of it
            first = file.tell()
            block = file.read(end - first)
            if block and not block.endswith(b"\n"):
                block += file.readline(LONGEST_LINE)
        if not first:
            refuse_other_bytes(self.path, block)
        return first, *_without_too_long(block)


@dataclass
class Lines(Piece):
    """Lines of a packed file, of standard input or of a pipe.

    Attributes:
        block: them.
        too_long: the beginning of one behind them that is too long.
    """

    block: bytes
    too_long: bytes

    def rows(self) -> tuple[list[Numbered], list[Malformed]]:
        rows, malformed = _parsed(self, self.block)
        if self.too_long:
            malformed.append(_too_long(self, self.block, self.too_long))
        return rows, malformed

    def place(self, at: int) -> Place:
        return Place(self.start.files, self.start.rows + at, self.start.bytes + _begins(self.block, at))


def streamed_lines(path: Path | str, here: Place, before: int) -> Iterator[Piece]:
    """What cannot be read from any byte on: ``.gz``, standard input, pipes.

    Raises:
        RewardError: it is no text of UTF-8.
    """
    place, read = here, before
    with _opened(path) as file:
        if place.bytes:
            file.seek(place.bytes)
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
            if not place.bytes:
                refuse_other_bytes(path, block)
            lines, too_long = _without_too_long(block)
            count = lines.count(b"\n") + (1 if too_long or not lines.endswith(b"\n") else 0)
            after = Place(here.files, place.rows + count, place.bytes + len(block) + dropped)
            begun, read = read, before + (file.fileobj.tell() if hasattr(file, "fileobj") else after.bytes)
            yield Lines(str(path), place, after, begun, read, lines, too_long)
            place = after
    end = before + size_of(path)
    yield Lines(str(path), place, Place(here.files + 1), read, end, b"", b"")


def _opened(path: Path | str) -> IO[bytes]:
    if path == STDIN:
        if sys.stdin is None:
            raise RewardError("there is no standard input to read from.")
        return sys.stdin.buffer
    file = open(path, "rb")  # noqa: SIM115  # closed by who reads it
    if is_read_once(path):
        return file
    with file:
        start = file.read(len(GZIP))
    if start and start != GZIP:
        raise RewardError(
            f"{path}: it is not packed, whatever its name suggests. Give it a name that ends with .jsonl."
        )
    return gzip.open(path, "rb")  # type: ignore[return-value]


def _parsed(piece: Piece, block: bytes) -> tuple[list[Numbered], list[Malformed]]:
    """(the objects in the lines; what is none)."""
    rows: list[Numbered] = []
    malformed: list[Malformed] = []
    first = 0
    if not piece.start.bytes:
        block = block.removeprefix(BOM)
    for at, line in enumerate(block.split(b"\n")):
        line = line.strip()
        if not line:
            continue
        try:
            row, why = json.loads(line.decode()), "it is no object in braces"
        except UnicodeDecodeError as error:
            row, why = None, f"it is no UTF-8 at byte {error.start + 1}"
        except (ValueError, RecursionError) as error:
            row, why = None, f"it is no JSON, {error}"
        if isinstance(row, dict):
            rows.append((at, row, line))
        else:
            first = first or piece.number(0)
            malformed.append(Malformed.of_bytes(piece.path, first + at, why, line))
    return rows, malformed


def _without_too_long(block: bytes) -> tuple[bytes, bytes]:
    """(the lines, the beginning of the last one if that is too long)."""
    line = block.rfind(b"\n") + 1
    is_too_long = len(block) - line >= LONGEST_LINE
    return (block[:line], block[line:]) if is_too_long else (block, b"")


def _too_long(piece: Piece, lines: bytes, start: bytes) -> Malformed:
    text = cut(start[: LONGEST_LINE - 1].decode("utf-8", "replace"))
    return Malformed(piece.path, piece.number(lines.count(b"\n")), f"it is longer than {LONGEST_LINE:,} bytes", text)


def _begins(block: bytes, at: int) -> int:
    """Where in a block the line begins that has so many before it."""
    return len(block) - len(block.split(b"\n", at)[at])


def _lines_before(path: str, end: int) -> int:
    """How many lines end before that byte. Counting starts from what was counted last."""
    global _counted
    written = os.stat(path).st_mtime_ns
    known, when, place, lines = _counted
    if (known, when) != (path, written) or place > end:
        place = lines = 0
    with open(path, "rb") as file:
        file.seek(place)
        while place < end:
            block = file.read(min(BLOCK_BYTES, end - place))
            if not block:
                break
            place += len(block)
            lines += block.count(b"\n")
    _counted = path, written, place, lines
    return lines
