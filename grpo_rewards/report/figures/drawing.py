"""What all figures share: what one is, its colours, lines by step, and names that plotly shows as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import inf, isfinite
from typing import Any

from grpo_rewards.registry.errors import harmless
from grpo_rewards.report.reading import Run

# Okabe and Ito's, for people who see colours differently, without black and yellow: a page may be either
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#7f7f7f")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
FEW_POINTS = 30  # a curve of no more has a marker for each


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        name: in the page, of letters, digits and hyphens.
        section: of the page.
        title: above it.
        note: what it shows, in a sentence.
        data: plotly's traces.
        layout: plotly's, without colours.
        wide: whether it takes the whole width.
    """

    name: str
    section: str
    title: str
    note: str
    data: list[dict[str, Any]]
    layout: dict[str, Any] = field(default_factory=dict)
    wide: bool = False


def as_shown(text: object, most: int = 80) -> str:
    """A text for plotly, which reads some tags: they are shown, and so is what has no letter."""
    visible = harmless(str(text))
    return escape(visible if len(visible) <= most else f"{visible[:most]}…", quote=False)


def axis(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title}, "automargin": True, **more}


def points(run: Run, name: str) -> tuple[list[int], list[float]]:
    """The steps that have a figure of the log, and its values."""
    found: dict[int, float] = {}
    for log in run.history:
        value = log.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and "step" in log:
            found[int(log["step"])] = float(value)
    return [*found], [*found.values()]


def line(
    name: str, xs: Sequence[float], ys: Sequence[float], colour: int, dash: int = 0, **more: Any
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(xs) <= FEW_POINTS else "lines",
        "name": as_shown(name),
        "x": list(xs),
        "y": list(ys),
        "line": {"color": COLOURS[colour % len(COLOURS)], "dash": DASHES[dash % len(DASHES)], "width": 2},
        **more,
    }


def curve(name: str, xs: Sequence[float], ys: Sequence[float], colour: int, dash: int = 0) -> list[dict[str, Any]]:
    """A line; of many points a smooth one in front of the line itself, which is drawn faintly."""
    whole = line(name, xs, ys, colour, dash)
    if len(xs) <= FEW_POINTS:
        return [whole]
    behind = {**whole, "opacity": 0.35, "showlegend": False, "legendgroup": name}
    return [behind, {**whole, "y": _smoothed(ys), "hoverinfo": "skip", "legendgroup": name}]


def _smoothed(values: Sequence[float]) -> list[float]:
    """The exponential mean over about a fifteenth of the values, without the pull of a made-up start."""
    kept = 1 - 2 / (len(values) / 15 + 1)
    found, sum_, weight = [], 0.0, 0.0
    for value in values:
        sum_, weight = kept * sum_ + value, kept * weight + 1
        found.append(float(f"{sum_ / weight:.5g}"))
    return found


def band(
    middle: Mapping[int, float],
    spread: Mapping[int, float],
    colour: int,
    within: tuple[float, float] = (-inf, inf),
) -> list[dict[str, Any]]:
    """One standard deviation on both sides, but not beyond what was ever earned, as an area without a legend."""
    least, most = within
    steps = [step for step in middle if step in spread]
    sides: Iterable[tuple[int, str | None]] = ((1, None), (-1, "tonexty"))
    shared = {"type": "scatter", "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    fill = {"fillcolor": f"rgba({', '.join(map(str, _rgb(colour)))}, 0.16)"}
    return [
        {
            **shared,
            "x": steps,
            "y": [min(max(middle[at] + sign * spread[at], least), most) for at in steps],
            **({"fill": to, **fill} if to else {}),
        }
        for sign, to in sides
    ]


def _rgb(colour: int) -> tuple[int, int, int]:
    code = COLOURS[colour % len(COLOURS)]
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)
