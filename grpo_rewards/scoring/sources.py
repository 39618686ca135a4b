"""Files of completions as a stream of pieces: JSON lines, JSON, CSV and parquet, in memory a piece at a time."""

from __future__ import annotations

import glob
import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from grpo_rewards.completion_tables import table_files
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import listed
from grpo_rewards.scoring.apart import without_output
from grpo_rewards.scoring.fields import one_by_one
from grpo_rewards.scoring.lines import STDIN, is_read_once, size_of, spans, streamed_lines
from grpo_rewards.scoring.piece import Malformed, Piece, Place
from grpo_rewards.scoring.tables import of_csv, of_json, of_parquet

__all__ = ["CELLS", "DOCUMENT", "KINDS", "LINES", "Source", "columns_in", "matching_files", "pieces"]

LINES, DOCUMENT, CELLS, PARQUET = ".jsonl", ".json", ".csv", ".parquet"
PACKED = f"{LINES}.gz"
READERS: dict[str, Callable[[Path | str, Place, int], Iterator[Piece]]] = {
    LINES: spans,
    PACKED: streamed_lines,
    DOCUMENT: of_json,
    CELLS: of_csv,
    PARQUET: of_parquet,
}
KINDS = tuple(READERS)


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


def pieces(paths: Sequence[Path | str], start: Place | None = None) -> Iterator[Piece]:
    """The rows of the files from a place on, a piece at a time.

    Raises:
        RewardError: a file of JSON or parquet, or a packed one, is damaged, or one is UTF-16. What lies before the
            damage was given before.
    """
    start = start or Place()
    before = sum(size_of(path) for path in paths[: start.files])
    for at, path in enumerate(paths[start.files :], start.files):
        here = start if at == start.files else Place(at)
        try:
            yield from _reader(path)(path, here, before)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise RewardError(
                f"{path}: it is damaged, or ends early: {error}. Fetch it again, or save what is whole: "
                f"gzip -dc {path} > NAME{LINES}"
            ) from None
        before += size_of(path)


def columns_in(paths: Sequence[Path]) -> dict[str, list[Any]]:
    """All rows of the files, by column. A column that a row does not have is ``None`` there.

    Raises:
        RewardError: a row cannot be read, or there is none.
    """
    columns: dict[str, list[Any]] = {}
    count = 0
    for piece in pieces(paths):
        rows, malformed = piece.rows()
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


class Source:
    """The files that are scored, or standard input, of which the beginning was looked at.

    Attributes:
        files: their paths.
        size: how many bytes they have together; standard input and pipes have 0.
    """

    def __init__(self, paths: Sequence[str], output: str | Path | None = None) -> None:
        self.files: list[Path | str] = [STDIN]
        if list(paths) != [STDIN]:
            found = matching_files(paths)
            self.files = [*(found if output is None else without_output(found, paths, Path(output)))]
        self.size = sum(path.stat().st_size for path in self.files if isinstance(path, Path))
        self._stream: Iterator[Piece] = pieces(self.files)
        self._looked_at: list[Piece] = []

    def first_row(self) -> dict[str, Any]:
        """The first row that can be read.

        Raises:
            RewardError: there is none.
        """
        malformed: list[Malformed] = []
        for piece in self._stream:
            self._looked_at.append(piece)
            rows, broken = piece.rows()
            for _, row, _ in one_by_one(rows):
                return row
            malformed += broken
        hint = f" The first line: {malformed[0]}." if malformed else ""
        if any(map(is_read_once, self.files)):
            hint += " Standard input and pipes are read as JSON lines."
        raise RewardError(f"there is no row in {listed(map(str, self.files))}.{hint}")

    def pieces(self, start: Place | None = None) -> Iterator[Piece]:
        """All pieces, or those from a place on."""
        return chain(self._looked_at, self._stream) if start is None else pieces(self.files, start)


def _reader(path: Path | str) -> Callable[[Path | str, Place, int], Iterator[Piece]]:
    return streamed_lines if is_read_once(path) else next(READERS[kind] for kind in KINDS if str(path).endswith(kind))
