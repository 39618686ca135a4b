"""A piece of the files: some rows one after the other, which whoever scores them reads and parses."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

__all__ = ["Malformed", "Numbered", "Piece", "Place", "Rows", "cut", "place_name"]

TABLES = (".json", ".csv", ".parquet")
LINE_CUT = 200  # characters of a malformed line that are shown
Numbered: TypeAlias = "tuple[int, dict[str, Any], bytes | None]"  # how many are before it in its piece, row, its line


@dataclass(frozen=True)
class Place:
    """How far the files were read: so many of them whole, and of the next one so many rows, or bytes and lines.

    Of a file that can be read from any byte on the lines are not counted.
    """

    files: int = 0
    rows: int = 0
    bytes: int = 0


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
        return f"{place_name(self.path, self.line)}: {self.why}: {cut(self.text)!r}"


def place_name(path: str, number: int) -> str:
    """What a message calls a place in a file: of a table it is the row, whatever lines that has."""
    return f"{path}, {'row' if path.endswith(TABLES) else 'line'} {number}"


def cut(text: str) -> str:
    """The beginning of a text."""
    return text[:LINE_CUT]


@dataclass
class Piece(ABC):
    """Some rows one after the other. It is handed to the process that scores them.

    Attributes:
        path: of their file.
        start: the place before them.
        after: the place behind them.
        begun: how many bytes of the files lie before the first place, about.
        read: how many lie before the second, about.
    """

    path: str
    start: Place
    after: Place
    begun: int
    read: int

    @abstractmethod
    def rows(self) -> tuple[list[Numbered], list[Malformed]]:
        """(the rows; what is none)."""

    def number(self, at: int) -> int:
        """The number in its file, from 1, of the row or line that has so many before it in this piece."""
        return self.start.rows + at + 1

    def place(self, at: int) -> Place:
        """The place before that row."""
        return Place(self.start.files, self.start.rows + at)


@dataclass
class Rows(Piece):
    """Rows that were parsed already.

    Attributes:
        parsed: them, and how many are before each.
        malformed: what is no row.
    """

    parsed: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    malformed: list[Malformed] = field(default_factory=list)

    def rows(self) -> tuple[list[Numbered], list[Malformed]]:
        return [(at, row, None) for at, row in self.parsed], self.malformed
