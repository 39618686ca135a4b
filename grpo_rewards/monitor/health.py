"""Rules on the log: what keeps a run from learning as much as it could. Each reads a record and yields alerts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean
from typing import TypeAlias

from grpo_rewards.monitor.alert import Alert
from grpo_rewards.monitor.record import START_STEPS, WINDOW_STEPS, Record
from grpo_rewards.preflight.golds import ROW_AT_FAULT

__all__ = [
    "HEALTH_OF_LOG",
    "HEALTH_OF_TABLES",
    "LENGTH_FACTOR",
    "TRUNCATED_SHARE",
    "Rule",
    "rewarded_when_truncated",
]

Rule: TypeAlias = Callable[[Record], Iterator[Alert]]

ZERO_VARIANCE_SHARE = 0.8  # of the groups give no gradient: four fifths of the generation is wasted
CLEAR_MAJORITY = 0.75  # of these groups are all right, or all wrong
LENGTH_FACTOR = 3.0  # so many times the length at the start, or that part of it
TRUNCATED_SHARE = 0.3  # of the completions have no end
TRUNCATED_REWARD_SHARE = 0.5  # of what all completions earn, from which on truncated ones are rewarded
FULL_REWARD_SHARE = 0.5  # of the completions get the most that a reward gives
APART_SHARE = 0.9  # of these get nothing from another reward, and so nearly all
AT_ODDS_SHARE = 0.3  # of the groups in which a reward gave its most to answers that cannot all be right
TIMEOUT_SHARE = 0.01  # of the completions were not graded in time: each costs seconds
UNREADABLE_SHARE = 0.02  # of the rows cannot be scored whatever a model writes
# What a zero-variance group may be by the tables, how that is reported, and what to do.
ZERO_VARIANCE_CAUSES = {
    "all right": ("nearly always all are right", "The problems are too easy by now: use harder ones, or stop here."),
    "all wrong": (
        "nearly always all are wrong",
        "Read some completions and their reasons: if the answers are right, the reward does not find them; if they are "
        "wrong, use easier problems or partial credit.",
    ),
    "none scored": (
        "nearly always none could be scored",
        "Read the reasons in the tables of completions: what no reward can score, such as a gold that it cannot read, "
        "teaches nothing. Mend these rows or leave them out.",
    ),
}
REMEDY_FOR_LONGER = (
    "If the length buys no right answers, add soft_overlong, or do not divide the loss by the length of the completion "
    "(loss_type='dapo' or 'dr_grpo')."
)
REMEDY_FOR_SHORTER = (
    "Read some: if the reasoning is gone that was wanted, let brevity earn something only where the answer is right "
    "(gated), or nothing."
)
UNGRADED_REASONS = ("timeout", "call_timeout", "worker_killed", "crashed")


def zero_variance(record: Record) -> Iterator[Alert]:
    """Most groups have no spread of rewards: counted in the tables, or without these as TRL's log has it."""
    counted = record.recent("table/flat")
    share = record.recent("frac_reward_zero_std") if counted is None else counted
    if share is None or share < ZERO_VARIANCE_SHARE:
        return
    message = f"in {share:.0%} of the groups of the last {WINDOW_STEPS} steps all completions earned the same"
    message += "" if counted is not None else ", by TRL's frac_reward_zero_std, which may miss more"
    remedy = "Use problems that the model sometimes solves, or more generations for each."
    for which, (cause, do) in ZERO_VARIANCE_CAUSES.items():
        share_of = record.recent(f"table/{which}") or 0.0
        if share_of >= CLEAR_MAJORITY * share:
            message, remedy = f"{message}: {cause} ({share_of:.0%} of the groups)", do
    yield Alert("health", "no signal", record.step, f"{message}.", remedy)


def never_varies(record: Record) -> Iterator[Alert]:
    """A reward has given everyone the same number, or no number, since the run began."""
    steps = record.steps("reward")
    if steps < WINDOW_STEPS:
        return
    for name in record.rewards:
        means, spreads = (record.numbers.get(f"rewards/{name}/{what}", []) for what in ("mean", "std"))
        remedy = f"Look at completions and at the shares {name}/<reason> in the log, or leave the reward out."
        if not means:
            yield Alert("health", "never varies", record.step, f"'{name}' has not given one number.", remedy, name)
        elif len(means) >= WINDOW_STEPS and not any(spreads) and max(means) == min(means):
            message = f"'{name}' was {means[0]:g} for every completion of {len(means)} steps: it teaches nothing."
            yield Alert("health", "never varies", record.step, message, remedy, name)


def length_changes(record: Record) -> Iterator[Alert]:
    """Completions are several times as long as at the start, or as short, without more right answers."""
    level = record.level("completions/mean_length")
    if not level or level.start <= 0:
        return
    is_longer = level.now >= LENGTH_FACTOR * level.start
    if is_longer or (level.now * LENGTH_FACTOR <= level.start and not record.is_learning()):
        message = f"completions have {level.now:.0f} tokens, after {level.start:.0f} at the start."
        yield Alert("health", "length", record.step, message, REMEDY_FOR_LONGER if is_longer else REMEDY_FOR_SHORTER)


