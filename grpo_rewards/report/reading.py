"""What a run left, in one pass over its tables: half a run is read as far as it goes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from grpo_rewards.checks.run.audit import Audit, judged, log_of_table, rewards_of_run, run_in
from grpo_rewards.checks.run.contents import total as earned_in_all
from grpo_rewards.checks.run.files import reward_of
from grpo_rewards.completion_tables import DamagedFile, Table, Tables
from grpo_rewards.registry import RewardError, get_reward
from grpo_rewards.report.evaluation_answers import evaluation_means, evaluations_in
from grpo_rewards.report.shown import shown_text


@dataclass(frozen=True)
class Group:
    """The completions of a prompt at a step: how many, the mean and the spread of what they earned, and of what."""

    prompt: str
    size: int
    mean: float
    spread: float


@dataclass
class Step:
    """One table of completions, counted.

    Attributes:
        step: its number.
        completions: how many it has.
        reasons: of each reward, how often it gave each reason.
        groups: the completions by prompt.
        lengths: the characters of each completion, with what it earned in all.
        zero_variance: the share of the zero-variance groups; ``None`` where no prompt has two completions.
    """

    step: int
    completions: int
    zero_variance: float | None
    reasons: dict[str, Counter[str]]
    groups: list[Group]
    lengths: list[tuple[int, float]]


@dataclass
class Run:
    """What a run left.

    Attributes:
        name: the folder's, or as much of its path as distinguishes it from the others.
        folder: where it lies.
        history: the log, a dict for each logged step; behind its end what the tables add.
        settings: the recipe's record of it.
        evaluation: what ``eval.json`` holds, or the means of the evaluations so far.
        rewards: their names.
        weights: by reward; ``None`` if no file has them and the log adds up with none.
        evaluations: the tables of its evaluations.
        audit: trends, golds and alerts.
        steps: its tables, counted.
        passed_over: files that are damaged, or not whole as while they are written.
    """

    name: str
    folder: Path
    history: list[dict[str, Any]]
    settings: dict[str, Any]
    evaluation: dict[str, Any]
    rewards: list[str]
    weights: dict[str, float] | None
    evaluations: Tables
    audit: Audit = field(default_factory=lambda: Audit("", 0, 0))
    steps: list[Step] = field(default_factory=list)
    passed_over: list[DamagedFile] = field(default_factory=list)

    @property
    def logs(self) -> list[dict[str, Any]]:
        """The logged steps of the training, without its evaluations."""
        return [log for log in self.history if "reward" in log or any(reward_of(name) for name in log)]

    @property
    def specs(self) -> dict[str, str]:
        """By name the specs of the rewards, as the settings have them."""
        found = {}
        for spec in self.settings.get("reward_funcs") or ():
            with suppress(RewardError):
                found[get_reward(str(spec)).name] = str(spec)
        return found

    @property
    def last_step(self) -> int:
        return max([0, *(int(log.get("step", 0)) for log in self.history), *(one.step for one in self.steps)])


def read(
    folder: str | Path,
    name: str,
    keep: Callable[[Run, int, Table], None] | None = None,
    evaluations: Tables | None = None,
) -> Run:
    """Reads a run, with its ``evaluations`` if these were looked at; ``keep`` is called with every table.

    Raises:
        RewardError: the folder is not there, or holds no run.
    """
    folder = Path(folder)
    left, evaluations = run_in(folder), evaluations or evaluations_in(folder)
    rewards, weights = rewards_of_run(left)
    evaluation = left.evaluation or evaluation_means(evaluations, rewards)
    run = Run(name, folder, [*left.history], left.settings, evaluation, rewards, weights, evaluations)
    logged = {log.get("step") for log in run.logs}

    def count(step: int, table: Table, zero_variance: float | None) -> None:
        if step not in logged:
            run.history.append(log_of_table(step, table, run.rewards, run.weights))
        run.steps.append(_counted(step, table, zero_variance, run))
        if keep is not None:
            keep(run, step, table)

    run.audit = judged(left, left.alerts, count)
    run.passed_over = [*left.passed_over, *evaluations.passed_over]
    return run


def total(table: Table, row: int, run: Run) -> float:
    """What a completion earned in all: its rewards times their weights, as far as these are known."""
    return earned_in_all(table, row, run.rewards, run.weights or {})


def _counted(step: int, table: Table, zero_variance: float | None, run: Run) -> Step:
    totals = [total(table, row, run) for row in range(len(table["completion"]))]
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for prompt, earned in zip(table["prompt"], totals, strict=True):
        groups[shown_text(prompt)].append(earned)
    reasons = {name: table.get(f"{name}/reason") for name in run.rewards}
    return Step(
        step,
        len(totals),
        zero_variance,
        {name: Counter(str(one or "no reason") for one in its) for name, its in reasons.items() if its is not None},
        [Group(text, len(its), fmean(its), pstdev(its)) for text, its in groups.items()],
        [(len(shown_text(text)), earned) for text, earned in zip(table["completion"], totals, strict=True)],
    )


def names_of(folders: Sequence[str | Path]) -> list[str]:
    """For each folder as much of the end of its path as distinguishes it from the others.

    >>> names_of(["runs/seed1/", "runs/seed2"]), names_of(["a/out", "b/out"])
    (['seed1', 'seed2'], ['a/out', 'b/out'])
    """
    parts = [Path(folder).resolve().parts for folder in folders]
    for depth in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(one[-depth:]) for one in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{name} ({at})" for at, name in enumerate(map(str, folders), 1)]
