"""The answers of a recipe's exams: what models wrote to problems that were held out, with the verdicts on it."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from statistics import fmean
from typing import Any

from grpo_rewards.completion_tables import TEXTS, Table, Tables
from grpo_rewards.report.keeping import kept_steps

__all__ = ["exam_means", "exams_in", "read_answers"]


def exams_in(folder: Path) -> Tables:
    """The tables of the exams of a run, by the step after which each was taken."""
    files = sorted((folder / "exam").glob("step-*.parquet"))
    return Tables(files, numbers=("problem",), texts=("how", *TEXTS))


def read_answers(exams: Tables, most: int) -> Table:
    """About ``most`` answers, those to a problem one behind the other in the order of the exams.

    Where there are more, exams are left out that lie between the first and the last, and then whole problems.
    """
    sizes = exams.sizes()
    steps = sorted(sizes)
    kept = kept_steps(sizes, most)
    if len(kept) < 2:  # before and after are what one compares
        kept = {*steps[:1], *steps[-1:]}
    apart = -(-sum(sizes[step] for step in kept) // max(most, 1)) or 1
    rows: list[dict[str, Any]] = []
    for step in sorted(kept):
        table = exams.get(step, {})
        several = (dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True))
        rows += [{**row, "step": step} for row in several if row["problem"] % apart == 0]
    rows.sort(key=lambda row: row["problem"])
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def exam_means(exams: Tables, rewards: Sequence[str]) -> dict[str, Any]:
    """What the exams gave that a run has taken so far, as ``eval.json`` has it when it ends, without intervals."""
    by_step = {}
    for step in sorted(exams):
        table = exams.get(step)
        if table is not None:
            by_step[str(step)] = {how: _means(table, how, rewards) for how in dict.fromkeys(table["how"])}
    return {"before": by_step["0"], "by_step": by_step} if "0" in by_step else {"by_step": by_step}


def _means(table: Table, how: str, rewards: Sequence[str]) -> dict[str, dict[str, float]]:
    """Of each reward its mean over what was asked in one way."""
    found = {}
    for name in rewards:
        given = (one for asked, one in zip(table["how"], table.get(name, []), strict=False) if asked == how)
        known = [float(one) for one in given if isinstance(one, int | float) and isfinite(one)]
        if known:
            found[name] = {"mean": fmean(known)}
    return found
