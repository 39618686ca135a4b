"""Held-out problems: the evaluation before and after with its intervals, and what it was on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from grpo_rewards.report.figures.drawing import COLOURS, Figure, as_shown, axis, line, points
from grpo_rewards.report.reading import Run

Interval: TypeAlias = "tuple[float, float]"
Point: TypeAlias = "tuple[int, float, Interval | None]"

WHEN = ("before", "after", "difference")


@dataclass(frozen=True)
class EvaluationRow:
    """One figure of an evaluation.

    Attributes:
        measure: such as ``greedy boxed_answer`` or ``pass@4``.
        when: ``before``, ``after`` and ``difference``, each with (mean, interval or ``None``) where there is one.
    """

    measure: str
    when: dict[str, tuple[float, Interval | None]]


def evaluation_rows(evaluation: Mapping[str, Any]) -> list[EvaluationRow]:
    """The figures of a run's evaluation, in the order of its file."""
    rows: dict[str, dict[str, tuple[float, Interval | None]]] = {}
    for when in WHEN:
        for how, its in _mappings(evaluation.get(when)):
            for name, figure in _mappings(its):
                mean, interval = figure.get("mean"), figure.get("interval")
                if isinstance(mean, int | float):
                    pair = (float(interval[0]), float(interval[1])) if interval else None
                    measure = how.replace("@k", f"@{name}") if how.endswith("@k") else f"{how} {name}"
                    rows.setdefault(measure, {})[when] = (float(mean), pair)
    return [EvaluationRow(measure, its) for measure, its in rows.items()]


def _mappings(found: Any) -> list[tuple[str, Mapping[str, Any]]]:
    return (
        [(str(name), one) for name, one in found.items() if isinstance(one, Mapping)]
        if isinstance(found, Mapping)
        else []
    )


def evaluation_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    data = []
    for at, run in enumerate(runs):
        rows = evaluation_rows(run.evaluation)
        for place, when in enumerate(WHEN[:2]):
            given = [(row.measure, *row.when[when]) for row in rows if when in row.when]
            label = when if len(runs) == 1 else f"{run.name} · {when}"
            if given:
                data.append(_dots(label, given, place if len(runs) == 1 else at, is_open=len(runs) > 1 and place == 0))
    if data:
        note = "On held-out problems; the bars are 95 % intervals over problems, where the evaluation gives one."
        layout = {
            "xaxis": axis(""),
            "yaxis": axis("", rangemode="tozero"),
            "showlegend": True,
            "scattermode": "group",
        }
        yield Figure("evaluation", "overview", "Evaluation before and after", note, data, layout)
    yield from _on_the_way(runs)


def _dots(label: str, given: Sequence[tuple[str, float, Any]], colour: int, *, is_open: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": as_shown(label),
        "x": [as_shown(measure) for measure, _, _ in given],
        "y": [mean for _, mean, _ in given],
        "error_y": _bars([mean for _, mean, _ in given], [ends for _, _, ends in given]),
        "marker": {
            "color": COLOURS[colour % len(COLOURS)],
            "size": 9,
            "symbol": "circle-open" if is_open else "circle",
        },
        "offsetgroup": as_shown(label),
    }


def _on_the_way(runs: Sequence[Run]) -> Iterator[Figure]:
    """Evaluations by step, where there are more than one before and one after, or those of a run that goes on."""
    data = []
    for at, run in enumerate(runs):
        for place, (name, its) in enumerate((_by_step(run) or _logged(run)).items()):
            label = name if len(runs) == 1 else f"{run.name} · {name}"
            colour, dash = (place, 0) if len(runs) == 1 else (at, place)
            if len(its) > (2 if "after" in run.evaluation else 1):
                steps, means, ends = zip(*its, strict=True)
                data.append(line(label, steps, means, colour, dash, error_y=_bars(means, ends)))
    if data:
        layout = {"xaxis": axis("step"), "yaxis": axis(""), "showlegend": True}
        yield Figure("evaluations", "overview", "Evaluations on the way", "Their means, by step.", data, layout)


def _by_step(run: Run) -> dict[str, list[Point]]:
    """For each figure of the evaluations its step, mean and interval, from the file of a run that has ended."""
    found: dict[str, list[Point]] = {}
    for step, its in sorted(
        (int(step), its) for step, its in _mappings(run.evaluation.get("by_step")) if step.isdecimal()
    ):
        for row in evaluation_rows({"after": its}):
            found.setdefault(row.measure, []).append((step, *row.when["after"]))
    return found


def _logged(run: Run) -> dict[str, list[Point]]:
    """For each figure of the evaluations in the log its step and mean."""
    names = dict.fromkeys(name for log in run.history for name in log if name.startswith("eval_"))
    named = [name for name in names if "/" in name or "@" in name or name == "eval_reward"]
    pairs = {name.removeprefix("eval_"): points(run, name) for name in named}
    return {name: [(step, mean, None) for step, mean in zip(*both, strict=True)] for name, both in pairs.items()}


def _bars(means: Sequence[float], ends: Sequence[Interval | None]) -> dict[str, Any]:
    """Intervals as plotly takes them: how far they reach above and below."""
    above, below = (
        [abs(its[side] - mean) if its else 0 for mean, its in zip(means, ends, strict=True)] for side in (1, 0)
    )
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.5}
