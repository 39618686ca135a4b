"""Held-out problems: the exam before and after with its intervals, and what it was on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_rewards.report.figures.drawing import COLOURS, Figure, as_shown, axis, line, points
from grpo_rewards.report.reading import Run

__all__ = ["ExamRow", "exam_figures", "exam_rows"]

WHEN = ("before", "after", "difference")


@dataclass(frozen=True)
class ExamRow:
    """One figure of an exam.

    Attributes:
        measure: such as ``greedy boxed_answer`` or ``pass@k 4``.
        when: ``before``, ``after`` and ``difference``, each with (mean, interval or ``None``) where there is one.
    """

    measure: str
    when: dict[str, tuple[float, tuple[float, float] | None]]


def exam_rows(run: Run) -> list[ExamRow]:
    """The figures of a run's exam, in the order of its file."""
    rows: dict[str, dict[str, tuple[float, tuple[float, float] | None]]] = {}
    for when in WHEN:
        for how, its in _mappings(run.exam.get(when)):
            for name, figure in _mappings(its):
                mean, interval = figure.get("mean"), figure.get("interval")
                if isinstance(mean, int | float):
                    pair = (float(interval[0]), float(interval[1])) if interval else None
                    rows.setdefault(f"{how} {name}", {})[when] = (float(mean), pair)
    return [ExamRow(measure, its) for measure, its in rows.items()]


def _mappings(found: Any) -> list[tuple[str, Mapping[str, Any]]]:
    return (
        [(str(name), one) for name, one in found.items() if isinstance(one, Mapping)]
        if isinstance(found, Mapping)
        else []
    )


def exam_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    data = []
    for at, run in enumerate(runs):
        rows = exam_rows(run)
        for place, when in enumerate(WHEN[:2]):
            given = [(row.measure, *row.when[when]) for row in rows if when in row.when]
            label = when if len(runs) == 1 else f"{run.name} · {when}"
            if given:
                data.append(_dots(label, given, place if len(runs) == 1 else at, is_open=len(runs) > 1 and place == 0))
    if data:
        note = "On held-out problems; the bars are 95 % intervals over problems, where the exam gives one."
        layout = {
            "xaxis": axis(""),
            "yaxis": axis("", rangemode="tozero"),
            "showlegend": True,
            "scattermode": "group",
        }
        yield Figure("exam", "overview", "Exam before and after", note, data, layout)
    yield from _on_the_way(runs)


def _dots(label: str, given: Sequence[tuple[str, float, Any]], colour: int, *, is_open: bool) -> dict[str, Any]:
    above, below = ([abs(ends[side] - mean) if ends else 0 for _, mean, ends in given] for side in (1, 0))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": as_shown(label),
        "x": [as_shown(measure) for measure, _, _ in given],
        "y": [mean for _, mean, _ in given],
        "error_y": {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.5},
        "marker": {
            "color": COLOURS[colour % len(COLOURS)],
            "size": 9,
            "symbol": "circle-open" if is_open else "circle",
        },
        "offsetgroup": as_shown(label),
    }


def _on_the_way(runs: Sequence[Run]) -> Iterator[Figure]:
    """Evaluations by step, where there are more of them than one before and one after."""
    names = sorted({name for run in runs for log in run.history for name in log if name.startswith("eval_")})
    named = [name for name in names if "/" in name or "@" in name or name == "eval_reward"]
    data = []
    for at, run in enumerate(runs):
        for place, name in enumerate(named):
            steps, values = points(run, name)
            label = name.removeprefix("eval_")
            label = label if len(runs) == 1 else f"{run.name} · {label}"
            if len(steps) > 2:
                data.append(line(label, steps, values, place if len(runs) == 1 else at, 0 if len(runs) == 1 else place))
    if data:
        layout = {"xaxis": axis("step"), "yaxis": axis(""), "showlegend": True}
        yield Figure("exams", "overview", "Exams on the way", "What evaluations gave, by step.", data, layout)
