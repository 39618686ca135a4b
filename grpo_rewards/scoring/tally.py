"""What many verdicts come to: means with intervals, reasons, groups without signal.

It grows with the number of groups, not with that of completions.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean
from typing import Any, NamedTuple

Z = 1.959963984540054  # of a normal distribution, 95 % lie within so many standard deviations


class RewardSummary(NamedTuple):
    """What one reward gave.

    Attributes:
        name: of the reward.
        scored: how many completions it could score.
        unscored: how many were ``None``.
        mean: of its rewards; ``None`` if there are none.
        interval: the mean's, 95 %, where the completions of a group are not independent of each other.
        reasons: how often each occurred, the most frequent first.
        groups: how many prompts have at least two scored completions.
        without_signal: the share of these whose rewards are all equal, from which GRPO learns nothing.
        at_best: the shares of prompts of whose completions none, some and all got the best reward there is; ``None`` if
            prompts are not known, or all got the same and its range is not.
    """

    name: str
    scored: int
    unscored: int
    mean: float | None
    interval: tuple[float, float] | None
    reasons: dict[str, int]
    groups: int
    without_signal: float | None
    at_best: tuple[float, float, float] | None


@dataclass(slots=True)
class _Sums:
    """Of some numbers how many they are, their sum, that of their squares, the least and the most."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    least: float = inf
    most: float = -inf

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value
        self.squares += value * value
        self.least = min(self.least, value)
        self.most = max(self.most, value)

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None


class Tally:
    """The verdicts of several rewards about the same completions, added up.

    Attributes:
        names: of the rewards.
        best: the least that counts as the best reward of each; where it is ``None``, the highest seen does.
        rows: how many completions there were.
        malformed: how many rows could not be read.
    """

    def __init__(self, names: Sequence[str], best: Sequence[float | None] | None = None) -> None:
        self.names, self.best = tuple(names), best or (None,) * len(names)
        self.rows = self.malformed = 0
        self._sums = [_Sums() for _ in names]
        self._reasons = [Counter[str]() for _ in names]
        self._groups = [defaultdict[bytes, _Sums](_Sums) for _ in names]

    def add(self, verdicts: Sequence[Sequence[tuple[Any, ...]]], groups: Sequence[bytes] | None) -> None:
        """Adds the verdicts of each reward about the same completions.

        Args:
            verdicts: for each reward one of each completion, or only the number and the reason of one.
            groups: of each completion what it has in common with those of its group, or ``None`` if that is not known.
        """
        self.rows += len(verdicts[0]) if verdicts else 0
        for its, sums, reasons, of_groups in zip(verdicts, self._sums, self._reasons, self._groups, strict=True):
            reasons.update([one[1] for one in its])
            for at, one in enumerate(its):
                if one[0] is not None:
                    sums.add(one[0])
                    if groups is not None:
                        of_groups[groups[at]].add(one[0])

    def means(self) -> dict[str, float | None]:
        """The mean of each reward so far."""
        return {name: its.mean for name, its in zip(self.names, self._sums, strict=True)}

    def summaries(self) -> list[RewardSummary]:
        """What each reward gave."""
        return [self._summary(at) for at in range(len(self.names))]

    def _summary(self, at: int) -> RewardSummary:
        every, groups, at_best = self._sums[at], list(self._groups[at].values()), None
        several = [one for one in groups if one.count > 1]
        best = self.best[at]
        if groups and (best is not None or every.least < every.most):  # else nothing shows what the best is
            best = every.most if best is None else best
            at_best = (
                fmean(one.most < best for one in groups),
                fmean(one.least < best <= one.most for one in groups),
                fmean(one.least >= best for one in groups),
            )
        return RewardSummary(
            self.names[at],
            every.count,
            self.rows - every.count,
            every.mean,
            _interval(every, groups),
            dict(self._reasons[at].most_common()),
            len(several),
            fmean(one.least == one.most for one in several) if several else None,
            at_best,
        )

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        return {"rows": self.rows, "malformed": self.malformed, "rewards": [one._asdict() for one in self.summaries()]}


def _interval(every: _Sums, groups: Sequence[_Sums]) -> tuple[float, float] | None:
    """The 95 % interval of a mean, whose completions come in groups if these are known.

    The variance of a ratio of sums over P groups, P/(P−1) · Σ (sₚ − nₚ·m)² / N² (Cochran 1977, "Sampling Techniques",
    section 6.3), and without groups that of independent completions. A share of 0 and 1 gets Wilson's interval with as
    many trials as that variance is worth, and where it is 0, as many as there are groups. ``None`` for a single group,
    and where all rewards are equal and no share.
    """
    count = len(groups) or every.count
    if count < 2:
        return None
    mean = every.total / every.count
    if groups:
        apart = sum((one.total - one.count * mean) ** 2 for one in groups)
    else:
        apart = max(every.squares - every.count * mean * mean, 0.0)
    variance = count / (count - 1) * apart / every.count**2
    # all are 0 or 1: of others between them the squares are less
    is_share = every.least >= 0.0 and every.most <= 1.0 and every.squares == every.total
    if is_share:
        return wilson(mean, mean * (1 - mean) / variance if variance > 0 else float(count))
    half = Z * sqrt(variance)
    return (mean - half, mean + half) if every.least < every.most else None


def wilson(share: float, trials: float) -> tuple[float, float]:
    """The 95 % interval of a share of so many independent trials.

    With share p and n trials: centre (p + z²/2n) / (1 + z²/n), half width z/(1 + z²/n) · √(p(1−p)/n + z²/4n²). Wilson
    1927, "Probable inference, the law of succession, and statistical inference", JASA 22.
    """
    shrink = 1 + Z * Z / trials
    centre, half = share + Z * Z / (2 * trials), Z * sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    return max((centre - half) / shrink, 0.0), min((centre + half) / shrink, 1.0)
