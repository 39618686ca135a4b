"""Logs verdicts through a trainer: the share of each reason, and what was decided about each completion.

A trainer averages what is logged under a name, over calls and processes. Shares are of all completions of the call.
Each process logs every share, zeros included, so that averaging over processes is exact.

The gold of a row is written into one cell of the completions table, so that the row can be scored again: a text as it
is, and everything else as a JSON object by column.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from sys import float_info
from typing import TYPE_CHECKING, Any

from grpo_rewards.completion.text import without_arrays
from grpo_rewards.errors import RewardError, as_text, listed, shown
from grpo_rewards.registry.call import Call, world_size

if TYPE_CHECKING:
    from grpo_rewards.registry.interface import Reward
    from grpo_rewards.verdict import Verdict

GOLD_LIMIT = 2_000  # characters of a cell; a row whose gold is as long or longer cannot be scored again
CELL_LIMIT = 200  # characters of a cell in the completions table; a prediction may be a megabyte


def log_verdicts(reward: Reward, call: Call) -> None:
    """Logs what a reward and the rewards that it is made of decided in one call, each once.

    Metrics are ``name/<meter>``, by which a meter rose; ``name/<reason>`` for every reason, ``name/<detail>/<value>``
    for every value in ``shares``, and ``name/<detail>`` for every detail in ``means``.

    Columns are ``name/reason``, ``name/prediction`` and ``name/<detail>`` for every detail in ``table``, of which
    ``answer`` is the gold: what the dataset has in the columns that the reward reads, or without them what the verdict
    calls the answer. They must have one value per completion of *every* call, so ``table`` never depends on a batch;
    ``None`` is for no columns.
    """
    if reward in call.logged:
        return
    call.logged.add(reward)
    for part, its_call, _ in reward.parts_in(call):
        log_verdicts(part, its_call)
    verdicts = reward.verdicts(call)
    wanted = {*reward.shares, *reward.means} | ({*(reward.table or ())} - {"answer"})
    details = {name: [verdict.details.get(name) for verdict in verdicts] for name in wanted}
    if call.log_metric is not None and call.whole_size:
        for name, value in _metrics(reward, call, verdicts, details):
            call.log_metric(f"{reward.name}/{name}", value)
    if call.log_extra is not None and reward.table is not None:
        call.log_extra(f"{reward.name}/reason", [verdict.reason or None for verdict in verdicts])
        call.log_extra(f"{reward.name}/prediction", cells([verdict.prediction for verdict in verdicts]))
        for name in reward.table:
            is_gold = name == "answer"
            found = cells(_golds(reward, call, verdicts), GOLD_LIMIT) if is_gold else cells(details[name])
            call.log_extra(f"{reward.name}/{name}", found)


def _metrics(
    reward: Reward, call: Call, verdicts: Sequence[Verdict], details: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[str, float]]:
    """(name, value) of each metric of one call, without the reward's name."""
    yield from call.rises[reward].items()
    reasons = Counter([verdict.reason for verdict in verdicts])
    if undeclared := sorted(reasons.keys() - {*reward.reasons, ""}):
        warnings.warn(
            f"reward '{reward.name}' gives reasons that it does not declare: {listed(undeclared)}. Their shares are "
            "not logged; name them in @reward(reasons=[…]).",
            stacklevel=4,
        )
    # those of parts are logged by these
    for reason in reward.own_reasons if reward.parts else reward.reasons:
        yield reason, reasons[reason] / call.whole_size
    for name, values in reward.shares.items():
        for value in values:
            yield f"{name}/{value}", details[name].count(value) / call.whole_size
    means = {name: details[name] for name in reward.means}
    for name, numbers in {**means, **reward.more_means(call)}.items():
        for number in _to_average(numbers):
            yield name, number


def _to_average(values: Iterable[Any]) -> list[float]:
    """What is logged for the mean of the finite numbers among the values: the mean, if there is one.

    Where processes train together, the numbers one by one, so that the trainer's mean over the processes is the mean
    over all of them: how many numbers there are differs between processes.
    """
    numbers = [float(one) for one in values if isinstance(one, int | float) and abs(one) <= float_info.max]
    return numbers if world_size() > 1 or not numbers else [sum(numbers) / len(numbers)]


def _golds(reward: Reward, call: Call, verdicts: Sequence[Verdict]) -> list[str | None]:
    """The gold of each row: what was read in the columns of golds, or what the verdict calls the answer."""
    read = dict.fromkeys(one.name for one in reward.read_columns if one.is_gold)
    columns = [name for name in read if name in call.columns]
    if not columns:
        return [verdict.answer for verdict in verdicts]
    if len(columns) == 1:  # as mostly: a text is its own cell
        return [
            gold if type(gold) is str and gold[:1] != "{" else gold_cell({columns[0]: gold})
            for gold in call.columns[columns[0]]
        ]
    rows = zip(*(call.columns[name] for name in columns), strict=True)
    return [gold_cell(dict(zip(columns, row, strict=True))) for row in rows]


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


def cells(values: Sequence[Any], limit: int = CELL_LIMIT) -> list[str | None]:
    """Values as the completions table can hold them. All cells of a column are texts, whatever the details are."""
    return [
        one if one is None or (type(one) is str and len(one) <= limit and one.isascii()) else _cell(one, limit)
        for one in values
    ]


def _cell(value: Any, limit: int) -> str:
    text = as_text(value)[:limit]
    return text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be written to parquet
