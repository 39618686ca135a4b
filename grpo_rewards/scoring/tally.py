"""What many verdicts come to: means with intervals, reasons, groups without signal, how far rewards agree.

It grows with the number of groups, not with that of completions, and two of them can be added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite, sqrt
from typing import Any, NamedTuple

from grpo_rewards.verdict import Verdict

__all__ = ["Agreement", "RewardSummary", "Tally", "wilson"]

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


class Agreement(NamedTuple):
    """How far two rewards agree.

    Attributes:
        names: of the two.
        correlation: Pearson's, over the completions that both scored; ``None`` where one is constant.
        same: the share of these completions for which both give the same number.
    """

    names: tuple[str, str]
    correlation: float | None
    same: float


@dataclass
class _Sums:
    """How many numbers, their sum, that of their squares, the lowest, the highest, and how many are the highest."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    least: float = float("inf")
    most: float = float("-inf")
    at_most: int = 0

    def add(self, other: _Sums) -> None:
        self.count += other.count
        self.total += other.total
        self.squares += other.squares
        self.least = min(self.least, other.least)
        self.at_most = self.at_most * (self.most >= other.most) + other.at_most * (other.most >= self.most)
        self.most = max(self.most, other.most)

    @property
    def is_share(self) -> bool:
        """Whether all numbers are 0 or 1."""
        return self.least >= 0.0 and self.most <= 1.0 and self.total == (self.at_most if self.most == 1.0 else 0)


def _sums_of(values: Sequence[float]) -> _Sums:
    most = max(values)
    return _Sums(len(values), sum(values), sum(one * one for one in values), min(values), most, values.count(most))


@dataclass
class Tally:
    """The verdicts of several rewards about the same completions, added up.

    Attributes:
        names: of the rewards.
        best: the least that counts as the best reward of each; where it is ``None``, the highest seen does.
        rows: how many completions there were.
        malformed: how many rows could not be read.
    """

    names: tuple[str, ...]
    best: tuple[float | None, ...] = ()
    rows: int = 0
    malformed: int = 0
    _all: list[_Sums] = field(default_factory=list)
    _reasons: list[Counter[str]] = field(default_factory=list)
    _unscored: list[int] = field(default_factory=list)
    _groups: list[dict[bytes, _Sums]] = field(default_factory=list)
    _pairs: dict[tuple[int, int], list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self.names)
        self.best = self.best or (None,) * size
        self._all = self._all or [_Sums() for _ in range(size)]
        self._reasons = self._reasons or [Counter() for _ in range(size)]
        self._unscored = self._unscored or [0] * size
        self._groups = self._groups or [{} for _ in range(size)]
        self._pairs = self._pairs or {(one, other): [0.0] * 7 for one in range(size) for other in range(one + 1, size)}

    def add(self, verdicts: Sequence[Sequence[Verdict]], groups: Sequence[bytes] | None) -> None:
        """Adds the verdicts of each reward about the same completions.

        Args:
            verdicts: for each reward one of each completion.
            groups: of each completion what it has in common with those of its group, or ``None`` if that is not known.
        """
        self.rows += len(verdicts[0]) if verdicts else 0
        rewards = [[verdict.reward for verdict in its] for its in verdicts]
        for at, its in enumerate(verdicts):
            self._reasons[at].update([verdict.reason for verdict in its])
            scored = [reward for reward in rewards[at] if reward is not None]
            self._unscored[at] += len(its) - len(scored)
            if scored:
                self._all[at].add(_sums_of(scored))
            by_group: dict[bytes, list[float]] = {}
            for group, reward in zip(groups or (), rewards[at], strict=groups is not None):
                if reward is not None:
                    by_group.setdefault(group, []).append(reward)
            for group, values in by_group.items():
                self._add_group(at, group, _sums_of(values))
        for (one, other), sums in self._pairs.items():
            _add_pairs(sums, rewards[one], rewards[other])

    def _add_group(self, at: int, group: bytes, sums: _Sums) -> None:
        groups = self._groups[at]
        if group in groups:
            groups[group].add(sums)
        else:
            groups[group] = sums

    def merge(self, other: Tally) -> None:
        """Adds what another tally of the same rewards holds, which is of other completions and not used after."""
        self.rows += other.rows
        self.malformed += other.malformed
        for at in range(len(self.names)):
            self._all[at].add(other._all[at])
            self._reasons[at].update(other._reasons[at])
            self._unscored[at] += other._unscored[at]
            for group, its in other._groups[at].items():
                self._add_group(at, group, its)
        for pair, sums in other._pairs.items():
            self._pairs[pair] = [mine + its for mine, its in zip(self._pairs[pair], sums, strict=True)]

    def means(self) -> dict[str, float | None]:
        """The mean of each reward so far."""
        return {
            name: its.total / its.count if its.count else None for name, its in zip(self.names, self._all, strict=True)
        }

    def summaries(self) -> list[RewardSummary]:
        """What each reward gave."""
        return [self._summary(at) for at in range(len(self.names))]

    def _summary(self, at: int) -> RewardSummary:
        every, groups = self._all[at], list(self._groups[at].values())
        several = [one for one in groups if one.count > 1]
        at_best = None
        if groups:
            stated = self.best[at]
            best = every.most if stated is None else stated
            none = sum(one.most < best for one in groups)
            whole = sum(one.least >= best for one in groups)
            at_best = (none / len(groups), (len(groups) - none - whole) / len(groups), whole / len(groups))
        return RewardSummary(
            self.names[at],
            every.count,
            self._unscored[at],
            every.total / every.count if every.count else None,
            _interval(every, groups),
            dict(self._reasons[at].most_common()),
            len(several),
            sum(one.least == one.most for one in several) / len(several) if several else None,
            at_best,
        )

    def agreements(self) -> list[Agreement]:
        """How far each two rewards agree."""
        found = []
        for (one, other), sums in self._pairs.items():
            if sums[0]:
                names = (self.names[one], self.names[other])
                found.append(Agreement(names, _correlation(sums), sums[6] / sums[0]))
        return found

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        return {
            "rows": self.rows,
            "malformed": self.malformed,
            "rewards": [one._asdict() for one in self.summaries()],
            "agreement": [one._asdict() for one in self.agreements()],
        }


def _add_pairs(sums: list[float], ones: Sequence[float | None], others: Sequence[float | None]) -> None:
    """Adds to: how many, Σx, Σy, Σx², Σy², Σxy, how many are equal."""
    for x, y in zip(ones, others, strict=True):
        if x is not None and y is not None:
            sums[0] += 1
            sums[1] += x
            sums[2] += y
            sums[3] += x * x
            sums[4] += y * y
            sums[5] += x * y
            sums[6] += x == y


def _correlation(sums: Sequence[float]) -> float | None:
    count, x, y, xx, yy, xy, _ = sums
    spread = (xx - x * x / count) * (yy - y * y / count)
    if not isfinite(spread) or spread <= 1e-12 * max(xx * yy, 1e-300):
        return None
    return max(-1.0, min(1.0, (xy - x * y / count) / sqrt(spread)))


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
