"""Which groups teach nothing: decided here for the monitor, for audits and for reports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite
from typing import Any, TypeAlias

__all__ = ["Table", "adds_up", "by_prompt", "found_weights", "total", "without_signal"]

Table: TypeAlias = "Mapping[str, Sequence[Any]]"

SAME_TOTAL = 1e-6  # of a total, or of 1: a spread that float32 makes of sums that are equal
ADDS_UP = 1e-4  # between a total that the log has and the sum of its parts, in float32
ROUNDED_ADVANTAGE = 0.02  # what TRL makes of such a spread by dividing it by itself and 1e-4, at most


def by_prompt(table: Table) -> list[list[int]]:
    """The rows of each prompt of a table."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for row, prompt in enumerate(table["prompt"]):
        groups[str(prompt)].append(row)
    return [*groups.values()]


def without_signal(
    table: Table, rewards: Sequence[str], weights: Mapping[str, float] | None = None
) -> tuple[list[list[int]], int]:
    """(the groups of a table from which nothing is learnt, how many groups of several completions it has).

    From a group nothing is learnt if no reward differs in it, or if all its advantages are 0. What no reward could
    score counts for nothing. Where only the totals are equal, the trainer may see a spread of float32, take it for a
    signal, and divide it by itself: such a group is found if the weights are known.

    Args:
        table: columns by name: ``prompt``, one for each reward, and ``advantage`` if there is one.
        rewards: the names of the rewards.
        weights: of each reward, if they are known.

    >>> rows = {"prompt": ["a", "a", "b", "b"], "right": [1.0, 1.0, 0.0, 1.0], "advantage": [1e-3, 1e-3, -0.7, 0.7]}
    >>> without_signal(rows, ["right"])
    ([[0, 1]], 2)
    """
    groups = [rows for rows in by_prompt(table) if len(rows) > 1]
    there = [name for name in rewards if name in table]
    known = weights if weights is not None and set(rewards) <= {*weights} & {*there} else None
    return [rows for rows in groups if _teaches_nothing(table, rows, there, known)], len(groups)


def _teaches_nothing(
    table: Table, rows: Sequence[int], rewards: Sequence[str], weights: Mapping[str, float] | None
) -> bool:
    values = [[number(table[name][row]) for name in rewards] for row in rows]
    scored = [row for row, its in zip(rows, values, strict=True) if any(one is not None for one in its)]
    if rewards and len({tuple(its) for its in values if any(one is not None for one in its)}) <= 1:
        return True
    advantages = [number(table["advantage"][row]) for row in rows] if "advantage" in table else []
    if advantages and not any(one is None or one for one in advantages):
        return True
    if weights is None or any(one is None or abs(one) > ROUNDED_ADVANTAGE for one in advantages):
        return False
    totals = [total(table, row, rewards, weights) for row in scored]
    return max(totals) - min(totals) <= SAME_TOTAL * max(1.0, *map(abs, totals))


def total(table: Table, row: int, rewards: Sequence[str], weights: Mapping[str, float]) -> float:
    """What a completion earned in all: its rewards times their weights, which are 1 where they are not said."""
    values = ((name, number(table[name][row])) for name in rewards if name in table)
    return fsum(weights.get(name, 1.0) * value for name, value in values if value is not None)


def found_weights(given: Any, rewards: Sequence[str], logs: Iterable[Mapping[str, Any]]) -> dict[str, float] | None:
    """The weight of each reward: as given, one for each; else 1, if the log adds up with that; ``None`` if it is not
    known.
    """
    if isinstance(given, list | tuple) and len(given) == len(rewards):
        return dict(zip(rewards, map(float, given), strict=True))
    if not rewards or given is not None or not all(adds_up(log, rewards) for log in logs):
        return None
    return dict.fromkeys(rewards, 1.0)


def adds_up(log: Mapping[str, Any], rewards: Sequence[str]) -> bool:
    """Whether the total of a log is the sum of its parts, as far as it has all of them."""
    whole, *parts = (number(log.get(name)) for name in ("reward", *(f"rewards/{one}/mean" for one in rewards)))
    known = [one for one in parts if one is not None]
    return whole is None or len(known) < len(parts) or abs(sum(known) - whole) <= ADDS_UP * max(1.0, abs(whole))


def number(cell: Any) -> float | None:
    """What a cell of a reward holds; ``None`` for what could not be scored, which a file has as NaN."""
    return float(cell) if isinstance(cell, int | float) and isfinite(cell) else None
