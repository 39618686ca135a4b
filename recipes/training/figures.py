"""The figures of an evaluation, with 95 % intervals over problems, the difference between two, and both as a table."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import comb
from statistics import fmean
from typing import Any

import numpy
from numpy.typing import NDArray
from pandas import DataFrame

from grpo_rewards.scoring import tally

__all__ = ["ByProblem", "Figures", "by_problem", "by_title", "difference", "figures", "table"]

Interval = tuple[float, float]
# By "sampled", "pass@k" and "maj@k", then by reward or by k: {"mean", "interval", "problems"}.
Figures = dict[str, dict[str, dict[str, Any]]]
ByProblem = dict[str, dict[str, dict[int, float]]]  # the same, with a number for each problem that could be scored

RESAMPLES = 10_000
FEWEST = 10  # problems: an interval that is drawn from fewer is too narrow to be shown


def bootstrap(values: Sequence[float]) -> Interval | None:
    """The percentile interval of the mean of one number a problem, by drawing problems with replacement.

    The samples of a problem resemble each other, so what is drawn are problems: ``values`` are their means (Efron and
    Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13). ``None`` for fewer than ten problems, and where
    all values are equal, of which a bootstrap learns nothing.
    """
    if len(values) < FEWEST or len(set(values)) == 1:
        return None
    numbers: NDArray[numpy.float64] = numpy.asarray(values, dtype=float)
    draws, size = numpy.random.default_rng(0), len(values)
    means = [numbers[draws.integers(0, size, size=(100, size))].mean(axis=1) for _ in range(RESAMPLES // 100)]
    low, high = numpy.percentile(numpy.concatenate(means), [2.5, 97.5])
    return float(low), float(high)


def pass_at_k(samples: int, solved: int, k: int) -> float:
    """The chance that of k of these samples, drawn without replacement, one is solved: 1 − C(n−c, k)/C(n, k).

    Unbiased for the chance that k new samples hold a solved one (Chen et al. 2021, arXiv:2107.03374, equation 1).
    """
    return 1 - comb(samples - solved, k) / comb(samples, k)


def maj_at_k(predictions: Sequence[str | None], solved: Sequence[bool]) -> float:
    """Whether the prediction that most of the samples have is right; of a tie the share of it that is right.

    Samples without a prediction do not vote. All that are solved agree with the gold, and so vote together; the others
    vote for the text of their prediction (self-consistency, Wang et al. 2022, arXiv:2203.11171).
    """
    both = zip(predictions, solved, strict=True)
    wrong = Counter(text for text, is_solved in both if text is not None and not is_solved).values()
    right = sum(solved)
    if not right or right < max(wrong, default=0):
        return 0.0
    return 1 / (1 + list(wrong).count(right))


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
    is_share = can_be_share and values and set(values) <= {0.0, 1.0}
    interval = tally.wilson(sum(values) / len(values), len(values)) if is_share else bootstrap(values)
    return {"mean": fmean(values) if values else None, "interval": interval, "problems": len(values)}


def by_problem(answers: DataFrame, rewards: Sequence[str], correct: str) -> ByProblem:
    """By problem the mean of each reward over its samples, pass@k for k = 1, 2, 4 … and maj@k of all samples.

    A reward's ``None`` is left out; a problem with nothing else is, too. pass@k and maj@k are of the problems of which
    the reward ``correct`` could score every sample.
    """
    means = {name: answers[name].astype(float).groupby(answers["problem"]).mean().dropna() for name in rewards}
    found: ByProblem = {
        "sampled": {name: {int(at): float(mean) for at, mean in one.items()} for name, one in means.items()}
    }
    if "solved" not in answers.columns:
        return found
    groups = {int(at): group for at, group in answers.groupby("problem") if group["solved"].notna().all()}
    samples = int(answers["sample"].max()) + 1
    solved = {at: [bool(one) for one in group["solved"]] for at, group in groups.items()}
    found["pass@k"] = {
        str(k): {at: pass_at_k(samples, sum(all_), k) for at, all_ in solved.items()} for k in ks_of(samples)
    }
    if (column := f"{correct}/prediction") in answers.columns:
        texts = {at: [one if isinstance(one, str) else None for one in group[column]] for at, group in groups.items()}
        found["maj@k"] = {str(samples): {at: maj_at_k(texts[at], solved[at]) for at in groups}}
    return found


def ks_of(samples: int) -> list[int]:
    """The k of pass@k: 1, 2, 4 … up to the samples."""
    return [2**power for power in range(samples.bit_length())]


def difference(before: ByProblem, after: ByProblem) -> Figures:
    """The mean of after − before over the problems that both could score, with the interval of a paired bootstrap.

    Problem by problem: what is hard about a problem cancels out.
    """
    found: Figures = {}
    for what, several in after.items():
        for name, values in several.items():
            earlier = before.get(what, {}).get(name, {})
            change = [value - earlier[at] for at, value in values.items() if at in earlier]
            found.setdefault(what, {})[name] = figure(change, can_be_share=False)
    return found


def by_title(found: Figures) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each figure under its name in logs: sampled/boxed_answer, pass@4."""
    for what, several in found.items():
        for name, one in several.items():
            yield what.replace("@k", f"@{name}") if "@" in what else f"{what}/{name}", one


def table(columns: Mapping[str, Figures], samples: int) -> str:
    """A table with a column for each evaluation, or difference of two."""
    shown = {
        column: {name: cell(one, "+" if "difference" in column else "") for name, one in by_title(found)}
        for column, found in columns.items()
    }
    text = DataFrame(shown).fillna("none").rename_axis("held-out mean", axis="columns").to_string()
    intervals = "with 95 % intervals over problems; " if "[" in text else ""
    return f"{text}\n({intervals}sampled: {samples} samples of each)"


def cell(one: Mapping[str, Any], sign: str) -> str:
    if one["mean"] is None:
        return "none"
    mean, interval = f"{one['mean']:{sign}.3f}", one["interval"]
    return mean if interval is None else f"{mean} [{interval[0]:{sign}.3f}, {interval[1]:{sign}.3f}]"
