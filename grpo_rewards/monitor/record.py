"""What is known of a run up to a step: the numbers of its log, and those of its tables of completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, sqrt
from statistics import fmean, pvariance
from typing import Any, NamedTuple

from grpo_rewards.monitor.contents import Contents
from grpo_rewards.registry import get_reward, list_rewards

__all__ = ["START_STEPS", "WINDOW_STEPS", "Level", "Record", "between"]

START_STEPS = 3  # logged steps at the start of a run, which show what this policy does before it has learnt anything
WINDOW_STEPS = 10  # logged steps that are judged together: one batch is a small sample
GOLD_GAIN = 0.02  # by which a gold-based reward must have risen for more answers to be right


class Level(NamedTuple):
    """A number at the start of the run, and now; and how many standard errors lie between."""

    start: float
    now: float
    errors: float

    @property
    def rise(self) -> float:
        return self.now - self.start


class Record:
    """The steps of a run so far.

    Attributes:
        step: the last one.
        rewards: the names of the rewards, as the log has them.
        gold: the names of those that compare with what is known to be right.
        numbers: by name, the values of the log and of the tables, one for each step that has it.
        tables: what the tables of the first and of the last steps hold.
    """

    def __init__(self, gold: Sequence[str] | None = None) -> None:
        self.step = 0
        self.rewards: list[str] = []
        self.gold: tuple[str, ...] = tuple(gold or ())
        self.finds_gold = gold is None
        self.graded: set[str] = set()
        self.numbers: dict[str, list[float]] = {}
        self.first: list[Contents] = []
        self.last: list[Contents] = []

    def add_log(self, log: Mapping[str, Any]) -> None:
        """Adds what was logged at a step."""
        self.step = int(log.get("step", self.step))
        for name, value in log.items():
            parts = name.split("/")
            if len(parts) == 3 and parts[0] == "rewards" and parts[2] == "mean" and parts[1] not in self.rewards:
                self.rewards.append(parts[1])
            self._add(name, value)

    def add_table(self, contents: Contents) -> None:
        """Adds what the table of a step holds."""
        if self.finds_gold and (new := [name for name in contents.graded if name not in self.graded]):
            self.graded.update(new)
            self.gold = (*self.gold, *filter(_is_gold_based, new))
        for name, value in contents.numbers.items():
            self._add(f"table/{name}", value)
        if len(self.first) < START_STEPS:
            self.first.append(contents)
        self.last = [*self.last, contents][-WINDOW_STEPS:]

    def _add(self, name: str, value: Any) -> None:
        if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
            self.numbers.setdefault(name, []).append(float(value))

    def steps(self, name: str) -> int:
        """How many steps have the number."""
        return len(self.numbers.get(name, ()))

    def recent(self, name: str) -> float | None:
        """The mean over the last window; ``None`` before there is one."""
        values = self.numbers.get(name, [])
        return fmean(values[-WINDOW_STEPS:]) if len(values) >= WINDOW_STEPS else None

    def level(self, name: str, ago: int = 0) -> Level | None:
        """The number at the start, and in the window that ended so many steps ago; ``None`` where these overlap."""
        values = self.numbers.get(name, [])
        end = len(values) - ago
        if end < START_STEPS + WINDOW_STEPS:
            return None
        return between(values[:START_STEPS], values[end - WINDOW_STEPS : end])

    def is_learning(self, ago: int = 0) -> bool:
        """Whether a gold-based reward has risen, or may have: its number is not known in all steps."""
        golds = [self.level(f"rewards/{name}/mean", ago) for name in self.gold]
        return any(gold is None or gold.rise >= GOLD_GAIN for gold in golds)

    @property
    def is_long_enough(self) -> bool:
        """Whether the tables of the start and those of the last window are different ones."""
        return self.steps("table/rows") >= START_STEPS + WINDOW_STEPS


def _is_gold_based(name: str) -> bool:
    """Whether a reward whose golds a table has compares with them itself; one of an unknown name is taken to do so."""
    return name not in list_rewards() or get_reward(name).is_gold_based


def between(start: Sequence[float], now: Sequence[float]) -> Level:
    """How far two samples of steps lie apart."""
    spread = (pvariance(start) * len(start) + pvariance(now) * len(now)) / max(len(start) + len(now) - 2, 1)
    error = sqrt(spread * (1 / len(start) + 1 / len(now)))
    rise = fmean(now) - fmean(start)
    return Level(fmean(start), fmean(now), rise / error if error > 0 else (0.0 if rise == 0 else rise * float("inf")))
