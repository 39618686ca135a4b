"""The rules of the monitor, each of which reads what is known of a run, and ``alerts``, which applies them.

Health is what keeps a run from learning as much as it could. A suspicion is a sign of reward hacking. An honest run may
show any of these numbers, so that each is compared with the run's own first steps. What this policy already did before
it learnt anything is not alarming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import inf, sqrt
from statistics import fmean, pvariance
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.checks.findings import Findings, finding_of
from grpo_rewards.checks.run.contents import Contents, Weights, contents_of, known_weights, number
from grpo_rewards.checks.run.files import Alert, Logs, logged_rewards
from grpo_rewards.checks.setup.trials import ROW_AT_FAULT
from grpo_rewards.completion_tables import Table
from grpo_rewards.registry import get_reward, list_rewards

START_STEPS = 3  # logged steps at the start of a run, which show what this policy does before it has learnt anything
WINDOW_STEPS = 10  # logged steps that are judged together: one batch is a small sample
CLEAR_ERRORS = 3.0  # standard errors between two windows, below which a difference may be chance
GOLD_GAIN = 0.02  # by which a gold-based reward must have risen for more answers to be right
ZERO_VARIANCE_SHARE = 0.8  # of the groups give no gradient: four fifths of the generation is wasted
CLEAR_MAJORITY = 0.75  # of these groups are all right, or all wrong
TRUNCATED_SHARE = 0.3  # of the completions have no end
GOLD_FALL = 0.1  # of a gold-based reward's best window that it lost while what is rewarded rose
PROXY_RISE = 0.05  # of its size by which what is rewarded rose in the meantime
LONGER_FACTOR, SHORTER_FACTOR = 1.4, 1 / 3  # times the length at the start, without more right answers
TOTAL_RISE = 0.2  # of its size by which the total rose by rewards without golds alone
TOP_PREDICTIONS = 3  # answers that a policy may have collapsed onto
ANSWERING_SHARE = 0.3  # of the completions that must give an answer, for a few show nothing of the policy
COLLAPSED_SHARE = 0.6  # of all predictions that are one of these
COLLAPSED_EXCESS = 0.3  # by which that is more than their share of the start, and more than the golds' top share
STUFFING_WORDS = 5  # that gained most
STUFFED = 2.0  # of these words in a completion, more than one of its length had at the start
STUFFED_FACTOR = 2.0  # times the share of the words that they were at the start
CAUSES = ("all right", "all wrong", "none scored")  # what a zero-variance group may be by the tables
# By the rule, the reasons whose share of a reward's completions it reports, and from which share on.
REPORTED_REASONS = {
    "timeouts": (("timeout", "call_timeout", "worker_killed", "crashed"), 0.01),  # each costs seconds
    "unreadable golds": (ROW_AT_FAULT, 0.02),  # cannot be scored whatever a model writes
}
# By the rule, a number of the tables, from which value on it is reported, and by how much it must have grown.
GROWING = {
    "same text": ("same text", 0.4, 0.25),
    "empty": ("empty", 0.3, 0.2),
    "many candidates": ("candidates", 1.5, 0.4),  # answers offered in one completion
}


class Level(NamedTuple):
    """The mean at the start and now, and their distance in standard errors."""

    start: float
    now: float
    errors: float

    @property
    def rise(self) -> float:
        return self.now - self.start

    def rose_by(self, share: float) -> bool:
        """Whether it clearly rose, by ``share`` of its starting size (by share² if it began near 0)."""
        return self.errors >= CLEAR_ERRORS and self.rise >= share * max(abs(self.start), share)


class Watch:
    """A run as far as it was seen.

    Args:
        gold: the names of the rewards that compare with what is known to be right; see ``alerts``.
        weights: those of the rewards, in the order of the log; without them, 1 in a step whose log adds up so.

    Attributes:
        found: what was reported so far, each rule and reward once.
        gold: the names of those that compare with what is known to be right, also of parts of composites.
        numbers: by name, the values of the log and of the tables, one for each step that has a number there.
        tables: what those of the start hold, and those of the last window.
    """

    def __init__(self, gold: Sequence[str] | None = None, weights: Sequence[float] | None = None) -> None:
        self.found: dict[tuple[str, str | None], Alert] = {}
        self.gold: tuple[str, ...] = tuple(gold or ())
        self.finds_gold = gold is None
        self.weights = weights
        self.numbers: dict[str, list[float]] = {}
        self.tables: list[Contents] = []

    @property
    def rewards(self) -> list[str]:
        """The names of the rewards, as the log has them."""
        return logged_rewards([self.numbers])

    def see(self, log: Mapping[str, Any], table: Table | None) -> list[Alert]:
        """What a step shows for the first time, by its log and its table, if there is one."""
        self._add(log)
        if table is not None:
            self._add_table(table, known_weights(self.weights, self.rewards, [log]))
        total = self.level("reward")
        # a policy that earns less than at the start has broken: it looks strange too, and is no hack
        is_suspect = table is not None and total is not None and total.rise > 0
        known = len(self.found)
        for rule in (*RULES, *(HACKING_IN_TABLES if is_suspect else ())):
            for seen in rule(self):
                self.found.setdefault((seen.check, seen.reward), Alert(**vars(seen), step=int(log["step"])))
        return [*self.found.values()][known:]

    def see_all(self, history: Logs, tables: Mapping[int, Table]) -> list[Alert]:
        """What the logged steps show for the first time, each with its table if there is one."""
        logs = (log for log in history if "reward" in log)  # those of evaluations are no steps
        return [alert for log in logs for alert in self.see(log, tables.get(int(log["step"])))]

    def _add_table(self, table: Table, weights: Weights | None) -> None:
        contents = contents_of(table, self.rewards, self.gold, weights)
        if self.finds_gold:
            self.gold = tuple(dict.fromkeys((*self.gold, *filter(_is_gold_based, contents.graded))))
        self._add({f"table/{name}": value for name, value in contents.numbers.items()})
        self.tables.append(contents)
        if len(self.tables) > START_STEPS + WINDOW_STEPS:
            del self.tables[START_STEPS]

    def _add(self, numbers: Mapping[str, Any]) -> None:
        for name, value in numbers.items():
            values = self.numbers.setdefault(name, [])
            if not isinstance(value, bool) and number(value) is not None:
                values.append(float(value))

    def values(self, name: str) -> list[float]:
        """The values of a number, one for each step that has it."""
        return self.numbers.get(name, [])

    def recent(self, name: str) -> float | None:
        """The mean over the last window; ``None`` before there is one."""
        values = self.values(name)
        return fmean(values[-WINDOW_STEPS:]) if len(values) >= WINDOW_STEPS else None

    def level(self, name: str, ago: int = 0) -> Level | None:
        """The number at the start, and in the window that ended so many steps ago; ``None`` where these overlap."""
        values = self.values(name)
        end = len(values) - ago
        if end < START_STEPS + WINDOW_STEPS:
            return None
        return between(values[:START_STEPS], values[end - WINDOW_STEPS : end])

    def mean_of(self, reward: str) -> str:
        """The name of the number that is a reward's mean; that of a part of a composite is logged by the composite."""
        own = f"rewards/{reward}/mean"
        of_parts = (name for name in self.numbers if name.endswith(f"/{reward}") and not name.startswith("table/"))
        return own if own in self.numbers else next(of_parts, own)

    def is_learning(self, ago: int = 0) -> bool:
        """Whether a gold-based reward has risen, or may have: its number is not known in all steps."""
        golds = [self.level(self.mean_of(name), ago) for name in self.gold]
        return any(gold is None or gold.rise >= GOLD_GAIN for gold in golds)

    def counts(self, of: str) -> tuple[Counter[str], Counter[str]] | None:
        """What the tables count, at the start and now; ``None`` as long as these are not different tables."""
        if len(self.tables) < START_STEPS + WINDOW_STEPS:
            return None
        several = [getattr(one, of) for one in self.tables]
        return sum(several[:START_STEPS], Counter[str]()), sum(several[START_STEPS:], Counter[str]())


