"""The rules of the monitor, each of which reads what is known of a run, and ``alerts``, which applies them.

Health is what keeps a run from learning as much as it could. A suspicion is what a policy looks like that earns its
rewards in another way than was meant: an honest run may show any of these numbers, so that each is compared with the
run's own first steps. What this policy already did before it learnt anything is not alarming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf, isfinite, sqrt
from statistics import fmean, pvariance
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.checks.findings import Finding, finding_of
from grpo_rewards.checks.run.contents import Contents, adds_up, contents_of, given_weights
from grpo_rewards.checks.run.files import Alert, Table, reward_of
from grpo_rewards.checks.setup.trials import ROW_AT_FAULT
from grpo_rewards.registry import get_reward, list_rewards

START_STEPS = 3  # logged steps at the start of a run, which show what this policy does before it has learnt anything
WINDOW_STEPS = 10  # logged steps that are judged together: one batch is a small sample
CLEAR_ERRORS = 3.0  # standard errors between two windows, below which a difference may be chance
GOLD_GAIN = 0.02  # by which a gold-based reward must have risen for more answers to be right
ZERO_VARIANCE_SHARE = 0.8  # of the groups give no gradient: four fifths of the generation is wasted
CLEAR_MAJORITY = 0.75  # of these groups are all right, or all wrong
LENGTH_FACTOR = 3.0  # so many times the length at the start, or that part of it
TRUNCATED_SHARE = 0.3  # of the completions have no end
GOLD_FALL = 0.1  # of a gold-based reward's best window that it lost while what is rewarded rose
PROXY_RISE = 0.05  # of its size by which what is rewarded rose in the meantime
LONGER_FACTOR = 1.4  # so many times the length at the start, without more right answers
TOTAL_RISE = 0.2  # of its size by which the total rose by rewards without golds alone
TOP_PREDICTIONS = 3  # answers that a policy may have collapsed onto
ANSWERING_SHARE = 0.3  # of the completions that must give an answer, for a few show nothing of the policy
COLLAPSED_SHARE = 0.6  # of all predictions that are one of these
COLLAPSED_EXCESS = 0.3  # by which that is more than their share of the start, and more than the golds' top share
CANDIDATES = 1.5  # answers offered in one completion
CANDIDATES_FACTOR = 1.4  # times those of the start
STUFFING_WORDS = 5  # that gained most
STUFFED = 2.0  # of these words in a completion, more than one of its length had at the start
STUFFED_FACTOR = 2.0  # times the share of the words that they were at the start
SMALLEST_GAIN = 0.01  # that is worth reporting
UNSCORED_SHARE, UNSCORED_RISE = 0.3, 0.2  # of the completions that a reward with penalties gave no number
CAUSES = ("all right", "all wrong", "none scored")  # what a zero-variance group may be by the tables
# By the rule, the reasons whose share of a reward's completions it reports, and from which share on.
REPORTED_REASONS = {
    "timeouts": (("timeout", "call_timeout", "worker_killed", "crashed"), 0.01),  # each costs seconds
    "unreadable golds": (ROW_AT_FAULT, 0.02),  # cannot be scored whatever a model writes
}
# By the rule, a share of the tables, from which value on it is reported, and by how much it must have grown.
GROWING_SHARES = {
    "same text": ("same text", 0.4, 0.25),
    "repetition": ("padded", 0.3, 0.2),
    "empty": ("empty", 0.3, 0.2),
}


class Level(NamedTuple):
    """A number at the start of the run, and now; and how many standard errors lie between."""

    start: float
    now: float
    errors: float

    @property
    def rise(self) -> float:
        return self.now - self.start

    def rose_by(self, share: float) -> bool:
        """Whether it clearly rose, by a share of its size at the start, or of that share where it was about 0."""
        return self.errors >= CLEAR_ERRORS and self.rise >= share * max(abs(self.start), share)


class Record:
    """The steps of a run so far.

    Attributes:
        step: the last one.
        rewards: the names of the rewards, as the log has them.
        gold: the names of those that compare with what is known to be right, also of parts of composites.
        numbers: by name, the values of the log and of the tables, one for each step that has it.
        first: what the tables of the first steps hold.
        last: what those of the last steps hold.
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
            reward = reward_of(name)
            if reward is not None and reward not in self.rewards:
                self.rewards.append(reward)
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

    def mean_of(self, reward: str) -> str:
        """The name of the number that is a reward's mean; that of a part of a composite is logged by the composite."""
        own = f"rewards/{reward}/mean"
        of_parts = (name for name in self.numbers if name.endswith(f"/{reward}") and not name.startswith("table/"))
        return own if own in self.numbers else next(of_parts, own)

    def is_learning(self, ago: int = 0) -> bool:
        """Whether a gold-based reward has risen, or may have: its number is not known in all steps."""
        golds = [self.level(self.mean_of(name), ago) for name in self.gold]
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
    return Level(fmean(start), fmean(now), rise / error if error > 0 else (0.0 if rise == 0 else rise * inf))