def truncated(record: Record) -> Iterator[Alert]:
    """Many completions reach the longest length."""
    share = record.recent("completions/clipped_ratio")
    if share is not None and share >= TRUNCATED_SHARE:
        message = f"{share:.0%} of the completions are cut off before their end"
        remedy = "Raise max_completion_length, reward brevity (soft_overlong), or set mask_truncated_completions=True."
        rewarding = rewarded_when_truncated(record)
        if gains := [f"'{name}' gives these {earned:.2g} on average at least" for name, earned in rewarding]:
            message = f"{message}; {', '.join(gains)}"
            remedy = (
                "A longer max_completion_length may be filled as well: reward only completions that end, or reward "
                "brevity (soft_overlong)."
            )
        yield Alert(
            "health",
            "truncation",
            record.step,
            f"{message}.",
            remedy,
        )


def rewarded_when_truncated(record: Record) -> Iterator[tuple[str, float]]:
    """For each reward that clearly rewards completions that are cut off: its name, and what these earn at least.

    No table shows which completions these are. But were all others given the most that the reward has given, what is
    missing of its mean is theirs.
    """
    cut = record.numbers.get("completions/clipped_ratio", [])[-WINDOW_STEPS:]
    for name in record.rewards:
        means = record.numbers.get(f"rewards/{name}/mean", [])[-WINDOW_STEPS:]
        most = max(record.numbers.get(f"table/most/{name}", []), default=None)
        if most is None or not sum(cut) or len(means) != len(cut) or record.recent(f"table/unscored/{name}") != 0:
            continue
        earned = sum(mean - (1 - share) * most for mean, share in zip(means, cut, strict=True)) / sum(cut)
        if earned > TRUNCATED_REWARD_SHARE * fmean(means) > 0:
            yield name, earned


def graders_disagree(record: Record) -> Iterator[Alert]:
    """What earns most from one gold-based reward is worth nothing to another one."""
    for name in record.gold:
        best = record.numbers.get(f"table/most/{name}", [])
        full = record.recent(f"table/in full/{name}")
        if not best or full is None or full < FULL_REWARD_SHARE or min(best[-WINDOW_STEPS:]) < max(best):
            continue
        for other in record.gold:
            apart = record.recent(f"table/in full/{name}, nothing/{other}")
            if apart is not None and apart >= APART_SHARE * full:
                yield Alert(
                    "health",
                    "graders disagree",
                    record.step,
                    f"'{name}' gives its most to {full:.0%} of the completions, and {apart / full:.0%} of these get "
                    f"nothing from '{other}'; both are taken to know what is right.",
                    "Read such completions: if both judge the answer, one is too lax or the other does not find it.",
                    name,
                )


def lax_grader(record: Record) -> Iterator[Alert]:
    """A gold-based reward gives its most to different answers to one question."""
    for name in record.gold:
        share = record.recent(f"table/rewarded at odds/{name}")
        if share is not None and share >= AT_ODDS_SHARE:
            yield Alert(
                "health",
                "lax grader",
                record.step,
                f"'{name}' is taken to know what is right, and in {share:.0%} of the groups with several boxes that it "
                "gave its most, these hold different answers to the same question.",
                "Read such completions: if a question has one right answer, the reward accepts wrong ones. Add "
                "boxed_answer at a weight of 0, and see its verdicts on them.",
                name,
            )


def not_graded(record: Record) -> Iterator[Alert]:
    """Grading ran out of time."""
    for name, share in _reasons(record, UNGRADED_REASONS):
        if share >= TIMEOUT_SHARE:
            yield Alert(
                "health",
                "timeouts",
                record.step,
                f"'{name}' could not decide {share:.1%} of the completions in time.",
                "Look at the completions with these reasons: a policy that writes what no one can compute is "
                "rewarded for nothing else. Raise the reward's time limits only if the answers are sound.",
                name,
            )


def unreadable(record: Record) -> Iterator[Alert]:
    """Golds that no answer can meet."""
    for name, share in _reasons(record, ROW_AT_FAULT):
        if share >= UNREADABLE_SHARE:
            yield Alert(
                "health",
                "unreadable golds",
                record.step,
                f"'{name}' could not read the gold of {share:.1%} of the rows: these teach nothing.",
                "List them with grpo_rewards.check_answers, and mend or drop them.",
                name,
            )


def _reasons(record: Record, reasons: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    """For each reward that logs some of the reasons: its name and their share in the last window.

    Each metric ``<name>/<reason>`` is a share of all completions of a step.
    """
    found: dict[str, float] = {}
    for metric in record.numbers:
        name, _, reason = metric.rpartition("/")
        if name and reason in reasons and not name.startswith(("table/", "rewards/")):
            values = record.numbers[metric][-WINDOW_STEPS:]
            if len(values) >= START_STEPS:
                found[name] = found.get(name, 0.0) + sum(values) / len(values)
    yield from found.items()


HEALTH_OF_LOG: tuple[Rule, ...] = (never_varies, length_changes, not_graded, unreadable)
# those that read tables, if there are any
HEALTH_OF_TABLES: tuple[Rule, ...] = (zero_variance, truncated, graders_disagree, lax_grader)
