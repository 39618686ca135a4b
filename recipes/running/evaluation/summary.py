"""The summary of an evaluation: figures with intervals, the difference between two, and both as a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from statistics import fmean
from typing import Any

from pandas import DataFrame

from grpo_rewards.answers import compare
from running.evaluation.figures import bootstrap, maj_at_k, paired_bootstrap, pass_at_k, wilson

__all__ = ["GREEDY_NOTE", "ByProblem", "Figures", "by_problem", "difference", "figures", "printed", "reported", "title"]

# By "sampled", "greedy", "pass@k" and "maj@k", then by reward or by k: {"mean", "interval", "problems"}.
Figures = dict[str, dict[str, dict[str, Any]]]
GREEDY_NOTE = (
    "Greedy is one answer to each problem, by the likeliest tokens: a small change, even with a coin for a reward, may "
    "move all of them to another habit. Judge by what was sampled."
)
ByProblem = dict[str, dict[str, dict[int, float]]]  # the same, with a number for each problem that could be scored


def figures(found: ByProblem, beyond: Collection[str] = ()) -> Figures:
    """The mean over problems of every reward, of pass@k and of maj@k, each with its 95 % interval.

    Where every problem has 0 or 1, as a reward of one answer to each or pass@4 of four, that is a share, with Wilson's
    interval; of all else, and of the rewards ``beyond``, which can be less than 0 or more than 1, the interval is that
    of a bootstrap over problems. The mean is ``None`` where no problem could be scored.
    """
    return {
        what: {name: figure(list(values.values()), name not in beyond) for name, values in several.items()}
        for what, several in found.items()
    }


def figure(values: Sequence[float], can_be_share: bool) -> dict[str, Any]:
    is_share = can_be_share and set(values) <= {0.0, 1.0}
    interval = wilson(int(sum(values)), len(values)) if is_share else bootstrap(values)
    return {"mean": fmean(values) if values else None, "interval": interval, "problems": len(values)}


def by_problem(table: DataFrame, rewards: Mapping[str, Sequence[str]], gold: str) -> ByProblem:
    """By problem the mean of each reward over its samples, pass@k for k = 1, 2, 4 … and maj@k of all samples.

    ``rewards`` names those of "sampled" answers, and of "greedy" ones if there are any. A reward's ``None`` is left
    out; a problem with nothing else is, too. pass@k and maj@k are of the problems of which the reward ``gold`` could
    score every sample.
    """
    found: ByProblem = {}
    for how, names in rewards.items():
        answers = table[table["how"] == how]
        found[how] = {name: {int(at): float(mean) for at, mean in means_of(answers, name).items()} for name in names}
    if "solved" in table.columns:
        found |= of_k_samples(table[table["how"] == "sampled"], gold)
    return found


def of_k_samples(sampled: DataFrame, gold: str) -> ByProblem:
    """pass@k and maj@k of sampled answers."""
    groups = {int(at): group for at, group in sampled.groupby("problem") if group["solved"].notna().all()}
    samples = int(sampled["sample"].max()) + 1
    ks = ks_of(samples)
    solved = {at: [bool(one) for one in group["solved"]] for at, group in groups.items()}
    found = {"pass@k": {str(k): {at: pass_at_k(samples, sum(all_), k) for at, all_ in solved.items()} for k in ks}}
    if f"{gold}/prediction" in sampled.columns:
        predictions = {at: texts(group[f"{gold}/prediction"]) for at, group in groups.items()}
        found["maj@k"] = {str(samples): {at: maj_at_k(predictions[at], solved[at], same) for at in groups}}
    return found


def ks_of(samples: int) -> list[int]:
    """The k of pass@k: 1, 2, 4 … up to the samples."""
    return list(takewhile(lambda k: k <= samples, (2**power for power in range(20))))


def reported(rewards: Mapping[str, Sequence[str]], samples: int, gold: str) -> list[tuple[str, str]]:
    """The figures that an evaluation will report, each as ``title`` takes it."""
    found = [(how, name) for how, names in rewards.items() for name in names]
    if gold in rewards["sampled"]:
        found += [*(("pass@k", str(k)) for k in ks_of(samples)), ("maj@k", str(samples))]
    return found


def texts(cells: Iterable[Any]) -> list[str | None]:
    """The texts of a column; what is none, which a file may hold as NaN, is ``None``."""
    return [one if isinstance(one, str) else None for one in cells]


def means_of(answers: DataFrame, reward: str) -> Any:
    """By problem the mean of a reward, without what it could not score."""
    return answers[reward].astype(float).groupby(answers["problem"]).mean().dropna()


def same(one: str, other: str) -> bool:
    return one == other or compare(one, other).outcome == "correct"


def difference(before: ByProblem, after: ByProblem) -> Figures:
    """What came of it: the mean of after − before over the problems that both could score, with a paired interval."""
    found: Figures = {}
    for what, several in after.items():
        found[what] = {}
        for name, values in several.items():
            earlier = before.get(what, {}).get(name, {})
            both = [(earlier[at], value) for at, value in values.items() if at in earlier]
            pairs = [list(side) for side in zip(*both, strict=True)] or [[], []]
            change = [b - a for a, b in both]
            mean = fmean(change) if change else None
            found[what][name] = {"mean": mean, "interval": paired_bootstrap(*pairs), "problems": len(both)}
    return found


def title(what: str, name: str) -> str:
    """How a figure is called in logs: sampled/boxed_answer, pass@4."""
    return what.replace("@k", f"@{name}") if "@" in what else f"{what}/{name}"


def printed(columns: dict[str, Figures], samples: int) -> str:
    """A table with a column for each evaluation, or difference of two; the sampled figures, the headline, first."""
    order = ("sampled", "greedy", "pass@k", "maj@k")
    named = {what: names for one in columns.values() for what, names in one.items()}
    rows = [(what, name) for what in order for name in named.get(what, {})]
    width = max(map(len, ["held-out mean", *(title(*row) for row in rows)])) + 2
    lines = [f"{'held-out mean':<{width}}" + "".join(f"{column:>26}" for column in columns)]
    for what, name in rows:
        cells = [cell(one.get(what, {}).get(name), "+" * ("difference" in column)) for column, one in columns.items()]
        lines.append(f"{title(what, name):<{width}}" + "".join(f"{text:>26}" for text in cells))
    lines.append(f"(with 95 % intervals over problems; sampled: {samples} samples of each)")
    return "\n".join([*lines, *([GREEDY_NOTE] if "greedy" in named else [])])


def cell(figure: dict[str, Any] | None, sign: str) -> str:
    if figure is None or figure["mean"] is None:
        return "none"
    mean, interval = f"{figure['mean']:{sign}.3f}", figure["interval"]
    return mean if interval is None else f"{mean} [{interval[0]:{sign}.3f}, {interval[1]:{sign}.3f}]"