def _is_gold_based(name: str) -> bool:
    """Whether a reward whose golds a table has compares with them itself; one of an unknown name is taken to do so."""
    return name not in list_rewards() or get_reward(name).is_gold_based


def between(start: Sequence[float], now: Sequence[float]) -> Level:
    """How far two samples of steps lie apart."""
    spread = (pvariance(start) * len(start) + pvariance(now) * len(now)) / max(len(start) + len(now) - 2, 1)
    error = sqrt(spread * (1 / len(start) + 1 / len(now)))
    rise = fmean(now) - fmean(start)
    return Level(fmean(start), fmean(now), rise / error if error > 0 else (0.0 if rise == 0 else rise * inf))


Rule: TypeAlias = Callable[[Watch], Findings]


def zero_variance(run: Watch) -> Findings:
    """Most groups have no spread of rewards: counted in the tables, or without these as TRL's log has it."""
    counted = run.recent("table/flat")
    share = run.recent("frac_reward_zero_std") if counted is None else counted
    if share is not None and share >= ZERO_VARIANCE_SHARE:
        parts = {one: run.recent(f"table/{one}") or 0.0 for one in CAUSES}
        cause = next((one for one, part in parts.items() if part >= CLEAR_MAJORITY * share), "mixed")
        source = "" if counted is not None else ", by TRL's frac_reward_zero_std, which may miss more"
        yield finding_of(f"no signal.{cause}", share=share, part=parts.get(cause), steps=WINDOW_STEPS, source=source)


