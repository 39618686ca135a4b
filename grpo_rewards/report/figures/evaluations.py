"""Held-out problems: the evaluation before and after with its intervals, and what it was on the way."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from grpo_rewards.registry.interface import joined
from grpo_rewards.report.figures.drawing import Figure, Look, Trace, as_shown, by_step, figure, line, looks
from grpo_rewards.report.reading import Run

Point: TypeAlias = "tuple[float, tuple[float, float] | None]"  # a mean and its interval

WHEN = ("before", "after", "difference")
Row: TypeAlias = "dict[str, Point]"  # by ``before``, ``after`` and ``difference``


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
    def before_and_after(run: Run) -> dict[str, dict[str, Point]]:
        rows = evaluation_rows(run.evaluation)
        return {when: {as_shown(name): its[when] for name, its in rows.items() if when in its} for when in WHEN[:2]}

    data = []
    for given, look in looks(runs, before_and_after):
        marker = {"size": 9, "symbol": "circle-open" if len(runs) > 1 and look.dash == 0 else "circle"}
        data.append(_line(look, given, mode="markers", marker=marker, offsetgroup=as_shown(look.label)))
    yield from figure(
        "evaluation",
        "overview",
        "Evaluation before and after",
        "On held-out problems; the bars are 95 % intervals over problems, where the evaluation gives one.",
        data,
        {"rangemode": "tozero"},
        "",
        scattermode="group",
    )
    data = [_line(look, given) for given, look in looks(runs, _on_the_way)]
    yield from figure("evaluations", "overview", "Evaluations on the way", "Their means, by step.", data, {})


def _on_the_way(run: Run) -> dict[str, dict[int, Point]]:
    """Evaluations by step, where there are more than one before and one after, or those of a run that goes on."""
    few = 2 if "after" in run.evaluation else 1
    return {name: its for name, its in (_by_step(run) or _logged(run)).items() if len(its) > few}


def _by_step(run: Run) -> dict[str, dict[int, Point]]:
    """For each figure of the evaluations its mean and interval by step, from the file of a run that has ended."""
    found: dict[str, dict[int, Point]] = {}
    evaluations = {int(step): its for step, its in _mappings(run.evaluation.get("by_step")) if step.isdecimal()}
    for step in sorted(evaluations):
        for measure, row in evaluation_rows({"after": evaluations[step]}).items():
            found.setdefault(measure, {})[step] = row["after"]
    return found


def _logged(run: Run) -> dict[str, dict[int, Point]]:
    """For each figure of the evaluations in the log its mean by step."""
    names = joined(*run.history)
    named = [one for one in names if one.startswith("eval_") and ("/" in one or "@" in one or one == "eval_reward")]
    return {
        name.removeprefix("eval_"): {step: (mean, None) for step, mean in by_step(run, name).items()} for name in named
    }


def _line(look: Look, given: Mapping[Any, Point], **more: Any) -> Trace:
    """A line through means with their intervals as plotly takes them: how far they reach above and below."""
    below, above = ([abs(its[side] - mean) if its else 0 for mean, its in given.values()] for side in (0, 1))
    bars = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.5}
    return line(look, {at: mean for at, (mean, _) in given.items()}, error_y=bars, **more)
