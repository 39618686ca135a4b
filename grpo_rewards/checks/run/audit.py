"""A finished run, by what it left: trends, correlation of each reward with the advantage, bad golds and alerts."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import nan
from pathlib import Path
from statistics import StatisticsError, correlation, fmean
from typing import Any

from grpo_rewards.checks.run.contents import (
    Weights,
    by_prompt,
    known_weights,
    number,
    numbers,
    total,
    zero_variance_share,
)
from grpo_rewards.checks.run.files import Alert, Left, is_number, logged_rewards
from grpo_rewards.checks.run.rules import START_STEPS, WINDOW_STEPS, alerts
from grpo_rewards.checks.setup.trials import ROW_AT_FAULT
from grpo_rewards.completion_tables import OWN, DamagedFile, Table
from grpo_rewards.registry import RewardError

FIGURES = ("reward", "reward_std", "frac_reward_zero_std", "completions/mean_length", "completions/clipped_ratio")
TREND_TITLES = {"zero_variance": "zero-variance groups", "frac_reward_zero_std": "TRL's frac_reward_zero_std"}
GOLDS_SHOWN = 20
GOLD_CUT = 120  # characters of a gold or a prompt


@dataclass(frozen=True)
class Trend:
    """A figure of the log in the first three logged steps, and in the last ten or fewer that do not overlap them.

    Attributes:
        name: as in the log; ``zero_variance`` is the share of the zero-variance groups, counted in the tables.
        start: the mean then.
        end: the mean now.
        steps: how many steps logged it.
    """

    name: str
    start: float
    end: float
    steps: int

    @property
    def title(self) -> str:
        """Its name for a reader."""
        return TREND_TITLES.get(self.name, self.name)


@dataclass(frozen=True)
class Gold:
    """A gold that a reward could not use.

    Attributes:
        reward: the name of the reward.
        reason: of its verdict.
        gold: as logged.
        prompt: the end of the prompt.
        completions: how many had it.
    """

    reward: str
    reason: str
    gold: str | None
    prompt: str
    completions: int


@dataclass
class Audit:
    """What a run left, in figures and in words.

    Attributes:
        folder: of the run.
        steps: the number of logged steps.
        tables: the number of tables of completions.
        trends: of each reward, and of what all runs log.
        decided: for each reward its correlation with the advantage, within groups: how much it decides what is
            learnt. ``None`` where it never differed within a group.
        golds: those that could not be used, the most frequent first.
        alerts: what the monitor reports, the same as while the run trained.
        passed_over: files that are damaged, or not whole as one is that is being written; the rest was judged.
    """

    folder: str
    steps: int
    tables: int
    trends: list[Trend] = field(default_factory=list)
    decided: dict[str, float | None] = field(default_factory=dict)
    golds: list[Gold] = field(default_factory=list)
    alerts: list[Alert] = field(default_factory=list)
    passed_over: list[DamagedFile] = field(default_factory=list)

    @property
    def compared(self) -> tuple[int, int]:
        """(number of first steps, number of last steps) that the trends compare."""
        first = min(START_STEPS, self.steps)
        return first, min(WINDOW_STEPS, self.steps - first) or first

    def as_json(self) -> dict[str, Any]:
        """All of it by name."""
        return {**asdict(self), "alerts": [one.as_dict() for one in self.alerts]}


def audit_run(folder: str | Path) -> Audit:
    """Looks at what a run left in its folder: the log of its last checkpoint, and TRL's tables of completions.

    A run that kept no checkpoint is judged by its tables alone, one without tables by its log alone.

    Raises:
        RewardError: the folder has neither that can be read.
    """
    left = run_in(Path(folder))
    return judged(left, left.alerts)


def run_in(folder: Path) -> Left:
    """What a run left, of which its log or its tables may be missing.

    Raises:
        RewardError: the folder has neither a log nor a table that can be read.
    """
    if not folder.is_dir():
        raise RewardError(f"there is no folder {folder}: name the output_dir of a run.")
    left = Left(folder)
    if not left.history and not any(left.tables.whole()):
        if left.passed_over:
            raise RewardError(f"{folder} holds no run that can be read. {' '.join(map(str, left.passed_over))}")
        raise RewardError(
            f"{folder} holds no run: neither checkpoint-*/trainer_state.json nor "
            "completions/completions_*.parquet, which a run leaves with save_steps=… and log_completions=True, nor "
            "the completions.jsonl of ms-swift. Name the output_dir of a run."
        )
    return left


def rewards_of_run(left: Left) -> tuple[list[str], dict[str, float] | None]:
    """(the names of its rewards, their weights by name if these are known), by its log, or else its first table."""
    rewards = logged_rewards(left.history) or next((rewards_in(table) for _, table in left.tables.whole()), [])
    logs = [log for log in left.history if "reward" in log]
    return rewards, known_weights(left.settings.get("reward_weights"), rewards, logs)


def judged(
    left: Left,
    known: Sequence[Alert] | None = None,
    keep: Callable[[int, Table, float | None], None] | None = None,
) -> Audit:
    """What the log of a run and its tables show, each of which is read once.

    Args:
        left: what the run left.
        known: the alerts, which take longest, if the run kept them.
        keep: is called with each step, its table, and the share of its zero-variance groups if it has groups.
    """
    rewards, weights = rewards_of_run(left)
    steps = [log for log in left.history if "reward" in log]
    is_logged = bool(steps)
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in rewards}
    golds: Counter[tuple[str, str, str | None, str]] = Counter()
    shares: list[float | None] = []
    for step, table in left.tables.whole():
        shares.append(zero_variance_share(table, rewards, weights))
        if keep is not None:
            keep(step, table, shares[-1])
        if not is_logged:
            steps.append(log_of_table(step, table, rewards, weights or {}))
        for name in rewards:
            pairs[name] += _with_advantage(table, name)
            golds.update(_unusable(table, name))
    is_total_known = is_logged or weights is not None
    names = [one for one in FIGURES if one != "reward" or is_total_known] + [f"rewards/{one}/mean" for one in rewards]
    figures = {name: [log.get(name) for log in steps] for name in names} | {"zero_variance": shares}
    return Audit(
        str(left.folder),
        len(steps),
        len(shares),
        [trend for name, values in figures.items() for trend in _trend(name, values)],
        {name: _correlation(its) for name, its in pairs.items()},
        [Gold(*key, count) for key, count in golds.most_common(GOLDS_SHOWN)],
        alerts(steps, left.tables, left.gold, left.settings.get("reward_weights")) if known is None else [*known],
        left.passed_over,
    )


def log_of_table(step: int, table: Table, rewards: Sequence[str], weights: Weights | None) -> dict[str, Any]:
    """What would have been logged of the rewards of a step, from its table; without weights, nothing of the total."""
    log: dict[str, Any] = {"step": step}
    for name in rewards:
        if name in table:
            log[f"rewards/{name}/mean"] = fmean(numbers(table[name]) or [nan])
        reasons = table.get(f"{name}/reason", ())  # the share of each, as a reward logs them
        log |= {f"{name}/{reason}": count / len(reasons) for reason, count in Counter(reasons).items() if reason}
    if weights is not None:
        log["reward"] = fmean(total(table, row, rewards, weights) for row in range(len(table["completion"])))
    return log


def rewards_in(table: Table) -> list[str]:
    """The names of a table's columns that hold what rewards gave."""
    return [name for name in table if name not in OWN and "/" not in name and all(map(is_number, table[name]))]


