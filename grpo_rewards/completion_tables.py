"""Reads tables of completions, which trainers leave in the folder of a run: TRL's parquet, ms-swift's JSON lines."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from grpo_rewards.errors import RewardError, listed

Table: TypeAlias = "Mapping[str, Sequence[Any]]"

OWN = ("step", "advantage")  # columns of numbers in TRL's tables that are no rewards
TEXTS = ("prompt", "completion")  # those without which a table is useless
SWIFT_FILE = "completions.jsonl"
STEP_COLUMNS = ("step", "gen_step")  # of TRL and ms-swift; of older ms-swift
SWIFT_ADVANTAGE = "advantages"
NO_BATCH = "it is no batch: it needs 'step' (numbers), 'prompt' and 'completion', each column a list of the same length"
STEP_IN_NAME = re.compile(r"[0-9]+$")
INDEX_COLUMN = "__index_level_"  # how pandas begins the name under which it stores the numbers of rows
RESTORE = "Fetch it again from where the run trained, or remove it; the rest is judged without it."


@dataclass(eq=False)
class DamagedFile(RewardError):
    """A file, or a table of completions, that cannot be used. A run is judged by the rest.

    Attributes:
        path: of the file.
        why: what is wrong with it.
        remedy: what to do about it.
    """

    path: str
    why: str
    remedy: str = RESTORE

    def __str__(self) -> str:
        return f"{self.path}: {self.why}. {self.remedy}"


def rows_of(table: Table) -> list[dict[str, Any]]:
    """The rows of a table, each by column.

    >>> rows_of({"a": [1, 2], "b": [3, 4]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 4}]
    """
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]


def table_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The rows as a table. A column that a row does not have is ``None`` there.

    >>> table_of([{"a": 1}, {"a": 2, "b": 4}])
    {'a': [1, 2], 'b': [None, 4]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


class Tables(Mapping[int, Table]):
    """The tables of a run by step, read on demand: those of a long run do not fit into memory.

    A damaged table is dropped when it is first read; looking it up raises ``KeyError``, and ``get`` gives ``None``.

    Args:
        files: of the tables, whose names end with the step, or the one of ms-swift.
        columns: those that a table must have.

    Attributes:
        passed_over: the damaged ones, once each.
    """

    def __init__(self, files: Sequence[Path], columns: Sequence[str] = TEXTS) -> None:
        self.passed_over: list[DamagedFile] = []
        self._columns = columns
        self._places: dict[int, tuple[Path, int | None]] = {}  # of a step its file, and the byte of its line there
        for path in files:
            number = STEP_IN_NAME.search(path.stem)
            if path.name == SWIFT_FILE:
                self._find_lines(path)
            elif number:
                self._places[int(number.group())] = path, None
            else:
                self.passed_over.append(DamagedFile(str(path), "its name does not end with the number of a step"))

    def __getitem__(self, step: int) -> Table:
        path, begins = self._places[step]
        if begins is not None:
            with path.open("rb") as file:
                file.seek(begins)
                return _swift_table(file.readline())
        try:
            return read_table(path, self._columns)
        except DamagedFile as error:
            del self._places[step]
            self.passed_over.append(DamagedFile(error.path, error.why))
            raise KeyError(step) from None

    def __iter__(self) -> Iterator[int]:
        return iter([*self._places])

    def __len__(self) -> int:
        return len(self._places)

    def drop(self, steps: Iterable[int]) -> None:
        """Leaves the tables of some steps out."""
        for step in steps:
            self._places.pop(step, None)

    def whole(self) -> Iterator[tuple[int, Table]]:
        """The steps in their order, each with its table, without the damaged ones."""
        for step in sorted(self):
            if (table := self.get(step)) is not None:
                yield step, table

    def sizes(self) -> dict[int, int]:
        """The number of completions of each step, without reading those of TRL; a damaged table is left out."""
        found = {}
        for step, (path, begins) in self._places.items():
            if begins is not None:
                found[step] = len(self[step]["completion"])
                continue
            with suppress(DamagedFile), opened_table(path) as file:  # it is reported when it is read
                found[step] = file.metadata.num_rows
        return found

    def _find_lines(self, path: Path) -> None:
        """Finds the steps in a file of lines. Of a step that was logged several times the first line counts."""
        begins = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if table := _swift_table(line):
                    self._places.setdefault(table["step"][0], (path, begins))
                else:
                    self.passed_over.append(DamagedFile(f"{path}, line {number}", NO_BATCH))
                begins += len(line)


def table_files(folder: Path) -> list[Path]:
    """The files of the tables of a run, whether or not they can be read: those of TRL, or else the one of ms-swift."""
    of_trl = sorted((folder / "completions").glob("completions_*.parquet"))
    of_swift = folder / SWIFT_FILE
    if of_trl or not of_swift.is_file():
        return of_trl
    with of_swift.open("rb") as file:  # of which another program may have written one that is no table
        return [of_swift] if _swift_table(file.readline()) else []


def is_batch(row: Mapping[str, Any], completion: str = "completion") -> bool:
    """Whether an object is a whole batch of completions: an equally long list for each column.

    >>> is_batch({"step": ["1", "1"], "completion": ["a", "b"]}), is_batch({"completion": "a", "answer": "4"})
    (True, False)
    """
    texts = row.get(completion)
    return (
        isinstance(texts, list)
        and all(isinstance(values, list) and len(values) == len(texts) for values in row.values())
        and all(isinstance(one, str) for one in texts)
    )


def _swift_table(line: bytes) -> Table:
    """A line of ms-swift as TRL has its tables, ``{}`` for any other line.

    What stands behind the advantages is no reward, and is called so.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(row, dict) or not is_batch(row):
        return {}
    steps, *_ = [row.pop(name) for name in STEP_COLUMNS if name in row] or [[]]
    if "prompt" not in row or not steps or not str(steps[0]).isdecimal():
        return {}
    names = [*row]
    behind = names[names.index(SWIFT_ADVANTAGE) + 1 :] if SWIFT_ADVANTAGE in names else []
    called = {SWIFT_ADVANTAGE: "advantage", **{name: f"logged/{name}" for name in behind}}
    table = {called.get(name, name): [None if one != one else one for one in row[name]] for name in names}
    return {"step": [int(steps[0])] * len(steps), **table}


@contextmanager
def opened_table(path: Path | str) -> Iterator[Any]:
    """Opens a parquet file, as a ``ParquetFile`` of pyarrow; errors of reads inside the block are converted, too.

    Raises:
        DamagedFile: it is damaged or no parquet.
        RewardError: pyarrow is not installed.
    """
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise RewardError(f"{path}: to read parquet, pip install pyarrow.") from None
    try:
        with ParquetFile(path) as file:
            yield file
    except (ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:  # raised for broken files
        message = (str(error).splitlines() or [type(error).__name__])[0].removesuffix(".")
        raise DamagedFile(
            str(path), f"it cannot be read as parquet: {message}", "Fetch it again, or leave it out."
        ) from None


def read_table(path: Path, columns: Sequence[str] = TEXTS) -> Table:
    """The columns of one table by name, as Python's values.

    Raises:
        DamagedFile: it cannot be read, has no rows, or has not one of these columns.
    """
    with opened_table(path) as file:
        table: dict[str, list[Any]] = file.read().to_pydict()
    for name in columns:
        if name not in table:
            raise DamagedFile(str(path), f"it has no column '{name}'. Columns: {listed(table)}")
        if not table[name]:
            raise DamagedFile(str(path), "it has no rows")
    return {name: values for name, values in table.items() if not name.startswith(INDEX_COLUMN)}
