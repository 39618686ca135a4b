"""Zero-variance groups, which teach nothing: decided here for the monitor, for audits and for reports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from grpo_rewards.completion_tables import Table
from grpo_rewards.monitor.weighing import number, total

__all__ = ["by_prompt", "zero_variance_groups", "zero_variance_share"]

SAME_TOTAL = 1e-6  # of a total, or of 1: a spread that float32 makes of sums that are equal
ROUNDED_ADVANTAGE = 0.02  # what TRL makes of such a spread by dividing it by itself and 1e-4, at most


def by_prompt(table: Table) -> list[list[int]]:
    """The rows of each prompt of a table."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for row, prompt in enumerate(table["prompt"]):
        groups[str(prompt)].append(row)
    return [*groups.values()]


def zero_variance_groups(
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
    >>> zero_variance_groups(rows, ["right"])
    ([[0, 1]], 2)
    """
    groups = [rows for rows in by_prompt(table) if len(rows) > 1]
    there = [name for name in rewards if name in table]
    known = weights if weights is not None and set(rewards) <= {*weights} & {*there} else None
    return [rows for rows in groups if _teaches_nothing(table, rows, there, known)], len(groups)


def zero_variance_share(
    table: Table, rewards: Sequence[str], weights: Mapping[str, float] | None = None
) -> float | None:
    """The share of the zero-variance groups of a table; ``None`` where no prompt has two completions."""
    flat, groups = zero_variance_groups(table, rewards, weights)
    return len(flat) / groups if groups else None


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