Rule: TypeAlias = Callable[[Record], Iterator[Finding]]


def zero_variance(record: Record) -> Iterator[Finding]:
    """Most groups have no spread of rewards: counted in the tables, or without these as TRL's log has it."""
    counted = record.recent("table/flat")
    share = record.recent("frac_reward_zero_std") if counted is None else counted
    if share is not None and share >= ZERO_VARIANCE_SHARE:
        parts = {one: record.recent(f"table/{one}") or 0.0 for one in CAUSES}
        cause = next((one for one, part in parts.items() if part >= CLEAR_MAJORITY * share), "mixed")
        source = "" if counted is not None else ", by TRL's frac_reward_zero_std, which may miss more"
        yield finding_of(f"no signal.{cause}", share=share, part=parts.get(cause), steps=WINDOW_STEPS, source=source)


def never_varies(record: Record) -> Iterator[Finding]:
    """A reward has given everyone the same number, or no number, since the run began."""
    for name in record.rewards if record.steps("reward") >= WINDOW_STEPS else ():
        means, spreads = (record.numbers.get(f"rewards/{name}/{what}", []) for what in ("mean", "std"))
        if not means:
            yield finding_of("never varies.none", name)
        elif len(means) >= WINDOW_STEPS and not any(spreads) and max(means) == min(means):
            yield finding_of("never varies.one", name, number=means[0], steps=len(means))


def length_changes(record: Record) -> Iterator[Finding]:
    """Completions are several times as long as at the start, or as short, without more right answers."""
    level = record.level("completions/mean_length")
    if not level or level.start <= 0:
        return
    is_longer = level.now >= LENGTH_FACTOR * level.start
    if is_longer or (level.now * LENGTH_FACTOR <= level.start and not record.is_learning()):
        yield finding_of(f"length.{'longer' if is_longer else 'shorter'}", level=level)


def truncated(record: Record) -> Iterator[Finding]:
    """Many completions reach the longest length."""
    share = record.recent("completions/clipped_ratio")
    if share is not None and share >= TRUNCATED_SHARE:
        yield finding_of("truncation.seen", share=share)


def reported_reasons(record: Record) -> Iterator[Finding]:
    """Grading ran out of time, or golds cannot be read: each metric ``<name>/<reason>`` is a share of a step's rows."""
    for rule, (reasons, least) in REPORTED_REASONS.items():
        found: dict[str, float] = {}
        for metric, values in record.numbers.items():
            name, _, reason = metric.rpartition("/")
            is_share = reason in reasons and not name.startswith(("table/", "rewards/"))
            if name and is_share and len(values) >= START_STEPS:
                found[name] = found.get(name, 0.0) + fmean(values[-WINDOW_STEPS:])
        for name, share in found.items():
            if share >= least:
                yield finding_of(f"{rule}.seen", name, share=share)


def proxy_against_gold(record: Record) -> Iterator[Finding]:
    """What is rewarded has risen since a reward that knows the right answer was at its best, which has fallen."""
    for gold in record.gold:
        values = record.numbers.get(record.mean_of(gold), [])
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
        others = [name for name in record.rewards if name not in record.gold]
        proxies = {"reward": "the weighted total", **{f"rewards/{name}/mean": f"'{name}'" for name in others}}
        for name, title in proxies.items():
            earned = record.numbers.get(name, [])
            if len(earned) != len(values):  # else some steps have only one of the two
                continue
            gain = between(earned[best], earned[-WINDOW_STEPS:])
            if gain.rose_by(PROXY_RISE):
                yield finding_of("proxy against gold.seen", gold, title=title, gain=gain, fall=fall)


