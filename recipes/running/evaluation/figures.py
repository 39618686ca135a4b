"""The figures of an evaluation, with 95 % intervals over problems: pure functions on numbers, nothing of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb

import numpy
from numpy.typing import NDArray

from grpo_rewards.scoring import tally

__all__ = ["Interval", "bootstrap", "maj_at_k", "paired_bootstrap", "pass_at_k", "wilson"]

Interval = tuple[float, float]

RESAMPLES = 10_000
FEWEST = 10  # problems: an interval that is drawn from fewer is too narrow to be shown


def wilson(successes: int, trials: int) -> Interval | None:
    """The interval of a share of independent trials; ``None`` without trials."""
    return tally.wilson(successes / trials, trials) if trials else None


def bootstrap(values: Sequence[float]) -> Interval | None:
    """The percentile interval of the mean of one number a problem, by drawing problems with replacement.

    The samples of a problem resemble each other, so what is drawn are problems: ``values`` are their means (Efron and
    Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13). ``None`` for fewer than ten problems, and where
    all values are equal, of which a bootstrap learns nothing.
    """
    if len(values) < FEWEST or len(set(values)) == 1:
        return None
    numbers: NDArray[numpy.float64] = numpy.asarray(values, dtype=float)
    draws = numpy.random.default_rng(0)
    means = [
        numbers[draws.integers(0, len(numbers), size=(100, len(numbers)))].mean(axis=1) for _ in range(RESAMPLES // 100)
    ]
    low, high = numpy.percentile(numpy.concatenate(means), [2.5, 97.5])
    return float(low), float(high)


def paired_bootstrap(before: Sequence[float], after: Sequence[float]) -> Interval | None:
    """The interval of the mean of after − before, problem by problem: what is hard about a problem cancels out."""
    return bootstrap([later - earlier for earlier, later in zip(before, after, strict=True)])


def pass_at_k(samples: int, solved: int, k: int) -> float:
    """The chance that of k of these samples, drawn without replacement, one is solved: 1 − C(n−c, k)/C(n, k).

    Unbiased for the chance that k new samples hold a solved one (Chen et al. 2021, arXiv:2107.03374, equation 1).
    """
    if not 1 <= k <= samples:
        raise ValueError(f"pass@k needs k from 1 to the {samples} samples, not {k}.")
    return 1 - comb(samples - solved, k) / comb(samples, k)


def maj_at_k(predictions: Sequence[str | None], solved: Sequence[bool], same: Callable[[str, str], bool]) -> float:
    """Whether the prediction that most of the samples have is right; of a tie the share of it that is right.

    Samples without a prediction do not vote. All that are solved agree with the gold, and so vote together; of the
    others ``same`` decides which do (self-consistency, Wang et al. 2022, arXiv:2203.11171).
    """
    right = sum(solved)
    wrong: list[tuple[str, int]] = []
    for prediction, is_solved in zip(predictions, solved, strict=True):
        if is_solved or prediction is None:
            continue
        at = next((at for at, (other, _) in enumerate(wrong) if same(other, prediction)), None)
        if at is None:
            wrong.append((prediction, 1))
        else:
            wrong[at] = (wrong[at][0], wrong[at][1] + 1)
    votes = [count for _, count in wrong]
    if not right or right < max(votes, default=0):
        return 0.0
    return 1 / (1 + votes.count(right))
