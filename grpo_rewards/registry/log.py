"""Logs verdicts through a trainer: the share of each reason, and what was decided about each completion.

A trainer averages what is logged under a name, over calls and processes. So a share is one of *all* completions of the
trainer's call, logged in every call by every process, zero included: then the mean of the shares is the share.

The gold of a row is written into one cell of the completions table, so that the row can be scored again: a text as it
is, and everything else as a JSON object by column.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from grpo_rewards.completion.from_tables import without_arrays
from grpo_rewards.registry.call import Call, world_size
from grpo_rewards.registry.errors import RewardError, shown
from grpo_rewards.verdict import Verdict

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


def log_verdicts(
    name: str,
    verdicts: Sequence[Verdict],
    call: Call,
    *,
    rises: Mapping[str, float],
    reasons: Iterable[str],
    shares: Mapping[str, Sequence[str]],
    means: Sequence[str],
    table: Sequence[str] | None,
    columns: Sequence[str] = (),
) -> None:
    """Logs what a reward decided in one call.

    Metrics are ``name/<meter>`` for every meter in ``rises``, by which it rose; ``name/<reason>`` for every reason in
    ``reasons``, ``name/<detail>/<value>`` for every value in ``shares``, and ``name/<detail>`` for every detail in
    ``means``.

    Columns are ``name/reason``, ``name/prediction`` and ``name/<detail>`` for every detail in ``table``, of which
    ``answer`` is the gold: what the dataset has in ``columns``, or without them what the verdict calls the answer. They
    must have one value per completion of *every* call, so ``table`` is fixed for a reward and never depends on a batch;
    ``None`` is for no columns.
    """
    given_reasons = [verdict.reason for verdict in verdicts]
    details = [verdict.details for verdict in verdicts]
    found = {name: [one.get(name) for one in details] for name in {*shares, *means, *(table or ())}}
    if call.log_metric is not None and call.whole_size:
        for meter, rise in rises.items():
            call.log_metric(f"{name}/{meter}", rise)
        _log_shares(call, name, given_reasons, reasons)
        for detail, values in shares.items():
            _log_shares(call, f"{name}/{detail}", found[detail], values)
        for detail in means:
            log_mean(call, f"{name}/{detail}", found[detail])
    if call.log_extra is not None and table is not None:
        call.log_extra(f"{name}/reason", [reason or None for reason in given_reasons])
        call.log_extra(f"{name}/prediction", _cells([verdict.prediction for verdict in verdicts], CELL_LIMIT))
        for detail in table:
            if detail == "answer":
                cells = _cells(_golds(verdicts, [name for name in columns if name in call.columns], call), GOLD_LIMIT)
            else:
                cells = _cells(found[detail], CELL_LIMIT)
            call.log_extra(f"{name}/{detail}", cells)


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


def _log_shares(call: Call, name: str, found: Sequence[Any], values: Iterable[str]) -> None:
    left = len(found) - found.count(None)  # counting stops when nothing is left: most values do not occur at all
    for value in values:
        count = found.count(value) if left else 0
        left -= count
        call.log_metric(f"{name}/{value}", count / call.whole_size)  # type: ignore[misc]  # only called where it is one


def _golds(verdicts: Sequence[Verdict], columns: Sequence[str], call: Call) -> list[str | None]:
    """The gold of each row: what a reward read in these columns, or what its verdict calls the answer."""
    if not columns:
        return [verdict.answer for verdict in verdicts]
    if len(columns) == 1:
        (name,) = columns
        return [
            one if type(one) is str and "{" not in one else gold_cell({name: one})  # as gold_cell, but for most at once
            for one in call.columns[name]
        ]
    rows = zip(*(call.columns[name] for name in columns), strict=True)
    return [gold_cell(dict(zip(columns, row, strict=True))) for row in rows]


def _cells(values: Sequence[Any], limit: int) -> list[str | None]:
    """Values as the completions table can hold them. All cells of a column are texts, whatever the details are."""
    return [
        one if one is None or (type(one) is str and len(one) <= limit and one.isascii()) else _cell(one, limit)
        for one in values
    ]


def _cell(value: Any, limit: int) -> str | None:
    try:
        text = str(value)
    except ValueError:  # Python refuses to write out an int of thousands of digits
        return None
    return text[:limit].encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be written to parquet
