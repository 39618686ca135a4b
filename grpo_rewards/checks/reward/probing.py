"""``probe``: reward hacks and spelled answers, tried on a reward, and what each earned beside honest answers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from statistics import mode
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.checks.findings import Finding, Findings, Severity, ShownAsTable, finding_of
from grpo_rewards.checks.reward.calling import Caller, Failure, as_trl_calls, mean_of, name_of, read_columns, ready
from grpo_rewards.checks.reward.problems import (
    HACKS,
    NO_ANSWERS,
    PROBED_ROWS,
    WAYS,
    Attempt,
    Problem,
    attempts,
    columns_of,
    filled,
    kinds_of_rows,
    problems_of,
    written,
)
from grpo_rewards.errors import harmless
from grpo_rewards.registry import Reward, RewardError

LARGEST_CRUMB = 0.1  # of the way to the best reward: what overlap and partial credit give to anything
MOST_NAMED = 4
NEARLY_ALL = 0.75  # of the way to the best reward: above it, a degenerate completion is as good as an answer
CLEARLY_SEPARATED = 0.05  # of the best reward, between an honest right and an honest wrong answer
RIGHT_FROM = 0.5  # of the way from a wrong answer to a right one: what a right answer must earn at least
LONGEST_EXAMPLE = 40
WRITTEN_BY_USER = "as you write it"
# What JSON calls attributes, as it always has.
KEYS_IN_JSON = {
    "separates_right_from_wrong": "tells_right_from_wrong",
    "messages": "said",
    "hack": "cheat",
    "is_rewarded": "is_paid",
}
# From a problem and an answer, as a box would hold it, to a completion; of the user, from a row.
WrittenIn: TypeAlias = Callable[[Problem, str], "str | None"]
WrittenByUser: TypeAlias = Callable[[dict[str, Any]], str]


@dataclass(frozen=True)
class Earned:
    """What one reward hack earned.

    Attributes:
        hack: its name.
        reward: the mean over the rows; ``None`` if no row could be scored, or the reward failed.
        share: ``reward`` on a scale from 0, an honest wrong answer, to 1, the best reward. The scale starts at the
            lowest reward where right and wrong are not told apart. ``None`` where it is not known.
        reason: the reason that was given most often.
        example: how the text begins.
        failure: what the reward did in place of giving a number; ``""`` if it gave one.
        failed_by: in which way, ``Failure.kind``. Failures of one kind are reported once.
    """

    hack: str
    reward: float | None
    share: float | None = None
    reason: str = ""
    example: str = ""
    failure: str = ""
    failed_by: str = ""

    @property
    def is_rewarded(self) -> bool:
        """Whether it earned more than trivial partial credit."""
        return self.share is not None and self.share > LARGEST_CRUMB


@dataclass(frozen=True)
class Answer:
    """What one spelling of an answer earned.

    Attributes:
        gold: of the problem.
        answer: as it was spelled, or the whole text of one that does not answer.
        way: how it was written, such as ``in a box``; of a text that does not answer, what it is.
        is_right: whether it answers the gold.
        reward: what it earned.
        is_rewarded: on the scale from a wrong answer (0 %) to the gold (100 %), a right one from 50 %, a wrong one from
            10 %.
        reason: of the verdict.
        text: the whole completion.
    """

    gold: str
    answer: str
    way: str
    is_right: bool
    reward: float | None
    is_rewarded: bool
    reason: str = ""
    text: str = ""


@dataclass
class Probed(ShownAsTable):
    """Which reward hacks earn something, as ``probe`` found. It prints as text, with rich and in a notebook as a table.

    Attributes:
        name: the reward's name.
        best: the most that it gives: as it states, or the most that was seen; ``None`` if it gave no number at all.
        right: the mean reward of an honest right answer; ``None`` if it is not known how to write one.
        wrong: the same of an honest wrong one, written in the same way.
        way: how these were written, such as ``in a box``.
        separates_right_from_wrong: whether right earns more than wrong.
        reads_gold: whether it reads a column that is known to hold golds.
        rewards_nothing: whether it reads columns, and gave its least to everything, golds in all usual forms as well:
            it may want a form of its own, or be broken.
        earned: what each hack earned, the highest share first.
        left_out: hacks that make no sense here, such as options where there is nothing to choose.
        rows: how many rows the hacks were tried on.
        answers: what many spellings of right and wrong answers earned; ``None`` if that was not measured.
    """

    name: str
    best: float | None
    right: float | None = None
    wrong: float | None = None
    way: str = ""
    separates_right_from_wrong: bool = False
    reads_gold: bool = False
    rewards_nothing: bool = False
    earned: list[Earned] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    rows: int = 0
    answers: list[Answer] | None = None
    headings = ("hack", "earned", "of the best", "reason", "for example")

    @property
    def missed(self) -> float | None:
        """The share of right answers that are not rewarded: 1 if no gold earns more than a wrong answer does."""
        return None if self.answers is None else _share([not one.is_rewarded for one in self.answers if one.is_right])

    @property
    def false_rewards(self) -> float | None:
        """The share of wrong answers, of texts that do not answer and of hacks that are rewarded."""
        if self.answers is None:
            return None
        hacks = [one.is_rewarded for one in self.earned if not one.failure]
        return _share([*hacks, *(one.is_rewarded for one in self.answers if not one.is_right)])

    def passes(self, max_false_rewards: float | None = None, max_missed: float | None = None) -> bool:
        """Whether it may be trained with: it scores rows and never fails, is not constant, and within the given limits.

        Without ``max_false_rewards`` no hack may be rewarded. ``probe(…, answers=True)`` measures what both limit; with
        either, it fails if no answer could be scored.
        """
        shares = ((self.false_rewards, max_false_rewards), (self.missed, max_missed))
        limited = [(share, most) for share, most in shares if most is not None]
        if limited and self.answers is None:
            raise RewardError("right and wrong answers were not tried: probe(…, answers=True).")
        keeps = all(self.answers and share is not None and share <= most for share, most in limited)
        is_hacked = max_false_rewards is None and bool(self.rewarded)
        scores = any(one.reward is not None for one in self.earned)
        return scores and keeps and not is_hacked and not self.failures and not self.is_constant

    @property
    def rewarded(self) -> list[Earned]:
        """The hacks that are rewarded, the highest first."""
        return [one for one in self.earned if one.is_rewarded]

    @property
    def failures(self) -> dict[str, list[str]]:
        """What the reward did in place of giving a number, once for each way to fail, with the hacks at fault."""
        by_kind: dict[str, tuple[str, list[str]]] = {}
        for one in self.earned:
            if one.failure:
                by_kind.setdefault(one.failed_by, (one.failure, []))[1].append(one.hack)
        return dict(by_kind.values())

    @property
    def always_fails(self) -> bool:
        """Whether it never gave a number, for another reason than its time."""
        return bool(self.earned) and all(one.failure and one.failed_by != "slow" for one in self.earned)

    @property
    def is_sound(self) -> bool:
        """Whether no hack is rewarded, all were scored, and the reward is not constant."""
        return self.passes()

    @property
    def is_constant(self) -> bool:
        """Whether the reward gave one number to everything that it scored, and ``None`` to nothing."""
        numbers = {self.right, self.wrong} - {None} | {one.reward for one in self.earned}
        return len(numbers) == 1 and None not in numbers

    @property
    def messages(self) -> list[str]:
        """What was found, in sentences, each with what to do."""
        return [*map(str, self.findings)]

    @property
    def findings(self) -> list[Finding]:
        """What was found, that of hacks before that of answers."""
        return [*self._of_hacks(), *self._of_answers()]

    def _of_hacks(self) -> Findings:
        for why, at_fault in self.failures.items():
            yield finding_of("cheats.failed", self.name, why=why, hacks=_some(at_fault))
        if self.reads_gold and self.right is not None and not (self.separates_right_from_wrong or self.rewards_nothing):
            yield finding_of("golds.not_separated", self.name)
        scored = [one for one in self.earned if not one.failure]
        if not scored:
            return
        most, rewarded = scored[0], self.rewarded
        severity: Severity | None = None
        if all(one.reward is None for one in scored):
            key = "golds.unscored"
        elif self.rewards_nothing:
            key = "golds.least"
        elif self.is_constant:
            key = "constant.constant"
        elif not rewarded:
            key = "cheats.none"
        elif self.separates_right_from_wrong:
            key = "cheats.rewarded"
            severity = "warning" if (most.share or 0.0) > NEARLY_ALL else None
        else:
            key = "alone.takes_away" if self.best is not None and self.best <= 0 else "alone.hacked"
        tried, hacks = len(scored), _some([f"'{one.hack}'" for one in rewarded])
        share = f"{len(rewarded)} of {tried} hacks"
        yield finding_of(key, self.name, (), severity, most=most, its=self, tried=tried, share=share, hacks=hacks)

    def _of_answers(self) -> Findings:
        kinds = ((True, "missed", "no_right", self.missed), (False, "rewarded", "no_wrong", self.false_rewards))
        for is_right, some_key, none_key, share in kinds if self.answers is not None else ():
            its = [one for one in self.answers or () if one.is_right is is_right]
            amiss = {(one.gold, one.answer): one.way for one in its if one.is_rewarded is not is_right}
            some = _some([f"{answer!r} for {gold!r}, {way}" for (gold, answer), way in amiss.items()], "; ")
            key, hacks = f"answers.{some_key if its else none_key}", len(self.earned)
            yield finding_of(key, self.name, share=share, size=len(its), hacks=hacks, some=some and f": {some}")

    def as_dict(self) -> dict[str, Any]:
        """All of it as what JSON can hold."""
        found = {**vars(self), "messages": self.messages, "is_sound": self.is_sound}
        found["earned"] = [_in_json({**vars(one), "is_rewarded": one.is_rewarded}) for one in self.earned]
        if found.pop("answers") is not None:
            found |= {"false_rewards": self.false_rewards, "missed": self.missed}
            found["answers"] = list(map(vars, self.answers or ()))
        return _in_json(found)

    def _title(self) -> str:
        honest = f"right {_number(self.right)}, wrong {_number(self.wrong)} ({self.way})" if self.way else "no gold"
        return f"{self.name}: best {_number(self.best)}, {honest}, {self.rows} row{'' if self.rows == 1 else 's'}"

    def _lines(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for one in self.earned:
            number = "failed" if one.failure else _number(one.reward)
            share = "" if one.share is None else f"{one.share:.0%}"
            is_hacked = one.is_rewarded and self.separates_right_from_wrong
            severity = "error" if one.failure or is_hacked else "warning" if one.is_rewarded else ""
            yield severity, (one.hack, number, share, one.failure or one.reason, one.example)

    def __str__(self) -> str:
        rows = [
            f"  {hack:34} {number:>8} {share:>6}  {reason}" for _, (hack, number, share, reason, _) in self._lines()
        ]
        return harmless("\n".join([self._title(), *rows, *self.messages]))

    __repr__ = __str__


def _in_json(found: dict[str, Any]) -> dict[str, Any]:
    return {KEYS_IN_JSON.get(name, name): value for name, value in found.items()}


def _number(value: float | None) -> str:
    return "None" if value is None else f"{value:.3g}"


def _share(flags: Sequence[bool]) -> float:
    """The share of those that are true; 1 of none."""
    return sum(flags) / len(flags) if flags else 1.0


def _some(names: list[str], between: str = ", ") -> str:
    return between.join(names[:MOST_NAMED] + (["…"] if len(names) > MOST_NAMED else []))


class Honest(NamedTuple):
    """What honest answers to some problems earn, in one way to write them."""

    way: str
    right: float
    wrong: float

    @property
    def gain(self) -> float:
        """By how much the right ones earn more."""
        return self.right - self.wrong

    def is_apart(self, least: float = CLEARLY_SEPARATED) -> bool:
        """Whether the right ones earn more: by this part of what is earned at least."""
        return self.gain > least * max(abs(self.right), abs(self.wrong))


class Kind(NamedTuple):
    """Rows of one kind, and what honest answers to them earn, in each way to write these."""

    problems: Sequence[Problem]
    honest: Sequence[Honest]

    @property
    def best(self) -> Honest | None:
        """The way in which right answers earn most more than wrong ones; ``None`` if the reward scores no answer."""
        return max(self.honest, key=attrgetter("gain", "right"), default=None)


def probe(
    reward: Reward | Callable[..., Any] | str,
    rows: Any = None,
    *,
    right: WrittenByUser | None = None,
    most_rows: int = PROBED_ROWS,
    seconds: float = 60.0,
    answers: bool = False,
) -> Probed:
    """Tries known reward hacks on a reward: empty texts, bare formats, all answers at once, words without content.

    Args:
        reward: a reward, a composite, the spec of one, or a plain function: as TRL takes it, also an async one, or
            ``f(completion, reference)``.
        rows: problems to try them on, as ``check_rewards`` takes a data set. By default ours, for columns that the
            rewards of the catalogue read.
        right: from a row to a right completion, for a reward that wants answers in a form of its own. A dozen usual
            forms are tried, and the one with the highest reward is taken.
        most_rows: how many of these rows are used, evenly spread.
        answers: also try many spellings of right and wrong answers, and measure ``false_rewards`` and ``missed``.
        seconds: for all calls together. A reward that takes longer is reported; so is one that raises.

    Returns:
        What each hack earned, and in ``messages`` what to do about it.

    Raises:
        RewardError: it is no reward, has an option that is not bound, or reads columns that are not known.

    >>> import grpo_rewards as gr
    >>> probe(gr.boxed_answer).is_sound
    True
    >>> [one.hack for one in probe("code_block_format").rewarded]
    ['a code block around pass']
    """
    one = as_trl_calls(ready(reward))
    tried_on = kinds_of_rows(one) if rows is None else [problems_of(columns_of(rows), one, most_rows)]
    caller, ways = Caller(one, seconds, is_form_given=rows is not None), _ways(right)
    try:
        kinds = [Kind(problems, _honest(caller, problems, ways)) for problems in tried_on]
    except Failure as failure:  # of everything that was scored so far
        return Probed(name_of(one), None, earned=[_failed("an honest answer", failure)])
    # the kinds on which it separates right from wrong; without any, the first that it can score
    apart = [kind for kind in kinds if kind.best and kind.best.is_apart()]
    chosen = apart or [kind for kind in kinds if kind.best][:1] or kinds[:1]
    earned = [_tried(caller, kind.problems) for kind in chosen]
    stated = one.range if isinstance(one, Reward) else None
    low, most = stated or _seen(chosen, earned)
    used = [problem for kind in chosen for problem in kind.problems]
    probed = Probed(name_of(one), most, separates_right_from_wrong=bool(apart), rows=len(used))
    if honest := chosen[0].best:
        probed.way, probed.right, probed.wrong = honest
    floors = [kind.best.wrong for kind in apart if kind.best] or [low]
    shared = [_shared(hack, floor, most) for floor, its in zip(floors, earned, strict=True) for hack in its]
    highest: dict[str, Earned] = {}
    for hack in sorted(shared, key=_order, reverse=True):
        highest.setdefault(hack.hack, hack)
    probed.earned = [*highest.values()]
    probed.left_out = [hack for hack in HACKS if hack not in highest]
    read = read_columns(one)
    probed.reads_gold = bool(read) and any(problem.held is not None for problem in used)
    gave_least = probed.is_constant and probed.earned[0].reward == (stated[0] if stated else 0.0)
    # what no usual text has: an answer in a form of its own, or what an option such as a pattern looks for
    probed.rewards_nothing = gave_least and bool(read or used[0].hints.words)
    if answers:
        measured = [kind for kind in kinds if rows is not None or kind.problems[0].right]
        try:
            probed.answers = [answer for kind in measured for answer in _judged_answers(caller, kind, ways)]
        except Failure as failure:
            probed.answers = []
            probed.earned.append(_failed("an answer", failure))
    return probed


def _ways(right: WrittenByUser | None) -> dict[str, WrittenIn]:
    """The ways to write an answer: the user's own, and the usual ones."""
    usual: dict[str, WrittenIn] = {way: partial(filled, template) for way, template in WAYS.items()}
    return usual if right is None else {WRITTEN_BY_USER: lambda one, answer: right(_row(one, answer)), **usual}


