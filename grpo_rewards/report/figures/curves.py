"""The log: rewards, their parts and weights, lengths, entropy, clipped ratios, KL, and all else that was logged."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.registry.interface import joined
from grpo_rewards.report.figures.drawing import Figure, Trace, Values, band, by_step, curve, figure, line, looks
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
NO_LABEL = re.compile("^completions/|^clip_ratio/|/weight$")  # what the title of a figure says already
IN_OTHER_FIGURES = ("step", "epoch", "reward", "reward_std")


def log_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """The figures of the log: the first two for the overview, the others for the training, the rest behind them."""
    yield from figure(
        "reward",
        "overview",
        "Reward",
        "The mean over a step's completions, all rewards with their weights; the area is one standard deviation.",
        _with_spread(runs, {"": ("reward", "reward_std")}, has_bands=True),
        {"title": "reward"},
        showlegend=len(runs) > 1,
    )
    yield from _zero_variance(runs)
    rewards = joined(*(run.rewards for run in runs))
    names = {name: (f"rewards/{name}/mean", f"rewards/{name}/std") for name in rewards}
    yield from figure(
        "parts",
        "training",
        "Each reward",
        "What each reward gave on average, before its weight; the area is one standard deviation.",
        _with_spread(runs, names, has_bands=len(runs) == 1),
        {"title": "mean"},
    )
    yield from _weights(runs)
    for panel in PANELS:
        yield from _panel(runs, *panel, section="training")
    drawn = {LOGGED_ZERO_VARIANCE, *(name for panel in PANELS for name in panel[3])}
    for at, name in enumerate(sorted({name for run in runs for log in run.logs for name in log} - drawn)):
        if name not in IN_OTHER_FIGURES and not name.startswith(("rewards/", "eval_")) and not name.endswith("/weight"):
            yield from _panel(runs, f"logged-{at}", name, "", (name,), {}, section="everything else logged")


def _panel(
    runs: Sequence[Run], slug: str, title: str, note: str, names: Sequence[str], y: Mapping[str, Any], section: str
) -> Iterator[Figure]:
    data = _logged(runs, names)
    yield from figure(slug, section, title, note, data, y, showlegend=len({one["name"] for one in data}) > 1)


def _logged(runs: Sequence[Run], names: Sequence[str]) -> list[Trace]:
    """A line for each figure of each run; of a single figure, the title of which names it, a line for each run."""
    is_titled = len(names) == 1 < len(runs)
    labels = {name: "" if is_titled else NO_LABEL.sub("", name) for name in names}
    return _curves(runs, lambda run: {label: by_step(run, name) for name, label in labels.items()})


def _curves(runs: Sequence[Run], drawn: Callable[[Run], Mapping[str, Values]]) -> list[Trace]:
    return [trace for values, look in looks(runs, drawn) for trace in curve(look, values)]


def _with_spread(runs: Sequence[Run], names: Mapping[str, tuple[str, str]], *, has_bands: bool) -> list[Trace]:
    """A line for each mean of the log, by its label, and one standard deviation around it."""
    data = []
    pairs = looks(
        runs, lambda run: {label: (by_step(run, mean), by_step(run, std)) for label, (mean, std) in names.items()}
    )
    for (middle, spread), look in pairs:
        if middle:
            data += band(middle, spread, look.colour) if has_bands else []
            data += curve(look, middle)
    return data


def _zero_variance(runs: Sequence[Run]) -> Iterator[Figure]:
    """Counted in the tables; for a run without tables TRL's figure, which is called TRL's and misses some."""

    def shares(run: Run) -> dict[str, Values]:
        counted = {step.step: step.zero_variance for step in run.steps if step.zero_variance is not None}
        logged = {} if counted else by_step(run, LOGGED_ZERO_VARIANCE)
        return {"counted": counted, f"TRL's {LOGGED_ZERO_VARIANCE}": logged}

    yield from figure(
        "zero-variance",
        "overview",
        "Zero-variance groups",
        "The share of groups whose completions all earned the same: they teach nothing.",
        [line(look, values) for values, look in looks(runs, shares)],
        {**SHARE, "range": [0, 1]},
    )


def _weights(runs: Sequence[Run]) -> Iterator[Figure]:
    """What each reward adds to the total, and the weights that change while a run goes on."""

    def added(run: Run) -> dict[str, Values]:
        weights = run.weights if run.weights and len(run.rewards) > 1 else {}
        return {
            f"{weight:g} × {name}": {step: weight * mean for step, mean in by_step(run, f"rewards/{name}/mean").items()}
            for name, weight in weights.items()
        }

    note = "The mean of each reward times its weight: what it adds to the total."
    for at, run in enumerate(runs):
        title = "Rewards with their weights" + ("" if len(runs) == 1 else f", {run.name}")
        data = _curves([run], added)
        yield from figure(f"weights-{at}", "training", title, note, data, {"title": "weight × mean"})
    names = sorted({name for run in runs for log in run.logs for name in log if name.endswith("/weight")})
    data = _logged(runs, names)
    yield from figure(
        "schedules", "training", "Weights that change", "As scheduled rewards log them.", data, {"title": "weight"}
    )