def never_varies(run: Watch) -> Findings:
    """A reward has given everyone the same number, or no number, since the run began."""
    for name in run.rewards if len(run.values("step")) >= WINDOW_STEPS else ():
        means, spreads = (run.values(f"rewards/{name}/{what}") for what in ("mean", "std"))
        if not means:
            yield finding_of("never varies.none", name)
        elif len(means) >= WINDOW_STEPS and not any(spreads) and max(means) == min(means):
            yield finding_of("never varies.one", name, number=means[0], steps=len(means))


def truncated(run: Watch) -> Findings:
    """Many completions reach the longest length."""
    share = run.recent("completions/clipped_ratio")
    if share is not None and share >= TRUNCATED_SHARE:
        yield finding_of("truncation.seen", share=share)


def reported_reasons(run: Watch) -> Findings:
    """Grading ran out of time, or golds cannot be read: each metric ``<name>/<reason>`` is a share of a step's rows."""
    for rule, (reasons, least) in REPORTED_REASONS.items():
        found: dict[str, float] = {}
        for metric, values in run.numbers.items():
            name, _, reason = metric.rpartition("/")
            is_share = reason in reasons and not name.startswith(("table/", "rewards/"))
            if name and is_share and len(values) >= START_STEPS:
                found[name] = found.get(name, 0.0) + fmean(values[-WINDOW_STEPS:])
        for name, share in found.items():
            if share >= least:
                yield finding_of(f"{rule}.seen", name, share=share)


def proxy_against_gold(run: Watch) -> Findings:
    """What is rewarded has risen since a reward that knows the right answer was at its best, which has fallen."""
    for gold in run.gold:
        values = run.values(run.mean_of(gold))
        if len(values) < START_STEPS + WINDOW_STEPS:
            continue
        # the best of the windows before the last one, of which the start is one
        firsts = range(0, len(values) - 2 * WINDOW_STEPS + 1, START_STEPS)
        spans = [slice(0, START_STEPS), *(slice(first, first + WINDOW_STEPS) for first in firsts)]
        means = [fmean(values[span]) for span in spans]
        best = spans[means.index(max(means))]
        fall = between(values[best], values[-WINDOW_STEPS:])
        if fall.rise > -GOLD_FALL * max(abs(fall.start), GOLD_FALL) or fall.errors > -CLEAR_ERRORS:
            continue
        others = [name for name in run.rewards if name not in run.gold]
        proxies = {"reward": "the weighted total", **{f"rewards/{name}/mean": f"'{name}'" for name in others}}
        for name, title in proxies.items():
            earned = run.values(name)
            if len(earned) != len(values):  # else some steps have only one of the two
                continue
            gain = between(earned[best], earned[-WINDOW_STEPS:])
            if gain.rose_by(PROXY_RISE):
                yield finding_of("proxy against gold.seen", gold, title=title, gain=gain, fall=fall)


def length_changes(run: Watch) -> Findings:
    """Completions are clearly longer or shorter than at the start, and the total rose, but not right answers."""
    length, total = run.level("completions/mean_length"), run.level("reward")
    if not (length and total and run.gold) or length.start <= 0 or run.is_learning():
        return
    factor = length.now / length.start
    is_changed = factor >= LONGER_FACTOR or factor <= SHORTER_FACTOR
    if is_changed and abs(length.errors) >= CLEAR_ERRORS and total.errors >= CLEAR_ERRORS:
        yield finding_of(f"{'longer' if factor > 1 else 'shorter'}, not better.seen", length=length, total=total)