def _row(problem: Problem, answer: str) -> dict[str, Any]:
    """The row of a problem, with an answer in place of its gold."""
    if answer == problem.gold:
        return problem.row
    return {name: answer if name != "prompt" and one == problem.held else one for name, one in problem.row.items()}


def _honest(caller: Caller, problems: Sequence[Problem], ways: Mapping[str, WrittenIn]) -> list[Honest]:
    """What honest answers earn in each way in which a right one can be written, and called without a failure.

    Raises:
        Failure: the reward fails in every way.
    """
    found: list[Honest] = []
    failures: list[Failure] = []
    for way, write in ways.items():
        rights = attempts(problems, lambda one: one.answers[:1], write)
        wrongs = attempts(problems, lambda one: [one.wrong], write)
        try:
            right, wrong = mean_of(caller.verdicts(rights)), mean_of(caller.verdicts(wrongs))
        except Failure as failure:
            failures.append(failure)
            continue
        if right is not None and wrong is not None:
            found.append(Honest(way, right, wrong))
    if failures and not found:
        raise failures[0]
    return found


def _tried(caller: Caller, problems: Sequence[Problem]) -> list[Earned]:
    """What each hack earned on rows of one kind, without those that make no sense there."""
    found: list[Earned] = []
    for hack in HACKS:
        tried = [Attempt(one, hack, text) for one in problems if (text := written(one, hack)) is not None]
        example = next((one.completion[:LONGEST_EXAMPLE] for one in tried if one.completion), "")
        try:
            verdicts = caller.verdicts(tried)
        except Failure as failure:
            found.append(_failed(hack, failure, example))
            continue
        if verdicts:
            reason = mode(one.reason for one in verdicts)
            found.append(Earned(hack, mean_of(verdicts), reason=reason, example=example))
    return found


