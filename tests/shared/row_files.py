"""Files of rows as others write them, and rows of JSON lines as they were written."""

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

__all__ = ["KINDS", "lines_of", "written"]

KINDS = (".jsonl", ".jsonl.gz", ".json", ".csv", ".parquet")


def written(path: Path, rows: Sequence[dict[str, Any]], end: str = "") -> Path:
    """Writes rows as the name of a file promises, and behind JSON lines what else there is to be. Gives the path."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows) + end
    if path.name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    elif path.suffix == ".csv":
        with open(path, "w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
        import pyarrow

        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text(text, encoding="utf-8")
    return path


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The rows of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