def only_proxies(run: Watch) -> Findings:
    """For two windows the total has been higher than at the start, by rewards without golds alone."""
    windows = (0, WINDOW_STEPS)
    totals = [total for ago in windows if (total := run.level("reward", ago))]
    if [one.rose_by(TOTAL_RISE) for one in totals] != [True, True] or not run.gold:
        return
    levels = {name: run.level(f"rewards/{name}/mean") for name in run.rewards if name not in run.gold}
    risen = [
        f"'{name}' ({its.start:.3g} to {its.now:.3g})"
        for name, its in levels.items()
        if its and its.errors >= CLEAR_ERRORS
    ]
    if risen and not any(run.is_learning(ago) for ago in windows):
        yield finding_of("only proxies.seen", total=totals[0], by=" and ".join(risen), steps=2 * WINDOW_STEPS)


def growing(run: Watch) -> Findings:
    """A number of the completions that grows with one kind of reward hacking."""
    for rule, (measure, least, rise) in GROWING.items():
        level = run.level(f"table/{measure}")
        if level and level.now >= least and level.rise >= rise and level.errors >= CLEAR_ERRORS:
            yield finding_of(f"{rule}.seen", level=level)


def collapsed(run: Watch) -> Findings:
    """Few answers are given to questions with many."""
    predictions, golds_then_and_now = run.counts("predictions"), run.counts("golds")
    if predictions is None or golds_then_and_now is None:
        return
    (before, now), golds = predictions, sum(golds_then_and_now, Counter[str]())
    if not golds or now.total() < ANSWERING_SHARE * sum(run.values("table/rows")[-WINDOW_STEPS:]):
        return
    for size in range(1, TOP_PREDICTIONS + 1):
        top = [answer for answer, _ in now.most_common(size)]
        share, at_first = (sum(counts[one] for one in top) / max(counts.total(), 1) for counts in (now, before))
        right = sum(count for _, count in golds.most_common(size)) / golds.total()
        if share >= COLLAPSED_SHARE and share - max(at_first, right) >= COLLAPSED_EXCESS:
            answers, golds_are = " or ".join(map(repr, top)), "gold is" if size == 1 else f"{size} golds are"
            yield finding_of("one answer.seen", share=share, first=at_first, right=right, top=answers, golds=golds_are)
            return


def stuffed(run: Watch) -> Findings:
    """A few words are more and more of what is written, and no more answers are right for it."""
    words = run.counts("words")
    if words is None or run.is_learning():
        return
    before, now = ({word: count / (its[""] or inf) for word, count in its.items() if word} for its in words)
    gained = sorted(now, key=lambda word: now[word] - before.get(word, 0.0), reverse=True)[:STUFFING_WORDS]
    share, at_first = (sum(shares.get(word, 0.0) for word in gained) for shares in (now, before))
    length = run.recent("table/words") or 0.0
    most = max((now[word] for word in gained), default=0.0)
    if (share - at_first) * length >= STUFFED and share >= STUFFED_FACTOR * at_first and most * length >= 1:
        yield finding_of("keywords.seen", words=", ".join(map(repr, gained)), share=share, first=at_first)


RULES: tuple[Rule, ...] = (
    *(never_varies, reported_reasons, proxy_against_gold, length_changes),
    *(only_proxies, zero_variance, truncated),
)
HACKING_IN_TABLES: tuple[Rule, ...] = (growing, collapsed, stuffed)


def alerts(
    history: Logs,
    tables: Mapping[int, Table],
    gold: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
) -> list[Alert]:
    """What a run shows, from its log and its tables of completions; the same as ``RewardMonitor`` reports meanwhile.

    Args:
        history: one dict of numbers for each logged step, as ``trainer.state.log_history`` has them.
        tables: the tables of completions by step, as TRL writes them; ``{}`` if there are none.
        gold: the names of the rewards that compare with what is known to be right; by default the rewards whose
            golds are in the tables, without registered ones that only depend on another reward for what is right.
        weights: those of the rewards, in the order of the log, if they are known.

    Returns:
        The alerts in the order in which they were first seen, each rule and reward once.

    >>> alerts([{"step": at, "reward": 0.1, "frac_reward_zero_std": 1.0} for at in range(10)], {})[0].rule
    'no signal'
    """
    return Watch(gold, weights).see_all(history, tables)
