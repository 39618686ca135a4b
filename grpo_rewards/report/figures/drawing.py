"""What all figures share: what one is, its colours, lines by step, and names that plotly shows as they are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean
from typing import Any, NamedTuple, TypeVar

from grpo_rewards.checks.run.contents import number
from grpo_rewards.errors import harmless
from grpo_rewards.report.reading import Run

# Okabe and Ito's, for people who see colours differently, without black and yellow: a page may be either
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#7f7f7f")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
FEW_POINTS = 30  # a curve of no more has a marker for each

Trace = dict[str, Any]  # what plotly draws
Values = dict[int, float]  # of a figure of the log, by step
Drawn = TypeVar("Drawn")


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
    """

    name: str
    section: str
    title: str
    note: str
    data: list[Trace]
    layout: dict[str, Any]


def figure(
    name: str,
    section: str,
    title: str,
    note: str,
    data: list[Trace],
    y: Mapping[str, Any],
    x: str = "step",
    **more: Any,
) -> Iterator[Figure]:
    """The figure of these traces, by what ``axis`` takes of the y axis and the title of the x axis; none of nothing."""
    if data:
        layout = {"xaxis": axis(x), "yaxis": axis(**y), "showlegend": True, **more}
        yield Figure(name, section, title, note, data, layout)


class Look(NamedTuple):
    """The label of a line in the legend, and which of the colours and of the dashes it has."""

    label: str
    colour: int
    dash: int = 0


def looks(runs: Sequence[Run], drawn: Callable[[Run], Mapping[str, Drawn]]) -> Iterator[tuple[Drawn, Look]]:
    """Whatever of a run is drawn and is not empty, with the look of its line.

    Runs have a colour each, or the lines have where there is one run. What has no name is called as its run.
    """
    for at, run in enumerate(runs):
        for place, (name, one) in enumerate(drawn(run).items()):
            label = f"{run.name} · {name}" if name and len(runs) > 1 else name or run.name
            if one:
                yield one, Look(label, place) if len(runs) == 1 else Look(label, at, place)


def as_shown(text: object, most: int = 80) -> str:
    """A text for plotly, which reads some tags: they are shown, and so is what has no letter."""
    visible = harmless(str(text))
    return escape(visible if len(visible) <= most else f"{visible[:most]}…", quote=False)


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    return {"title": {"text": title}, "automargin": True, **more}


def by_step(run: Run, name: str) -> Values:
    """A figure of the log by step."""
    logged = [(int(log["step"]), number(log.get(name))) for log in run.history if "step" in log]
    return {step: value for step, value in logged if value is not None}


def line(look: Look, values: Mapping[Any, float], **more: Any) -> Trace:
    """A line through values, by where they are on the x axis."""
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(values) <= FEW_POINTS else "lines",
        "name": as_shown(look.label),
        "x": [*values],
        "y": [*values.values()],
        "line": {"color": COLOURS[look.colour % len(COLOURS)], "dash": DASHES[look.dash % len(DASHES)], "width": 2},
        **more,
    }


def curve(look: Look, values: Mapping[Any, float]) -> list[Trace]:
    """A line; of many points a running mean over a fifteenth of them in front, and the line itself is drawn faintly."""
    whole = line(look, values)
    if len(values) <= FEW_POINTS:
        return [whole]
    ys, width = whole["y"], len(values) // 15
    smooth = [float(f"{fmean(ys[max(0, at - width) : at + 1]):.5g}") for at in range(len(ys))]
    whole["legendgroup"] = look.label
    return [{**whole, "opacity": 0.35, "showlegend": False}, {**whole, "y": smooth, "hoverinfo": "skip"}]


def band(middle: Values, spread: Values, colour: int) -> list[Trace]:
    """One standard deviation on both sides, as an area without a legend."""
    steps = [step for step in middle if step in spread]
    side = {"type": "scatter", "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    above, below = ([middle[at] + sign * spread[at] for at in steps] for sign in (1, -1))
    fill = {"fill": "tonexty", "fillcolor": f"{COLOURS[colour % len(COLOURS)]}29"}  # an opacity of 0.16
    return [{**side, "x": steps, "y": above}, {**side, "x": steps, "y": below, **fill}]