def length_not_answers(record: Record) -> Iterator[Finding]:
    """Length is rewarded, or brevity, and right answers do not come with it."""
    length, total = record.level("completions/mean_length"), record.level("reward")
    if not (length and total) or not record.gold or length.start <= 0 or record.is_learning():
        return
    is_longer = length.now >= LONGER_FACTOR * length.start
    is_changed = is_longer or length.now * LENGTH_FACTOR <= length.start
    if is_changed and abs(length.errors) >= CLEAR_ERRORS and total.errors >= CLEAR_ERRORS:
        rule = "longer, not better" if is_longer else "shorter, not better"
        yield finding_of(f"{rule}.seen", length=length, total=total)


def only_proxies(record: Record) -> Iterator[Finding]:
    """For two windows the total has been higher than at the start, by rewards without golds alone."""
    windows = (0, WINDOW_STEPS)
    totals = [total for ago in windows if (total := record.level("reward", ago))]
    if [one.rose_by(TOTAL_RISE) for one in totals] != [True, True] or not record.gold:
        return
    levels = {name: record.level(f"rewards/{name}/mean") for name in record.rewards if name not in record.gold}
    risen = [
        f"'{name}' ({its.start:.3g} to {its.now:.3g})"
        for name, its in levels.items()
        if its and its.errors >= CLEAR_ERRORS
    ]
    if risen and not any(record.is_learning(ago) for ago in windows):
        yield finding_of("only proxies.seen", total=totals[0], by=" and ".join(risen), steps=2 * WINDOW_STEPS)


def shares(record: Record) -> Iterator[Finding]:
    """A share of the completions that grows with one kind of reward hacking; and the rewards that give these more."""
    for rule, (measure, least, rise) in GROWING_SHARES.items():
        level = record.level(f"table/{measure}")
        if level and level.now >= least and level.rise >= rise and level.errors >= CLEAR_ERRORS:
            values = {name: record.numbers.get(f"table/more for {measure}/{name}", []) for name in record.rewards}
            means = {name: fmean(its[-WINDOW_STEPS:]) for name, its in values.items() if its}
            gains = {name: gain for name, gain in means.items() if gain >= SMALLEST_GAIN}
            more = " and ".join(f"'{name}' gives these {gain:.2g} more" for name, gain in gains.items())
            more = f" {more} than the others." if more else ""
            penalty = next((name for name in gains if rule == "empty" and _punishes(record, name)), None)
            kind = "seen" if penalty is None else "spared"  # a wrong answer costs more than none
            yield finding_of(f"{rule}.{kind}", level=level, more=more, penalty=penalty)


def _punishes(record: Record, name: str) -> bool:
    """Whether the reward has given less than nothing."""
    return min(record.numbers.get(f"table/least/{name}", [0.0])) < 0


def unscorable(record: Record) -> Iterator[Finding]:
    """More and more completions get no number from a reward that punishes wrong ones."""
    for name in record.rewards:
        level = record.level(f"table/unscored/{name}")
        if level and _punishes(record, name) and level.now >= UNSCORED_SHARE and level.rise >= UNSCORED_RISE:
            yield finding_of("unscorable.seen", name, level=level)


def collapsed(record: Record) -> Iterator[Finding]:
    """Few answers are given to questions with many."""
    if not record.is_long_enough:
        return
    before, now = _counts(record.first, "predictions"), _counts(record.last, "predictions")
    golds = _counts([*record.first, *record.last], "golds")
    if not golds or now.total() < ANSWERING_SHARE * sum(one.numbers["rows"] for one in record.last):
        return
    for size in range(1, TOP_PREDICTIONS + 1):
        top = [answer for answer, _ in now.most_common(size)]
        share, at_first = (sum(counts[one] for one in top) / max(counts.total(), 1) for counts in (now, before))
        right = sum(count for _, count in golds.most_common(size)) / golds.total()
        if share >= COLLAPSED_SHARE and share - max(at_first, right) >= COLLAPSED_EXCESS:
            answers, golds_are = " or ".join(map(repr, top)), "gold is" if size == 1 else f"{size} golds are"
            yield finding_of("one answer.seen", share=share, first=at_first, right=right, top=answers, golds=golds_are)
            return


def many_candidates(record: Record) -> Iterator[Finding]:
    """One completion offers several answers, so that one of them is right."""
    level = record.level("table/candidates")
    if level and level.now >= max(CANDIDATES, CANDIDATES_FACTOR * level.start) and level.errors >= CLEAR_ERRORS:
        yield finding_of("many candidates.seen", level=level)


