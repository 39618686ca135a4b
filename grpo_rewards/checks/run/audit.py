"""A finished run, by what it left: trends, correlation of each reward with the advantage, bad golds and alerts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite, nan
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from grpo_rewards.checks.run.contents import by_prompt, given_weights, logged_weights, zero_variance_share
from grpo_rewards.checks.run.files import OWN, STATE_FILE, Alert, Left, PassedOver, Table, left_in, reward_of
from grpo_rewards.checks.run.rules import START_STEPS, WINDOW_STEPS, alerts
from grpo_rewards.checks.setup.trials import ROW_AT_FAULT
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.errors import listed

__all__ = [
    "Audit",
    "audit_run",
    "judged",
    "log_of_table",
    "rewards_in",
    "run_in",
]

FIGURES = ("reward", "reward_std", "frac_reward_zero_std", "completions/mean_length", "completions/clipped_ratio")
TREND_TITLES = {"zero_variance": "zero-variance groups", "frac_reward_zero_std": "TRL's frac_reward_zero_std"}
GOLDS_SHOWN = 20
RUNS_NAMED = 5
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
        prompt: its end.
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
    passed_over: list[PassedOver] = field(default_factory=list)

    @property
    def compared(self) -> tuple[int, int]:
        """How many logged steps the trends compare: the first, and of those behind them the last."""
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
    weights = left.settings.get("reward_weights")
    history = left.history
    if not any("reward" in log for log in history):
        tables = ((step, left.tables.get(step)) for step in sorted(left.tables))
        history = [log_of_table(step, table, weights) for step, table in tables if table is not None]
    found = judged(left, history, weights=weights)
    found.passed_over = left.passed_over
    return found


def run_in(folder: Path) -> Left:
    """What a run left, of which its log or its tables may be missing.

    Raises:
        RewardError: the folder has neither a log nor a table that can be read.
    """
    if not folder.is_dir():
        is_file = " It is a file: name the output_dir of a run." if folder.exists() else ""
        raise RewardError(f"there is no folder {folder}.{is_file}")
    left = left_in(folder)
    if not left.history and not any(left.tables.get(step) for step in left.tables):
        if left.passed_over:
            raise RewardError(f"{folder} holds no run that can be read. {' '.join(map(str, left.passed_over))}")
        raise RewardError(
            f"{folder} holds no run: neither checkpoint-*/trainer_state.json nor "
            "completions/completions_*.parquet, which a run leaves with save_steps=… and log_completions=True, nor "
            "the completions.jsonl of ms-swift."
            f"{_nearer(folder)}"
        )
    return left


def _nearer(folder: Path) -> str:
    """What to name instead of a folder that lies in a run, or holds runs; nothing if it does neither."""
    if (folder.resolve().name == "completions") or folder.name.startswith("checkpoint-"):
        return f" It lies in one: name {folder.resolve().parent}."
    inside = [
        path.parent.parent for path in (*folder.glob("*/completions/*.parquet"), *folder.glob(f"*/*/{STATE_FILE}"))
    ]
    return f" There are some in it: {listed(sorted({str(path) for path in inside})[:RUNS_NAMED])}." if inside else ""


def judged(
    left: Left,
    history: Sequence[dict[str, Any]],
    known: Sequence[Alert] | None = None,
    weights: Sequence[float] | None = None,
) -> Audit:
    """What a log and the tables of a run show; with the ``known`` alerts, which take longest, if given."""
    steps = [log for log in history if "reward" in log]
    rewards = _rewards_in(steps)
    found = Audit(str(left.folder), len(steps), 0, _trends(steps, rewards))
    sums = {name: [0.0, 0.0, 0.0] for name in rewards}
    golds: Counter[tuple[str, str, str | None, str]] = Counter()
    shares: list[float | None] = []
    known_weights = logged_weights(steps, rewards) if weights is None else given_weights(weights, rewards)
    for step in sorted(left.tables):
        table = left.tables.get(step)
        if table is None:
            continue
        found.tables += 1
        shares.append(zero_variance_share(table, rewards, known_weights))
        for name in rewards:
            _add_products(sums[name], table, name)
            golds.update(_unusable(table, name))
    found.trends += _trend("zero_variance", shares)
    found.decided = {name: _correlation(*its) for name, its in sums.items()}
    found.golds = [Gold(*key, count) for key, count in golds.most_common(GOLDS_SHOWN)]
    found.alerts = alerts(history, left.tables, left.gold, weights) if known is None else list(known)
    return found


def log_of_table(step: int, table: Table, given: Sequence[float] | None = None) -> dict[str, Any]:
    """What would have been logged of the rewards of a step, from its table, with the weights that were given or 1."""
    names = rewards_in(table)
    weights = dict.fromkeys(names, 1.0) if given is None else given_weights(given, names)
    means = {f"rewards/{name}/mean": fmean(_numbers(table[name]) or [nan]) for name in names}
    return {
        "step": step,
        "reward": sum((weights or {}).get(name, 1.0) * means[f"rewards/{name}/mean"] for name in names),
        "rows": len(table["completion"]),
        **means,
        **{metric: share for name in names for metric, share in _reasons_of(table, name).items()},
    }


def _reasons_of(table: Table, reward: str) -> dict[str, float]:
    """The share of each reason that a reward gave, as it logs them."""
    reasons = table.get(f"{reward}/reason", ())
    return {f"{reward}/{reason}": count / len(reasons) for reason, count in Counter(reasons).items() if reason}


def rewards_in(table: Table) -> list[str]:
    """The names of a table's columns that hold what rewards gave."""
    return [name for name in table if name not in OWN and "/" not in name and is_numbers(table[name])]


