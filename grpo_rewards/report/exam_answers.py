"""The answers of a recipe's exams: what models wrote to problems that were held out, with the verdicts on it."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from statistics import fmean
from typing import Any

from grpo_rewards.monitor.files import is_whole, read_table
from grpo_rewards.monitor.groups import Table
from grpo_rewards.report.keeping import kept_steps

__all__ = ["exam_means", "exam_sizes", "read_answers"]

NEEDED_COLUMNS = ("how", "problem", "prompt", "completion")  # columns without which a table is no exam's


def exam_sizes(folder: Path) -> dict[int, int]:
    """The number of answers in each exam of a run, by its step, without reading them."""
    from pyarrow.parquet import read_metadata

    return {step: read_metadata(path).num_rows for step, path in _files(folder).items()}


def read_answers(folder: Path, most: int) -> Table:
    """About ``most`` answers, those to a problem one behind the other in the order of the exams.

    Where there are more, exams are left out that lie between the first and the last, and then whole problems.
    """
    sizes, files = exam_sizes(folder), _files(folder)
    steps = sorted(sizes)
    kept = kept_steps(sizes, most)
    if len(kept) < 2:  # before and after are what one compares
        kept = {*steps[:1], *steps[-1:]}
    apart = -(-sum(sizes[step] for step in kept) // max(most, 1)) or 1
    rows: list[dict[str, Any]] = []
    for step in sorted(kept):
        table = read_table(files[step])
        if all(name in table for name in NEEDED_COLUMNS):
            several = (dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True))
            rows += [{**row, "step": step} for row in several if row["problem"] % apart == 0]
    rows.sort(key=lambda row: row["problem"])
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def exam_means(folder: Path, rewards: Sequence[str]) -> dict[str, Any]:
    """What the exams gave that a run has taken so far, as ``eval.json`` has it when it ends, without intervals."""
    by_step = {}
    for step, path in _files(folder).items():
        table = read_table(path)
        if "how" in table:
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


def _files(folder: Path) -> dict[int, Path]:
    """The tables of exams that are whole, by step."""
    found = {path.stem.rpartition("-")[2]: path for path in sorted((folder / "exam").glob("step-*.parquet"))}
    return {int(step): path for step, path in found.items() if step.isdecimal() and is_whole(path)}
