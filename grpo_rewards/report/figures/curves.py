"""The log: rewards, their parts and weights, lengths, entropy, clipped ratios, KL, and all else that was logged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from grpo_rewards.report.figures.drawing import Figure, axis, band, curve, line, points
from grpo_rewards.report.reading import Run

SHARE = {"tickformat": ".3~%", "rangemode": "tozero"}
PANELS: tuple[tuple[str, str, str, tuple[str, ...], dict[str, Any]], ...] = (
    (
        "length",
        "Length of completions",
        "In tokens: the mean, and the mean of those that ended by themselves.",
        ("completions/mean_length", "completions/mean_terminated_length", "completions/max_length"),
        {"rangemode": "tozero"},
    ),
    (
        "cut-off",
        "Completions that were cut off",
        "The share that reached the limit of tokens without an end.",
        ("completions/clipped_ratio",),
        SHARE,
    ),
    (
        "entropy",
        "Entropy",
        "Mean entropy of the policy's tokens, in nats; near 0 it no longer tries anything.",
        ("entropy",),
        {"rangemode": "tozero"},
    ),
    (
        "clipped",
        "Clipped ratios",
        "The share of tokens whose ratio was outside the trust region, below and above.",
        ("clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean", "cispo_clip_ratio"),
        SHARE,
    ),
    ("kl", "KL to the reference", "The mean over tokens; logged where beta is not 0.", ("kl",), {}),
    ("loss", "Loss", "Its value shows little: a GRPO loss is near 0 whatever is learnt.", ("loss",), {}),
    ("gradient", "Norm of the gradient", "Before clipping.", ("grad_norm",), {"rangemode": "tozero"}),
    ("learning-rate", "Learning rate", "", ("learning_rate",), {"rangemode": "tozero", "exponentformat": "e"}),
)
LOGGED_ZERO_VARIANCE = "frac_reward_zero_std"
IN_OTHER_FIGURES = ("step", "epoch", "reward", "reward_std")


def log_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """The figures of the log: the first two for the overview, the others for the training, the rest behind them."""
    yield from _reward(runs)
    drawn = {LOGGED_ZERO_VARIANCE, *(name for panel in PANELS for name in panel[3])}
    yield from _zero_variance(runs)
    yield from _parts(runs)
    yield from _weights(runs)
    for panel in PANELS:
        yield from _panel(runs, *panel, section="training")
    for at, name in enumerate(sorted({name for run in runs for log in run.logs for name in log} - drawn)):
        if name not in IN_OTHER_FIGURES and not name.startswith(("rewards/", "eval_")) and not name.endswith("/weight"):
            yield from _panel(runs, f"logged-{at}", name, "", (name,), {}, section="everything else logged")


def _panel(
    runs: Sequence[Run], slug: str, title: str, note: str, names: Sequence[str], y: Mapping[str, Any], section: str
) -> Iterator[Figure]:
    data = _lines(runs, names, lambda name: name.removeprefix("completions/").removeprefix("clip_ratio/"))
    if data:
        layout = {"xaxis": axis("step"), "yaxis": axis("", **y), "showlegend": len({one["name"] for one in data}) > 1}
        yield Figure(slug, section, title, note, data, layout)


def _lines(runs: Sequence[Run], names: Sequence[str], called: Callable[[str], str]) -> list[dict[str, Any]]:
    """A line for each figure of each run: runs have a colour each, or the figures have where there is one run."""
    found = []
    for at, run in enumerate(runs):
        for place, name in enumerate(names):
            steps, values = points(run, name)
            if steps:
                label = " · ".join([run.name] * (len(runs) > 1) + [called(name)] * (len(runs) == 1 or len(names) > 1))
                colour, dash = (place, 0) if len(runs) == 1 else (at, place)
                found += curve(label, steps, values, colour, dash)
    return found


def _reward(runs: Sequence[Run]) -> Iterator[Figure]:
    data: list[dict[str, Any]] = []
    for at, run in enumerate(runs):
        middle, spread = (dict(zip(*points(run, name), strict=True)) for name in ("reward", "reward_std"))
        if middle:
            data += band(middle, spread, at, run.extremes.get("reward", (-inf, inf)))
            data += curve(run.name, [*middle], [*middle.values()], at)
    if data:
        note = "The mean over a step's completions, all rewards with their weights; the area is one standard deviation."
        layout = {"xaxis": axis("step"), "yaxis": axis("reward"), "showlegend": len(runs) > 1}
        yield Figure("reward", "overview", "Reward", note, data, layout)


def _zero_variance(runs: Sequence[Run]) -> Iterator[Figure]:
    """Counted in the tables; TRL's figure, which misses groups whose equal totals float32 spreads, is called TRL's."""
    data = []
    for at, run in enumerate(runs):
        counted = {step.step: step.zero_variance for step in run.steps if step.zero_variance is not None}
        logged = dict(zip(*points(run, LOGGED_ZERO_VARIANCE), strict=True))
        differs = any(abs(logged.get(step, share) - share) > 0.01 for step, share in counted.items())
        whose = f"{run.name} · " if len(runs) > 1 else ""
        if counted:
            data.append(line(run.name if whose else "counted", [*counted], [*counted.values()], at))
        if logged and (not counted or (differs and not whose)):
            label = f"{whose}TRL's {LOGGED_ZERO_VARIANCE}"
            data.append(line(label, [*logged], [*logged.values()], at + bool(counted), 1))
    if data:
        note = "The share of groups whose completions all earned the same: they teach nothing."
        is_named = len(data) > 1 or LOGGED_ZERO_VARIANCE in data[0]["name"]
        layout = {"xaxis": axis("step"), "yaxis": axis("", **SHARE, range=[0, 1]), "showlegend": is_named}
        yield Figure("zero-variance", "overview", "Zero-variance groups", note, data, layout)


def _parts(runs: Sequence[Run]) -> Iterator[Figure]:
    names = list(dict.fromkeys(name for run in runs for name in run.rewards))
    data = []
    for at, run in enumerate(runs):
        for place, name in enumerate(names):
            middle, spread = (dict(zip(*points(run, f"rewards/{name}/{one}"), strict=True)) for one in ("mean", "std"))
            colour, dash = (place, 0) if len(runs) == 1 else (at, place)
            if middle:
                within = run.extremes.get(name, (-inf, inf))
                data += band(middle, spread, colour, within) if len(runs) == 1 else []
                label = name if len(runs) == 1 else f"{run.name} · {name}"
                data += curve(label, [*middle], [*middle.values()], colour, dash)
    if data:
        note = "What each reward gave on average, before its weight; the area is one standard deviation."
        layout = {"xaxis": axis("step"), "yaxis": axis("mean"), "showlegend": True}
        yield Figure("parts", "training", "Each reward", note, data, layout)


def _weights(runs: Sequence[Run]) -> Iterator[Figure]:
    """What each reward adds to the total, and the weights that change while a run goes on."""
    for at, run in enumerate(runs):
        if run.weights is None or len(run.rewards) < 2:
            continue
        data = []
        for place, name in enumerate(run.rewards):
            steps, values = points(run, f"rewards/{name}/mean")
            weight = run.weights[name]
            if steps:
                data += curve(f"{weight:g} × {name}", steps, [weight * value for value in values], place)
        whose = "" if len(runs) == 1 else f", {run.name}"
        note = "The mean of each reward times its weight: what it adds to the total."
        layout = {"xaxis": axis("step"), "yaxis": axis("weight × mean"), "showlegend": True}
        yield Figure(f"weights-{at}", "training", f"Rewards with their weights{whose}", note, data, layout)
    names = sorted({name for run in runs for log in run.logs for name in log if name.endswith("/weight")})
    data = _lines(runs, names, lambda name: name.removesuffix("/weight"))
    if data:
        layout = {"xaxis": axis("step"), "yaxis": axis("weight"), "showlegend": True}
        yield Figure("schedules", "training", "Weights that change", "As scheduled rewards log them.", data, layout)