def is_numbers(values: Sequence[Any]) -> bool:
    """Whether a column holds numbers, or nothing, as those of rewards do."""
    return all(value is None or isinstance(value, int | float) for value in values)


def _numbers(values: Sequence[Any]) -> list[float]:
    return [float(value) for value in values if value is not None and isfinite(value)]


def _rewards_in(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    names = (reward_of(name) for log in steps for name in log)
    return [name for name in dict.fromkeys(names) if name is not None]


def _trends(steps: Sequence[Mapping[str, Any]], rewards: Sequence[str]) -> list[Trend]:
    names = (*FIGURES, *(f"rewards/{reward}/mean" for reward in rewards))
    return [trend for name in names for trend in _trend(name, [log.get(name) for log in steps])]


def _trend(name: str, of_steps: Sequence[float | None]) -> list[Trend]:
    """The trend of a figure; none if no step has it."""
    values = _numbers(of_steps)
    end = values[max(START_STEPS, len(values) - WINDOW_STEPS) :] or values
    return [Trend(name, fmean(values[:START_STEPS]), fmean(end), len(values))] if values else []


def _add_products(sums: list[float], table: Table, reward: str) -> None:
    """Adds Σr², Σa² and Σra of a reward and the advantage, each less its mean in the group."""
    values, advantages = table.get(reward), table.get("advantage")
    if values is None or advantages is None or not is_numbers(values):
        return
    for rows in by_prompt(table):
        both = [(values[at], advantages[at]) for at in rows if _numbers([values[at]]) and _numbers([advantages[at]])]
        if len(both) > 1:
            ours, theirs = zip(*both, strict=True)
            if pstdev(ours) == 0 and pstdev(theirs) == 0:
                continue
            mean, middle = fmean(ours), fmean(theirs)
            for one, other in both:
                sums[0] += (one - mean) ** 2
                sums[1] += (other - middle) ** 2
                sums[2] += (one - mean) * (other - middle)


def _correlation(ours: float, theirs: float, both: float) -> float | None:
    return both / (ours * theirs) ** 0.5 if ours > 0 and theirs > 0 else None


def _unusable(table: Table, reward: str) -> list[tuple[str, str, str | None, str]]:
    reasons, golds = table.get(f"{reward}/reason"), table.get(f"{reward}/answer")
    if reasons is None:
        return []
    return [
        (reward, reason, None if golds is None else _cut(golds[at]), str(table["prompt"][at])[-GOLD_CUT:])
        for at, reason in enumerate(reasons)
        if reason in ROW_AT_FAULT
    ]


def _cut(gold: Any) -> str | None:
    return None if gold is None else str(gold)[:GOLD_CUT]
