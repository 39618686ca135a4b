"""The rows of CSV, JSON and parquet, with their numbers."""

from __future__ import annotations

import csv
import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from grpo_rewards.checks.run.files import opened_table
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import shown

__all__ = ["Broken", "Item", "csv_rows", "json_rows", "parquet_rows", "refuse_other_bytes"]

PARQUET_ROWS = 256
LONGEST_CELL = 1 << 26  # characters
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
Item: TypeAlias = "tuple[int, dict[str, Any] | bytes | Broken]"  # its number, from 1, and what stands there


class Broken(NamedTuple):
    """What stands in the place of a row and is none."""

    why: str
    held: bytes


def refuse_other_bytes(path: Path | str, start: bytes | None = None) -> None:
    """Raises RewardError for a file that begins as one of UTF-16, a packed one or a table of parquet."""
    if start is None:
        with open(path, "rb") as file:
            start = file.read(8)
    for begins, message in OTHER_BYTES.items():
        if start.startswith(begins):
            raise RewardError(f"{path}: {message.format(path=path)}")


def csv_rows(path: Path | str, file: IO[str]) -> Iterator[Item]:
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
            yield number, Broken(why, held.encode("utf-8", "surrogateescape"))
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


def json_rows(path: Path | str, file: IO[str]) -> Iterator[Item]:
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
        yield number, row if is_row else Broken("it is no object in braces", json.dumps(row).encode())


@contextmanager
def parquet_rows(path: Path | str) -> Iterator[tuple[Iterator[Item], Callable[[], int]]]:
    """(the rows of a parquet file, how many of its bytes were read so far, about).

    Raises:
        RewardError: it is none or damaged, two columns have one name, or pyarrow is not installed.
    """
    count, size = 0, Path(path).stat().st_size
    with opened_table(path) as file:
        _refuse_twice(path, file.schema_arrow.names, "Write it again with one of them renamed")

        def rows() -> Iterator[Item]:
            nonlocal count
            for batch in file.iter_batches(batch_size=PARQUET_ROWS):
                for row in _rows_of(batch):
                    count += 1
                    yield count, row

        yield rows(), lambda: size * count // max(file.metadata.num_rows, 1)


def _rows_of(batch: Any) -> Iterator[dict[str, Any] | Broken]:
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:  # of a damaged file: which row is it?
        for at in range(len(batch)):
            try:
                yield from batch.slice(at, 1).to_pylist()
            except UnicodeDecodeError as error:
                yield Broken("it is no UTF-8", error.object)
