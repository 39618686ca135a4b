"""Prompts and lengths: heat maps of what groups earned and how far they differ, and length against reward."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from statistics import fmean

from grpo_rewards.report.figures.drawing import Figure, Trace, as_shown, figure, line, looks
from grpo_rewards.report.reading import Run, Step

MOST_MAPPED_STEPS, MOST_MAPPED_GROUPS = 400, 128  # cells of a heat map, which each show their prompt
PROMPT_SHOWN = 60
BINS = 12  # of length, with as many completions each


def group_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    for at, run in enumerate(runs):
        yield from _heat_maps(run, at, "" if len(runs) == 1 else f", {run.name}")
    data = [line(look, means) for means, look in looks(runs, _by_length)]
    yield from figure(
        "length-reward",
        "groups",
        "Length against reward",
        "The mean of what completions of a length earned, in characters; each mark is about as many completions. "
        "Where it rises, longer completions earn more.",
        data,
        {"title": "reward"},
        "characters",
        showlegend=len(data) > 1,
    )


HEAT_MAPS = (  # the figure of a group, the title, what it shows, plotly's colours
    (
        "mean",
        "What groups earned",
        "A cell is a group; each column is a step, its groups by their mean, the lowest first.",
        "Viridis",
    ),
    (
        "spread",
        "How far the completions of a group differ",
        "The standard deviation within each group, in the same places; 0 teaches nothing.",
        "Cividis",
    ),
)


def _heat_maps(run: Run, at: int, whose: str) -> Iterator[Figure]:
    if not any(group.size > 1 for step in run.steps for group in step.groups):
        return
    steps = run.steps[:: -(-len(run.steps) // MOST_MAPPED_STEPS)]
    ranked = [sorted(step.groups, key=lambda group: group.mean)[:MOST_MAPPED_GROUPS] for step in steps]
    cells = [*zip_longest(*ranked)]  # a column for each step
    y = {"title": "groups of the step, by their mean", "showticklabels": False}
    for name, title, note, scale in HEAT_MAPS:
        data: Trace = {
            "type": "heatmap",
            "x": [step.step for step in steps],
            "z": [[group and round(getattr(group, name), 5) for group in row] for row in cells],
            "hovertemplate": f"step %{{x}}, {name} %{{z:.3f}}{'<br>%{text}' if name == 'mean' else ''}<extra></extra>",
            "colorscale": scale,
            "hoverongaps": False,
            "colorbar": {"title": {"text": name}, "thickness": 12},
        }
        if name == "mean":  # prompts are most of such a figure, and are in the file once
            data["text"] = [[group and as_shown(group.prompt[-PROMPT_SHOWN:]) for group in row] for row in cells]
        yield from figure(f"groups-{name}-{at}", "groups", f"{title}{whose}", note, [data], y)


def _by_length(run: Run) -> dict[str, dict[float, float]]:
    """What completions of a length earned, in the first and in the last third of the run."""
    third = len(run.steps) // 3
    if not third:
        return {"all steps": _binned(run.steps)}
    return {"first third": _binned(run.steps[:third]), "last third": _binned(run.steps[-third:])}


def _binned(steps: Sequence[Step]) -> dict[float, float]:
    """For bins of about as many completions, by the mean of their lengths the mean of what they earned."""
    pairs = sorted(pair for step in steps for pair in step.lengths)
    bins = min(BINS, len({length for length, _ in pairs}))
    lengths = [length for length, _ in pairs]
    starts = {bisect_left(lengths, lengths[len(pairs) * at // bins]) for at in range(bins)}  # equal lengths together
    parts = [pairs[start:end] for start, end in pairwise([*sorted(starts), len(pairs)])]
    return {fmean(length for length, _ in part): fmean(earned for _, earned in part) for part in parts}