def _failed(hack: str, failure: Failure, example: str = "") -> Earned:
    return Earned(hack, None, example=example, failure=str(failure), failed_by=failure.kind)


def _seen(kinds: Sequence[Kind], earned: Iterable[Sequence[Earned]]) -> tuple[float, float | None]:
    """(the lowest number that a reward gave, 0 if it gave none; the highest, ``None`` if it gave none)."""
    numbers = [number for kind in kinds if kind.best for number in (kind.best.right, kind.best.wrong)]
    numbers += [one.reward for its in earned for one in its if one.reward is not None]
    return min(numbers, default=0.0), max(numbers, default=None)


def _shared(one: Earned, floor: float, best: float | None) -> Earned:
    """What a hack earned, with its share of the way from the floor to the best."""
    if one.reward is None or best is None or best <= floor:
        return one
    return replace(one, share=(one.reward - floor) / (best - floor))


def _order(one: Earned) -> tuple[bool, float, float]:
    """Failures first, then by share; a hack that could not be scored comes last."""
    unknown = float("-inf")
    return bool(one.failure), unknown if one.share is None else one.share, unknown if one.reward is None else one.reward


def _judged_answers(caller: Caller, kind: Kind, ways: Mapping[str, WrittenIn]) -> list[Answer]:
    """What a reward gives for each spelling, in every way to write an answer in which it reads the golds of that kind.

    Raises:
        Failure: it raised, took too long, or gave what is no reward.
    """
    reading = [one for one in kind.honest if one.is_apart(LARGEST_CRUMB)]  # the ways in which golds earn more
    best = max((one.right for one in reading), default=0.0)
    reading = [one for one in reading if one.gain >= RIGHT_FROM * (best - one.wrong)]
    problems = [one for one in kind.problems if one.answers]
    found: list[Answer] = []
    for its in reading:
        right = attempts(problems, lambda one: one.answers, ways[its.way])
        wrong = attempts(problems, lambda one: [one.wrong, *one.wrongs], ways[its.way])
        found += [*_judged(caller, right, its, True), *_judged(caller, wrong, its, False)]
    if reading:
        texts = attempts(problems, lambda _: NO_ANSWERS, lambda one, name: filled(NO_ANSWERS[name], one))
        judged = _judged(caller, texts, max(reading, key=attrgetter("gain")), False)
        found += [replace(answer, answer=answer.text, way=answer.answer) for answer in judged]
    # a gold that the reward cannot read, however it is spelled, does not count
    scored = {one.gold for one in found if one.is_right and one.reward is not None}
    return [one for one in found if one.gold in scored]


def _judged(caller: Caller, tried: Sequence[Attempt], honest: Honest, is_right: bool) -> list[Answer]:
    """What each text earned, and whether that is what right answers earn."""
    least = honest.wrong + (RIGHT_FROM if is_right else LARGEST_CRUMB) * honest.gain
    found = []
    for one, verdict in zip(tried, caller.verdicts(tried), strict=True):
        is_rewarded = verdict.reward is not None and verdict.reward > least
        gold, text = one.problem.answers[0], one.completion
        found.append(Answer(gold, one.answer, honest.way, is_right, verdict.reward, is_rewarded, verdict.reason, text))
    return found
