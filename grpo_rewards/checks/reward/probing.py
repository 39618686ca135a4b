"""``probe``: reward hacks and spelled answers, tried on a reward, beside what honest right and wrong answers earn."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.checks.reward.calling import Caller, Failure, mean_of
from grpo_rewards.checks.reward.functions import as_trl_calls, read_columns
from grpo_rewards.checks.reward.probed import LARGEST_CRUMB, Answer, Earned, Probed
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
    hints,
    kinds_of_rows,
    problems_of,
    written,
)
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import shown

CLEARLY_SEPARATED = 0.05  # of the best reward, between an honest right and an honest wrong answer
RIGHT_FROM = 0.5  # of the way from a wrong answer to a right one: what a right answer must earn at least
LONGEST_EXAMPLE = 40
WRITTEN_BY_USER = "as you write it"
# From a problem and an answer, as a box would hold it, to a completion.
WrittenIn: TypeAlias = Callable[[Problem, str], "str | None"]


class Honest(NamedTuple):
    """What honest answers to some problems earn, in one way to write them."""

    way: str
    right: float
    wrong: float | None

    def is_apart(self, least: float = CLEARLY_SEPARATED) -> bool:
        """Whether the right ones earn more: by this part of what is earned at least."""
        most = max(abs(self.right), abs(self.wrong or 0.0))
        return self.wrong is not None and self.right - self.wrong > least * most

    @property
    def gain(self) -> float:
        """By how much the right ones earn more."""
        return self.right - (self.wrong or 0.0)


def probe(
    reward: Reward | Callable[..., Any] | str,
    rows: Any = None,
    *,
    right: Callable[[dict[str, Any]], str] | None = None,
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
    one = _usable(reward)
    if seconds <= 0:
        raise RewardError(f"seconds must be above 0, not {seconds}.")
    name = str(getattr(one, "__name__", type(one).__name__))
    read, given_away = read_columns(one), hints(one)
    kinds = (
        kinds_of_rows(one, name, given_away) if rows is None else {"": problems_of(columns_of(rows), one, most_rows)}
    )
    caller, ways = Caller(one, seconds), _ways(right)
    try:
        honest = {kind: _honest(caller, problems, ways) for kind, problems in kinds.items()}
    except Failure as failure:  # of everything that was scored so far
        return Probed(name, None, earned=[_failed("an honest answer", failure)])
    best = {kind: max(found, key=lambda way: (way.gain, way.right)) for kind, found in honest.items() if found}
    # the kinds on which it separates right from wrong; without any, the first that it can score
    chosen = [kind for kind, its in best.items() if its.is_apart()] or [*best, *kinds][:1]
    tried = [(best.get(kind), _tried(caller, kinds[kind])) for kind in chosen]
    used = [problem for kind in chosen for problem in kinds[kind]]
    stated = one.range if isinstance(one, Reward) else None
    probed = _concluded(Probed(name, None, rows=len(used)), stated, tried)
    probed.reads_gold = bool(read) and any(problem.held is not None for problem in used)
    gave_least = probed.is_constant and probed.earned[0].reward == (stated[0] if stated else 0.0)
    # what no usual text has: an answer in a form of its own, or what an option such as a pattern looks for
    probed.rewards_nothing = gave_least and bool(read or given_away.words)
    if answers:
        try:
            probed.answers = [
                answer
                for kind, problems in kinds.items()
                if rows is not None or problems[0].right
                for answer in _judged_answers(caller, problems, honest[kind], ways)
            ]
        except Failure as failure:
            probed.answers = []
            probed.earned.append(_failed("an answer", failure))
    return probed


def _usable(reward: Any) -> Any:
    """The reward, ready to be called. Raises RewardError for what is none, or has unbound options."""
    one = get_reward(reward) if isinstance(reward, str) else reward
    if not callable(one) or inspect.isclass(one):
        raise RewardError(f"{shown(one)} is not a reward. Give a Reward, its spec, or a function that TRL could call.")
    if isinstance(one, Reward):
        one.check_ready()
    return as_trl_calls(one)


def _ways(right: Callable[[dict[str, Any]], str] | None) -> dict[str, WrittenIn]:
    """The ways to write an answer: the user's own, and the usual ones."""
    own: dict[str, WrittenIn] = {}
    if right is not None:
        own[WRITTEN_BY_USER] = lambda problem, answer: right(_row(problem, answer))
    return {**own, **{way: partial(filled, template) for way, template in WAYS.items()}}


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
            right, wrong = caller.mean(rights), caller.mean(wrongs)
        except Failure as failure:
            failures.append(failure)
            continue
        found += [] if right is None else [Honest(way, right, wrong)]
    if failures and not found:
        raise failures[0]
    return found