def _trend(name: str, of_steps: Sequence[float | None]) -> list[Trend]:
    """The trend of a figure; none if no step has it."""
    values = numbers(of_steps)
    end = values[max(START_STEPS, len(values) - WINDOW_STEPS) :] or values
    return [Trend(name, fmean(values[:START_STEPS]), fmean(end), len(values))] if values else []


def _with_advantage(table: Table, reward: str) -> Iterator[tuple[float, float]]:
    """(a reward, its advantage) of each completion, each less its mean in the group."""
    if {reward, "advantage"} <= table.keys():
        values, advantages = ([*map(number, table[name])] for name in (reward, "advantage"))
        for rows in by_prompt(table):
            known = [row for row in rows if None not in (values[row], advantages[row])]
            ours, theirs = (_centred(numbers(column[row] for row in known)) for column in (values, advantages))
            yield from zip(ours, theirs, strict=True)


def _centred(values: Sequence[float]) -> list[float]:
    """The values less their mean: exactly 0 where all are the same."""
    mean = fmean(values) if len({*values}) > 1 else None
    return [0.0 if mean is None else one - mean for one in values]


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The correlation of pairs of numbers; ``None`` where one of them never differs."""
    try:
        return correlation(*zip(*pairs, strict=True))
    except (StatisticsError, TypeError):
        return None


def _unusable(table: Table, reward: str) -> Iterator[tuple[str, str, str | None, str]]:
    """(the reward, the reason, the gold, the prompt's end) of each completion whose gold could not be used."""
    for row, reason in enumerate(table.get(f"{reward}/reason", ())):
        if reason in ROW_AT_FAULT:
            gold = table[f"{reward}/answer"][row] if f"{reward}/answer" in table else None
            cut = None if gold is None else str(gold)[:GOLD_CUT]
            yield reward, reason, cut, str(table["prompt"][row])[-GOLD_CUT:]
