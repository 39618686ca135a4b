"""Problems in a file: JSON lines, JSON, CSV or parquet, by the end of its name."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas
from datasets import Dataset, Value, load_dataset
from datasets.exceptions import DatasetGenerationError

__all__ = ["LINE", "read_file", "require_exact"]

# The column with the number of the line that a row stands in: no data call one so, and no reward can read it.
LINE = "line of the file"

EXACT = 2**53  # a float holds every whole number up to this one
WHOLE = re.compile(r":\s*(-?\d{16,})\s*[,}]")  # one that may be larger, as the value of a key
# How datasets reads a file. A CSV is read apart: golds stay texts as they stand there, for 007, 1.50 and NA are no
# numbers and no gaps.
READERS: dict[str, str | None] = {".jsonl": "json", ".json": "json", ".csv": None, ".parquet": "parquet"}


def read_file(path: Path) -> Dataset:
    """The rows of a file, those of JSON lines with their ``LINE``; ends the program where it cannot be read."""
    if not path.is_file():
        sys.exit(f"error: --dataset_path {path}: there is no such file (in {os.getcwd()}).")
    if path.suffix not in READERS:
        kinds = ", ".join(READERS)
        sys.exit(f"error: --dataset_path {path}: its name must end with {kinds}. A folder is a --dataset_name.")
    if not path.stat().st_size:
        sys.exit(f"error: --dataset_path {path} is empty; it needs one problem a row.")
    reader = READERS[path.suffix]
    try:
        if reader is None:
            rows = Dataset.from_pandas(pandas.read_csv(path, dtype=str, keep_default_na=False), preserve_index=False)
        else:
            rows = load_dataset(reader, data_files=str(path), split="train")
    except (DatasetGenerationError, ValueError, OSError) as error:
        sys.exit(f"error: --dataset_path {path}: {damage(path, error)}")
    return with_lines(rows, path) if path.suffix == ".jsonl" else rows


def require_exact(problems: Dataset, columns: Sequence[str], path: Path) -> None:
    """Ends the program where a column of JSON lines has whole numbers that were read as floats, and so rounded."""
    floats = [column for column in columns if problems.features[column] == Value("float64")]
    if path.suffix != ".jsonl" or not any(abs(value or 0) > EXACT for name in floats for value in problems[name]):
        return
    for number, text in numbered_lines(path):
        for large in WHOLE.findall(text):
            if abs(int(large)) > EXACT:
                sys.exit(
                    f"error: --dataset_path {path}: line {number} has a number that is too large to be read exactly. "
                    f'Put it in quotes: "{large}".'
                )


def damage(path: Path, error: BaseException) -> str:
    """What is wrong with a file that cannot be read: the first damaged line, if it has lines."""
    if path.suffix == ".jsonl":
        message = damaged_line(path)
        if message is not None:
            return message
    cause = str(error.__cause__ or error).strip().splitlines()[0]
    return f"it cannot be read as {path.suffix[1:]}: {cause}"


def damaged_line(path: Path) -> str | None:
    """What is wrong with the first line that is no JSON object."""
    for number, text in numbered_lines(path):
        try:
            row = json.loads(text)
        except ValueError as error:
            return f"line {number} is no JSON ({error}). Mend or remove it: {text[:60]!r}"
        if not isinstance(row, dict):
            return f"line {number} is no JSON object in braces, one for each problem: {text[:60]!r}"
    return None


def numbered_lines(path: Path) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return [(number, text) for number, text in enumerate(lines, 1) if text.strip()]


def with_lines(rows: Dataset, path: Path) -> Dataset:
    """The rows with the number of the line that each stands in."""
    numbers = [number for number, _ in numbered_lines(path)]
    return rows if len(numbers) != len(rows) else rows.add_column(LINE, numbers)