def _tried(caller: Caller, problems: Sequence[Problem]) -> list[Earned]:
    """What each hack earned on rows of one kind, without those that make no sense there."""
    found: list[Earned] = []
    hacks = attempts(problems, lambda _: HACKS, written)
    for hack in HACKS:
        tried = [one for one in hacks if one.answer == hack]
        example = next((one.completion[:LONGEST_EXAMPLE] for one in tried if one.completion), "")
        try:
            verdicts = caller.verdicts(tried)
        except Failure as failure:
            found.append(_failed(hack, failure, example))
            continue
        if verdicts:
            ((reason, _),) = Counter(one.reason for one in verdicts).most_common(1)
            found.append(Earned(hack, mean_of(verdicts), reason=reason, example=example))
    return found


def _failed(hack: str, failure: Failure, example: str = "") -> Earned:
    return Earned(hack, None, example=example, failure=str(failure), failed_by=failure.kind)


def _concluded(
    probed: Probed, stated: tuple[float, float] | None, kinds: Sequence[tuple[Honest | None, Sequence[Earned]]]
) -> Probed:
    """What all of it means: each hack's share of the way from the floor to the best, the highest of all kinds."""
    honest = [one for one, _ in kinds if one is not None]
    seen = [number for one in honest for number in (one.right, one.wrong)]
    seen += [one.reward for _, its in kinds for one in its]
    numbers = [number for number in seen if number is not None]
    low, probed.best = stated or (min(numbers, default=0.0), max(numbers, default=None))
    if honest:
        probed.way, probed.right, probed.wrong = honest[0]
        probed.separates_right_from_wrong = honest[0].is_apart()
    highest: dict[str, Earned] = {}
    for answered, its in kinds:
        floor = answered.wrong if answered is not None and answered.is_apart() else None
        floor = low if floor is None else floor
        for one in its:
            if one.reward is not None and probed.best is not None and probed.best > floor:
                one = replace(one, share=(one.reward - floor) / (probed.best - floor))
            highest[one.hack] = max(highest.get(one.hack, one), one, key=_order)
    probed.earned = sorted(highest.values(), key=_order, reverse=True)
    probed.left_out = [hack for hack in HACKS if hack not in highest]
    return probed


def _order(one: Earned) -> tuple[bool, float, float]:
    """Failures first, then by share; a hack that could not be scored comes last."""
    unknown = float("-inf")
    return bool(one.failure), unknown if one.share is None else one.share, unknown if one.reward is None else one.reward


def _judged_answers(
    caller: Caller, problems: Sequence[Problem], honest: Sequence[Honest], ways: Mapping[str, WrittenIn]
) -> Iterator[Answer]:
    """What a reward gives for each spelling, in every way to write an answer in which it reads the golds of that kind.

    Raises:
        Failure: it raised, took too long, or gave what is no reward.
    """
    problems = [one for one in problems if one.answers]
    reading = [one for one in honest if one.is_apart(LARGEST_CRUMB)]  # of the ways those in which golds earn more
    best = max((one.right for one in reading), default=0.0)
    found: list[Answer] = []
    for its in reading:
        if its.gain >= RIGHT_FROM * (best - (its.wrong or 0.0)):
            right = attempts(problems, lambda one: one.answers, ways[its.way])
            wrong = attempts(problems, lambda one: [one.wrong, *one.wrongs], ways[its.way])
            found += [*_judged(caller, right, its, True), *_judged(caller, wrong, its, False)]
    if reading:
        tried = attempts(problems, lambda _: NO_ANSWERS, lambda one, name: filled(NO_ANSWERS[name], one))
        judged = _judged(caller, tried, max(reading, key=lambda way: way.gain), False)
        found += [replace(one, answer=one.text, way=one.answer) for one in judged]
    # a gold that the reward cannot read, however it is spelled, does not count
    scored = {one.gold for one in found if one.is_right and one.reward is not None}
    yield from (one for one in found if one.gold in scored)


def _judged(caller: Caller, tried: Sequence[Attempt], honest: Honest, is_right: bool) -> Iterator[Answer]:
    """What each text earned, and whether that is what right answers earn."""
    least = (honest.wrong or 0.0) + (RIGHT_FROM if is_right else LARGEST_CRUMB) * honest.gain
    for one, verdict in zip(tried, caller.verdicts(tried), strict=True):
        is_rewarded = verdict.reward is not None and verdict.reward > least
        gold, text = one.problem.answers[0], one.completion
        yield Answer(gold, one.answer, honest.way, is_right, verdict.reward, is_rewarded, verdict.reason, text)
