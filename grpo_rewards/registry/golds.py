"""Writes the gold of a row into one cell of the completions table, so that the row can be scored again.

A gold that is a text stands there as it is, and everything else as a JSON object by column.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_rewards.completion.from_tables import without_arrays
from grpo_rewards.registry.errors import RewardError, shown

__all__ = ["GOLD_LIMIT", "NO_GOLDS", "gold_cell", "gold_columns"]

NO_GOLDS = frozenset(["policy_mask"])  # a column of a value per token, which is no gold
GOLD_LIMIT = 2_000  # characters of a cell; a row whose gold is as long or longer cannot be scored again


def gold_cell(columns: Mapping[str, Any]) -> str | None:
    """What a reward read in the columns of one row, as a cell; ``None`` if that is nothing, or cannot be written.

    >>> gold_cell({"answer": "4"}), gold_cell({"answer": 4}), gold_cell({"nums": [1, 3], "target": 4})
    ('4', '{"answer": 4}', '{"nums": [1, 3], "target": 4}')
    """
    (first, *more) = columns.values()
    if not more and isinstance(first, str) and not first.startswith("{"):
        return first
    if all(value is None for value in columns.values()):
        return None
    try:
        return json.dumps(without_arrays(dict(columns)), ensure_ascii=False, default=_plain)
    except (ValueError, TypeError, RecursionError):  # an int of thousands of digits, or a key that is no text
        return None


def gold_columns(cells: Sequence[str | None], column: str = "answer") -> dict[str, list[Any]]:
    """The columns that ``gold_cell`` wrote, with a value for each cell, as ``explain_all`` takes them.

    Args:
        cells: a column ``<name>/answer`` of the completions table.
        column: the column of a gold that is a text.

    Raises:
        RewardError: a cell is so long that its end was cut off.

    >>> gold_columns(["4", '{"answer": 4}'])
    {'answer': ['4', 4]}
    """
    rows = [_columns_of(cell, column) for cell in cells]
    names = dict.fromkeys(name for row in rows for name in row) or {column: None}
    return {name: [row.get(name) for row in rows] for name in names}


def _columns_of(cell: str | None, column: str) -> dict[str, Any]:
    if not isinstance(cell, str):
        return {}
    if len(cell) >= GOLD_LIMIT:
        raise RewardError(f"a gold was cut off at {GOLD_LIMIT} characters: {shown(cell)}. Leave such rows out.")
    found = json.loads(cell) if cell.startswith("{") else None
    return found if isinstance(found, dict) else {column: cell}


def _plain(value: Any) -> Any:
    """What JSON has no form for: the number of a number of numpy, the list of an array, the text of all else."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