def stuffed(record: Record) -> Iterator[Finding]:
    """A few words are more and more of what is written, and no more answers are right for it."""
    if not record.is_long_enough or record.is_learning():
        return
    before, now = (_shares_of_words(tables) for tables in (record.first, record.last))
    gained = sorted(now, key=lambda word: now[word] - before.get(word, 0.0), reverse=True)[:STUFFING_WORDS]
    share, at_first = (sum(shares.get(word, 0.0) for word in gained) for shares in (now, before))
    length = record.recent("table/words") or 0.0
    most = max((now[word] for word in gained), default=0.0)
    if (share - at_first) * length >= STUFFED and share >= STUFFED_FACTOR * at_first and most * length >= 1:
        yield finding_of("keywords.seen", words=", ".join(map(repr, gained)), share=share, first=at_first)


def _counts(tables: Sequence[Contents], of: str) -> Counter[str]:
    return sum((getattr(one, of) for one in tables), Counter[str]())


def _shares_of_words(tables: Sequence[Contents]) -> dict[str, float]:
    """Of each frequent word its share of all words and numbers."""
    written = sum(one.numbers["words"] * one.numbers["rows"] for one in tables) or inf
    return {word: count / written for word, count in _counts(tables, "words").items()}


RULES_OF_LOG: tuple[Rule, ...] = (
    *(never_varies, length_changes, reported_reasons),
    *(proxy_against_gold, length_not_answers, only_proxies),
)
RULES_OF_TABLES: tuple[Rule, ...] = (zero_variance, truncated)  # which are looked at also where there is no table
HACKING_IN_TABLES: tuple[Rule, ...] = (shares, unscorable, collapsed, many_candidates, stuffed)


class Watch:
    """A run as far as it was seen. For each step comes its log, and then its table if there is one.

    Args:
        gold: the names of the rewards that compare with what is known to be right; see ``alerts``.
        weights: those of the rewards, in the order of the log; where they are not given, 1 as long as it adds up so.

    Attributes:
        found: what was reported so far.
    """

    def __init__(self, gold: Sequence[str] | None = None, weights: Sequence[float] | None = None) -> None:
        self.record = Record(gold)
        self.weights, self.adds_up = weights, True
        self.found: dict[tuple[str, str | None], Alert] = {}

    def log(self, log: Mapping[str, Any]) -> list[Alert]:
        """What the log of a step shows for the first time. Logs of evaluations are not read here."""
        if "reward" not in log:
            return []
        self.record.add_log(log)
        self.adds_up &= adds_up(log, self.record.rewards)
        return self._new(RULES_OF_LOG)

    def table(self, table: Table | None) -> list[Alert]:
        """What the table of the last logged step shows for the first time; ``None`` if the step has none."""
        if table is not None:
            rewards = self.record.rewards
            ones = dict.fromkeys(rewards, 1.0) if self.adds_up else None
            weights = ones if self.weights is None else given_weights(self.weights, rewards)
            self.record.add_table(contents_of(table, rewards, self.record.gold, weights))
        # a policy that earns less than at the start has broken: it looks strange too, and is no hack
        total = self.record.level("reward")
        is_suspect = table is not None and total is not None and total.rise > 0
        return self._new((*RULES_OF_TABLES, *(HACKING_IN_TABLES if is_suspect else ())))

    def _new(self, rules: Sequence[Rule]) -> list[Alert]:
        new = []
        for seen in (seen for rule in rules for seen in rule(self.record)):
            if (seen.check, seen.reward) not in self.found:
                alert = Alert(**vars(seen), step=self.record.step)
                self.found[alert.key] = alert
                new.append(alert)
        return new


def alerts(
    history: Sequence[Mapping[str, Any]],
    tables: Mapping[int, Table],
    gold: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
) -> list[Alert]:
    """What a run shows, from its log and its tables of completions; the same as ``RewardMonitor`` reports meanwhile.

    Args:
        history: one dict of numbers for each logged step, as ``trainer.state.log_history`` has them.
        tables: the tables of completions by step, as TRL writes them; ``{}`` if there are none.
        gold: the names of the rewards that compare with what is known to be right; by default those whose golds the
            tables have, other than those that are registered and only call another reward for what is right.
        weights: those of the rewards, in the order of the log, if they are known.

    Returns:
        The alerts in the order in which they were first seen, each rule and reward once.

    >>> alerts([{"step": at, "reward": 0.1, "frac_reward_zero_std": 1.0} for at in range(10)], {})[0].rule
    'no signal'
    """
    watch = Watch(gold, weights)
    for log in history:
        watch.log(log)
        if "reward" in log:
            watch.table(tables.get(int(log["step"])))
    return list(watch.found.values())
