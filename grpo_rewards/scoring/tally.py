"""What many verdicts come to: means with intervals, reasons, groups without signal.

It grows with the number of groups, not with that of completions, and two of them can be added.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any, NamedTuple

from grpo_rewards.verdict import Verdict

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
            prompts are not known.
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

    def merge(self, other: _Sums) -> None:
        self.count += other.count
        self.total += other.total
        self.squares += other.squares
        self.least = min(self.least, other.least)
        self.most = max(self.most, other.most)

    @property
    def is_share(self) -> bool:
        """Whether all numbers are 0 or 1: of others between them the squares are less."""
        return self.least >= 0.0 and self.most <= 1.0 and self.squares == self.total


@dataclass
class _OfReward:
    """The verdicts of one reward, added up: all of them, by reason, and by group where that is known."""

    all: _Sums = field(default_factory=_Sums)
    reasons: Counter[str] = field(default_factory=Counter)
    unscored: int = 0
    groups: defaultdict[bytes, _Sums] = field(default_factory=lambda: defaultdict(_Sums))

    def add(self, verdicts: Sequence[Verdict], groups: Sequence[bytes] | None) -> None:
        self.reasons.update([verdict.reason for verdict in verdicts])
        for at, verdict in enumerate(verdicts):
            if verdict.reward is None:
                self.unscored += 1
                continue
            self.all.add(verdict.reward)
            if groups is not None:
                self.groups[groups[at]].add(verdict.reward)

    def merge(self, other: _OfReward) -> None:
        self.all.merge(other.all)
        self.reasons.update(other.reasons)
        self.unscored += other.unscored
        for group, sums in other.groups.items():
            self.groups[group].merge(sums)

    @property
    def mean(self) -> float | None:
        return self.all.total / self.all.count if self.all.count else None

    def summary(self, name: str, stated_best: float | None) -> RewardSummary:
        groups = list(self.groups.values())
        several = [one for one in groups if one.count > 1]
        at_best = None
        if groups:
            best = self.all.most if stated_best is None else stated_best
            none = sum(one.most < best for one in groups)
            whole = sum(one.least >= best for one in groups)
            at_best = (none / len(groups), (len(groups) - none - whole) / len(groups), whole / len(groups))
        return RewardSummary(
            name,
            self.all.count,
            self.unscored,
            self.mean,
            _interval(self.all, groups),
            dict(self.reasons.most_common()),
            len(several),
            sum(one.least == one.most for one in several) / len(several) if several else None,
            at_best,
        )


class Tally:
    """The verdicts of several rewards about the same completions, added up.

    Attributes:
        names: of the rewards.
        best: the least that counts as the best reward of each; where it is ``None``, the highest seen does.
        rows: how many completions there were.
        malformed: how many rows could not be read.
    """

    def __init__(self, names: Sequence[str], best: Sequence[float | None] | None = None, malformed: int = 0) -> None:
        self.names, self.best = tuple(names), best or (None,) * len(names)
        self.rows, self.malformed = 0, malformed
        self._rewards = [_OfReward() for _ in names]

    def add(self, verdicts: Sequence[Sequence[Verdict]], groups: Sequence[bytes] | None) -> None:
        """Adds the verdicts of each reward about the same completions.

        Args:
            verdicts: for each reward one of each completion.
            groups: of each completion what it has in common with those of its group, or ``None`` if that is not known.
        """
        self.rows += len(verdicts[0]) if verdicts else 0
        for reward, its in zip(self._rewards, verdicts, strict=True):
            reward.add(its, groups)

    def merge(self, other: Tally) -> None:
        """Adds what another tally of the same rewards holds, which is of other completions and not used after."""
        self.rows += other.rows
        self.malformed += other.malformed
        for mine, its in zip(self._rewards, other._rewards, strict=True):
            mine.merge(its)

    def means(self) -> dict[str, float | None]:
        """The mean of each reward so far."""
        return {name: its.mean for name, its in zip(self.names, self._rewards, strict=True)}

    def summaries(self) -> list[RewardSummary]:
        """What each reward gave."""
        named = zip(self._rewards, self.names, self.best, strict=True)
        return [its.summary(name, best) for its, name, best in named]

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        return {
            "rows": self.rows,
            "malformed": self.malformed,
            "rewards": [one._asdict() for one in self.summaries()],
        }


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
    if every.is_share:
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
