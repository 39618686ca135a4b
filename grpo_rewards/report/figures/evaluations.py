"""Held-out problems: the evaluation before and after with its intervals, and what it was on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from grpo_rewards.registry.interface import joined
from grpo_rewards.report.figures.drawing import Figure, as_shown, figure, line, look, points
from grpo_rewards.report.reading import Run

Interval: TypeAlias = "tuple[float, float]"
Point: TypeAlias = "tuple[int, float, Interval | None]"

WHEN = ("before", "after", "difference")
Row: TypeAlias = "dict[str, tuple[float, Interval | None]]"  # by ``before``, ``after`` and ``difference``


def evaluation_rows(evaluation: Mapping[str, Any]) -> dict[str, Row]:
    """By its measure, such as ``greedy boxed_answer``, each figure of a run's evaluation with its mean and interval."""
    rows: dict[str, Row] = {}
    for when in WHEN:
        for how, its in _mappings(evaluation.get(when)):
            for name, one in _mappings(its):
                mean, interval = one.get("mean"), one.get("interval")
                if isinstance(mean, int | float):
                    pair = (float(interval[0]), float(interval[1])) if interval else None
                    measure = how.replace("@k", f"@{name}") if how.endswith("@k") else f"{how} {name}"
                    rows.setdefault(measure, {})[when] = (float(mean), pair)
    return rows


def _mappings(found: Any) -> list[tuple[str, Mapping[str, Any]]]:
    several = found.items() if isinstance(found, Mapping) else ()
    return [(str(name), one) for name, one in several if isinstance(one, Mapping)]


def evaluation_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    data = []
    for at, run in enumerate(runs):
        rows = evaluation_rows(run.evaluation)
        for place, when in enumerate(WHEN[:2]):
            label, colour, _ = look(runs, at, place, when)
            given = [(measure, *its[when]) for measure, its in rows.items() if when in its]
            if given:
                data.append(_dots(label, given, colour, is_open=len(runs) > 1 and place == 0))
    title = "Evaluation before and after"
    note = "On held-out problems; the bars are 95 % intervals over problems, where the evaluation gives one."
    y = {"rangemode": "tozero"}
    yield from figure("evaluation", "overview", title, note, data, "", y, scattermode="group")
    yield from _on_the_way(runs)


def _dots(label: str, given: Sequence[tuple[str, float, Any]], colour: int, *, is_open: bool) -> dict[str, Any]:
    measures, means, ends = zip(*given, strict=True)
    marker = {"size": 9, "symbol": "circle-open" if is_open else "circle"}
    drawn = line(label, means, means, colour, mode="markers", marker=marker, error_y=_bars(means, ends))
    return {**drawn, "x": [*map(as_shown, measures)], "offsetgroup": as_shown(label)}


def _on_the_way(runs: Sequence[Run]) -> Iterator[Figure]:
    """Evaluations by step, where there are more than one before and one after, or those of a run that goes on."""
    data = []
    for at, run in enumerate(runs):
        for place, (name, its) in enumerate((_by_step(run) or _logged(run)).items()):
            label, colour, dash = look(runs, at, place, name)
            if len(its) > (2 if "after" in run.evaluation else 1):
                steps, means, ends = zip(*its, strict=True)
                data.append(line(label, steps, means, colour, dash, error_y=_bars(means, ends)))
    yield from figure("evaluations", "overview", "Evaluations on the way", "Their means, by step.", data, "step", {})


def _by_step(run: Run) -> dict[str, list[Point]]:
    """For each figure of the evaluations its step, mean and interval, from the file of a run that has ended."""
    found: dict[str, list[Point]] = {}
    by_step = {int(step): its for step, its in _mappings(run.evaluation.get("by_step")) if step.isdecimal()}
    for step in sorted(by_step):
        for measure, row in evaluation_rows({"after": by_step[step]}).items():
            found.setdefault(measure, []).append((step, *row["after"]))
    return found


def _logged(run: Run) -> dict[str, list[Point]]:
    """For each figure of the evaluations in the log its step and mean."""
    names = joined(*run.history)
    named = [one for one in names if one.startswith("eval_") and ("/" in one or "@" in one or one == "eval_reward")]
    pairs = {name.removeprefix("eval_"): points(run, name) for name in named}
    return {name: [(step, mean, None) for step, mean in zip(*both, strict=True)] for name, both in pairs.items()}


def _bars(means: Sequence[float], ends: Sequence[Interval | None]) -> dict[str, Any]:
    """Intervals as plotly takes them: how far they reach above and below."""
    below, above = (
        [abs(its[side] - mean) if its else 0 for mean, its in zip(means, ends, strict=True)] for side in (0, 1)
    )
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.5}
