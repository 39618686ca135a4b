"""Why completions earned what they did: the share of each reason over the steps, as areas on one another."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

from grpo_rewards.registry.interface import joined
from grpo_rewards.report.figures.drawing import COLOURS, Figure, Trace, Values, as_shown, by_step, figure
from grpo_rewards.report.reading import Run

MOST_REASONS = 11  # in a figure, the rest together
OTHERS = "other reasons"
# what most rewards call the best of their reasons has one colour in all figures, and so has the plainest failure
OWN_COLOURS = {"correct": "#009e73", "well_formed": "#009e73", "wrong": "#d55e00", OTHERS: "#bbbbbb"}
FURTHER = ("#56b4e9", "#e69f00", "#cc79a7", "#0072b2", "#f0e442", "#8c6bb1", "#999999", "#a6761d", "#66c2a5", "#fb9a99")


def reason_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """A figure for each reward of each run that gives reasons."""
    note = "The share of completions by the reason of their verdict."
    y, legend = {"tickformat": ".0%", "range": [0, 1]}, {"traceorder": "reversed"}
    for place, reward in enumerate(joined(*(run.rewards for run in runs))):
        shares = [_shares(run, reward) for run in runs]
        colours = _colours(shares)
        for at, its in enumerate(shares):
            title = reward if len(runs) == 1 else f"{reward}, {runs[at].name}"
            areas = _areas(its, colours)
            name = f"reasons-{place}-{at}"
            yield from figure(name, "reasons", title, note, areas, y, legend=legend, hovermode="x unified")


def _shares(run: Run, reward: str) -> dict[str, Values]:
    """For each reason its share by step, the most frequent first: from the tables, or else from the log."""
    counted = {one.step: one.reasons[reward] for one in run.steps if reward in one.reasons}
    if not counted:
        return _logged_shares(run, reward)
    every = sum(counted.values(), Counter[str]())
    named = [name for name, _ in every.most_common(len(every) if len(every) <= MOST_REASONS else MOST_REASONS - 1)]
    found = {name: {step: its[name] / its.total() for step, its in counted.items()} for name in named}
    if len(every) > len(named):
        found[OTHERS] = {step: 1 - sum(its[name] for name in named) / its.total() for step, its in counted.items()}
    return found


def _logged_shares(run: Run, reward: str) -> dict[str, Values]:
    """What ``<reward>/<reason>`` of the log shows, if these figures can be shares of one whole."""
    every = joined(*run.logs)
    names = (name for name in every if name.startswith(f"{reward}/") and name.count("/") == 1)
    found = {name.removeprefix(f"{reward}/"): by_step(run, name) for name in names}
    others = {"weight", *(name.partition("/")[0] for name in every)}  # the means of a composite's parts
    found = {name: its for name, its in found.items() if name not in others and any(its.values())}
    steps = {step for its in found.values() for step in its}
    are_shares = all(0 <= share <= 1 for its in found.values() for share in its.values())
    whole = all(sum(its.get(step, 0) for its in found.values()) <= 1.001 for step in steps)
    return found if are_shares and whole else {}


def _colours(shares: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """A colour for each reason, the same in the figures of all runs."""
    free = cycle((*FURTHER, *COLOURS))
    return {name: OWN_COLOURS.get(name) or next(free) for name in joined(*shares)}


def _areas(shares: Mapping[str, Values], colours: Mapping[str, str]) -> list[Trace]:
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": as_shown(name),
            "x": [*its],
            "y": [*its.values()],
            "stackgroup": "reasons",
            "line": {"width": 0.5, "color": colours[name]},
            "fillcolor": colours[name],
            "hovertemplate": "%{y:.1%}",
        }
        for name, its in shares.items()
    ]
