"""Reads files of labelled rows, with Python alone, for graders run where little else is installed."""

import gzip
import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def rows_in(data: Path, name: str) -> list[Row]:
    """The rows of ``<data>/<name>.jsonl``, or of the same packed (``.jsonl.gz``); none where there is neither."""
    plain, packed = data / f"{name}.jsonl", data / f"{name}.jsonl.gz"
    if not (plain.is_file() or packed.is_file()):
        return []
    with plain.open(encoding="utf-8") if plain.is_file() else gzip.open(packed, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
