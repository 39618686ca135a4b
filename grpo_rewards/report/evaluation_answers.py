"""The answers of a recipe's evaluations, with the verdicts on them, and of which steps a report has completions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from grpo_rewards.checks.run.contents import numbers
from grpo_rewards.completion_tables import TEXTS, Table, Tables, rows_of, table_of

# where a recipe writes them, and where earlier versions did; of two for one step the first counts
EVALUATION_FILES = ("evaluation/step-*.parquet", "exam/step-*.parquet")


def evaluations_in(folder: Path) -> Tables:
    """The tables of the evaluations of a run, by the step after which each was taken."""
    files = {path.name: path for pattern in reversed(EVALUATION_FILES) for path in folder.glob(pattern)}
    return Tables([files[name] for name in sorted(files)], ("how", "problem", *TEXTS))


def read_answers(evaluations: Tables, most: int) -> Table:
    """About ``most`` answers, in the order of the evaluations.

    Where there are more, evaluations are left out that lie between the first and the last, and then whole problems.
    """
    sizes = evaluations.sizes()
    steps = sorted(sizes)
    kept = kept_steps(sizes, most)
    if len(kept) < 2:  # before and after are what one compares
        kept = {*steps[:1], *steps[-1:]}
    apart = -(-sum(sizes[step] for step in kept) // max(most, 1)) or 1
    rows: list[dict[str, Any]] = []
    for step in sorted(kept):
        found = rows_of(evaluations.get(step, {}))
        rows += [{**row, "step": step} for row in found if row["problem"] % apart == 0]
    return table_of(rows)


def evaluation_means(evaluations: Tables, rewards: Sequence[str]) -> dict[str, Any]:
    """The means of a run's evaluations so far, as ``eval.json`` has it when it ends, without intervals."""
    by_step = {
        str(step): {how: _means(table, how, rewards) for how in dict.fromkeys(table["how"])}
        for step, table in evaluations.whole()
    }
    return {"before": by_step["0"], "by_step": by_step} if "0" in by_step else {"by_step": by_step}


def _means(table: Table, how: str, rewards: Sequence[str]) -> dict[str, dict[str, float]]:
    """Of each reward its mean over what was generated in one way."""
    rows = [row for row, kind in enumerate(table["how"]) if kind == how]
    given = {name: numbers(table[name][row] for row in rows) for name in rewards if name in table}
    return {name: {"mean": fmean(its)} for name, its in given.items() if its}


def kept_steps(sizes: Mapping[int, int], most: int) -> set[int]:
    """The steps, evenly spread with the first and the last among them, whose completions are not more than ``most``.

    >>> sorted(kept_steps({1: 10, 2: 10, 3: 10, 4: 10, 5: 10}, 30))
    [1, 3, 5]
    >>> sorted(kept_steps({1: 10, 2: 10}, 30))
    [1, 2]
    """
    steps = sorted(sizes)
    enough = -(-most * len(steps) // max(sum(sizes.values()), 1)) + 1  # were all steps as large
    for wanted in range(min(len(steps), enough), 0, -1):
        apart = (len(steps) - 1) / max(wanted - 1, 1)
        chosen = {steps[round(at * apart)] for at in range(wanted)}
        if sum(sizes[step] for step in chosen) <= most:
            return chosen
    return set(steps[:1])
