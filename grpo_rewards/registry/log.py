"""Logs verdicts through a trainer: the share of each reason, and what was decided about each completion.

A trainer averages what is logged under a name, over calls and processes. A share is one of all completions of the call.
Each process logs every share, zeros included, so that averaging over processes is exact.

The gold of a row is written into one cell of the completions table, so that the row can be scored again: a text as it
is, and everything else as a JSON object by column.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from grpo_rewards.completion.text import without_arrays
from grpo_rewards.registry.call import Call, world_size
from grpo_rewards.registry.errors import RewardError, as_text, shown

NO_GOLDS = frozenset(["policy_mask"])  # a column of a value per token, which is no gold
GOLD_LIMIT = 2_000  # characters of a cell; a row whose gold is as long or longer cannot be scored again
CELL_LIMIT = 200  # characters of a cell in the completions table; a prediction may be a megabyte


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


def log_mean(call: Call, name: str, values: Iterable[Any]) -> None:
    """Logs the mean of the numbers among the values. What is no finite number is left out."""
    if call.log_metric is None:
        return
    numbers = [float(one) for one in values if isinstance(one, int | float) and isfinite(one)]
    if world_size() > 1:
        # One by one, so that the trainer's mean over the processes is the mean over all of them: how many numbers there
        # are differs between processes.
        for number in numbers:
            call.log_metric(name, number)
    elif numbers:
        call.log_metric(name, sum(numbers) / len(numbers))


def log_shares(call: Call, name: str, found: Sequence[Any], values: Iterable[str]) -> None:
    """Logs for each value which share of all completions has it."""
    left = len(found) - found.count(None)  # where none is left, the other values do not occur, as most do not
    for value in values:
        count = found.count(value) if left else 0
        left -= count
        call.log_metric(f"{name}/{value}", count / call.whole_size)  # type: ignore[misc]  # only called where it is one


def cells(values: Sequence[Any], limit: int = CELL_LIMIT) -> list[str | None]:
    """Values as the completions table can hold them. All cells of a column are texts, whatever the details are."""
    return [
        one if one is None or (type(one) is str and len(one) <= limit and one.isascii()) else _cell(one, limit)
        for one in values
    ]


def _cell(value: Any, limit: int) -> str:
    return (
        as_text(value)[:limit].encode("utf-8", "replace").decode("utf-8")
    )  # lone surrogates cannot be written to parquet
