"""``probe``: reward hacks and spelled answers, tried on a reward, beside what honest right and wrong answers earn."""

from __future__ import annotations

import inspect
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.checks.reward.calling import Caller, Failure, as_trl_calls
from grpo_rewards.checks.reward.hacks import HACKS, WAYS, Hints, Way, hints, written
from grpo_rewards.checks.reward.probed import LARGEST_CRUMB, Answer, Earned, Probed
from grpo_rewards.checks.reward.problems import (
    PROBED_ROWS,
    Problem,
    columns_of,
    kinds_of_rows,
    problems_of,
    read_columns,
)
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import shown
from grpo_rewards.verdict import Verdict

__all__ = [
    "probe",
    "spelled_problems",
]

RIGHT_FROM = 0.5  # of the way from a wrong answer to a right one: what a right answer must earn at least
# From a problem, an answer as a box would hold it, and as the row has it, to a completion.
WrittenIn: TypeAlias = Callable[[Problem, str, Any], "str | None"]


class Spelled(NamedTuple):
    """A problem, with spellings of its gold and of answers that are wrong."""

    problem: Problem
    right: Sequence[str]
    wrong: Sequence[str]


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("problems.toml").read_text(encoding="utf-8"))


def spelled_problems(reward: Any, name: str, hints: Hints) -> dict[str, list[Spelled]]:
    """Our problems of the kinds that have all the columns a reward reads, by the kind of their golds.

    Raises:
        RewardError: it reads a column of which it is not known what stands in it.
    """
    table = {kind: rows for kind, rows in _table().items() if kind != "texts"}
    plain = {
        kind: [{**{key: row[key] for key in row if key != "right"}, "wrong": row["wrong"][0]} for row in rows]
        for kind, rows in table.items()
    }
    return {
        kind: [
            Spelled(problem, [row["answer"], *row["right"]], row["wrong"])
            for problem, row in zip(problems, table.get(kind, ()), strict=True)
        ]
        for kind, problems in kinds_of_rows(reward, name, hints, plain).items()
    }


def _texts_around(problem: Problem) -> dict[str, str]:
    """Texts that name the gold, or praise themselves, and do not answer."""
    hints = problem.scene.hints
    named = {"gold": problem.scene.gold, "wrong": problem.scene.wrong, "opening": hints.opening}
    return {name: text.format(**named, closing=hints.closing) for name, text in _table()["texts"].items()}


def judged_answers(
    caller: Caller, kinds: Mapping[str, Sequence[Spelled]], ways: Mapping[str, WrittenIn]
) -> list[Answer]:
    """What a reward gives for each spelling, in every way to write an answer in which it reads the golds of that kind.

    Raises:
        Failure: it raised, took too long, or gave what is no reward.
    """
    found: list[Answer] = []
    for spelled in kinds.values():
        spelled = _scored(caller, spelled, ways)
        read = {way: bounds for way, write in ways.items() if (bounds := _bounds(caller, spelled, write))}
        best = max((right for _, right in read.values()), default=0.0)
        for way, (floor, right) in read.items():
            if right - floor >= RIGHT_FROM * (best - floor):
                found += _judged_in_one_way(caller, spelled, way, ways[way], floor, right)
        if read:
            floor, right = max(read.values(), key=lambda bounds: bounds[1] - bounds[0])
            texts = [(one, name, text) for one in spelled for name, text in _texts_around(one.problem).items()]
            found += _judged(caller, [(one, text, name, text) for one, name, text in texts], floor, right, False)
    return found


def _scored(caller: Caller, spelled: Sequence[Spelled], ways: Mapping[str, WrittenIn]) -> list[Spelled]:
    """The problems whose gold the reward can read: in some way to write it, it does not say that it cannot score it."""
    left = list(spelled)
    found: list[Spelled] = []
    for write in ways.values():
        texts = [write(one.problem, str(one.right[0]), one.problem.held) for one in left]
        there = [(one, text) for one, text in zip(left, texts, strict=True) if text is not None]
        try:
            verdicts = caller.verdicts([text for _, text in there], [one.problem for one, _ in there]) if there else []
        except Failure:
            continue
        found += [one for (one, _), verdict in zip(there, verdicts, strict=True) if verdict.reward is not None]
        left = [one for one in left if one not in found]
    return found


def _bounds(caller: Caller, spelled: Sequence[Spelled], write: WrittenIn) -> tuple[float, float] | None:
    """What wrong answers and golds earn in one way to write them; ``None`` where golds earn no more, or it fails."""
    golds = [(one.problem, write(one.problem, str(one.right[0]), one.problem.held)) for one in spelled]
    wrongs = [(one.problem, write(one.problem, one.wrong[0], one.wrong[0])) for one in spelled]
    try:
        right, floor = (_mean_of_texts(caller, texts) for texts in (golds, wrongs))
    except Failure:
        return None
    return None if right is None or floor is None or right - floor <= LARGEST_CRUMB * abs(right) else (floor, right)


def _mean_of_texts(caller: Caller, texts: Sequence[tuple[Problem, str | None]]) -> float | None:
    there = [(one, text) for one, text in texts if text is not None]
    verdicts = caller.verdicts([text for _, text in there], [one for one, _ in there]) if there else []
    numbers = [one.reward for one in verdicts if one.reward is not None]
    return fmean(numbers) if numbers else None


def _judged_in_one_way(
    caller: Caller, spelled: Sequence[Spelled], way: str, write: WrittenIn, floor: float, right: float
) -> Iterator[Answer]:
    for is_right in (True, False):
        answers = [(one, answer) for one in spelled for answer in (one.right if is_right else one.wrong)]
        texts = [(one, answer, way, write(one.problem, answer, answer)) for one, answer in answers]
        yield from _judged(caller, texts, floor, right, is_right)


def _judged(
    caller: Caller,
    texts: Sequence[tuple[Spelled, str, str, str | None]],
    floor: float,
    right: float,
    is_right: bool,
) -> Iterator[Answer]:
    there = [(one.problem, answer, way, text) for one, answer, way, text in texts if text is not None]
    verdicts = caller.verdicts([text for *_, text in there], [one for one, *_ in there]) if there else []
    least = floor + (RIGHT_FROM if is_right else LARGEST_CRUMB) * (right - floor)
    for (problem, answer, way, text), verdict in zip(there, verdicts, strict=True):
        is_rewarded = verdict.reward is not None and verdict.reward > least
        yield Answer(str(problem.scene.gold), answer, way, is_right, verdict.reward, is_rewarded, verdict.reason, text)


CLEARLY_SEPARATED = 0.05  # of the best reward, between an honest right and an honest wrong answer
LONGEST_EXAMPLE = 40
WRITTEN_BY_USER = "as you write it"


class Honest(NamedTuple):
    """What honest answers to some problems earn, in one way to write them."""

    way: str
    right: float
    wrong: float | None


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
        right: from a row to a right completion, for a reward that wants answers in a form of its own. By default a
            dozen usual forms are tried, and the one with the highest reward is taken.
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
    found = hints(one)
    kinds = (
        kinds_of_rows(one, name, found) if rows is None else {"": problems_of(columns_of(rows), one, found, most_rows)}
    )
    caller, ways = Caller(one, seconds), _ways(right)
    try:
        honest = {kind: _honest(caller, problems, ways) for kind, problems in kinds.items()}
    except Failure as failure:  # of everything that was scored so far
        return Probed(
            name, None, earned=[Earned("an honest answer", None, failure=str(failure), failed_by=failure.kind)]
        )
    chosen = _informative(honest)
    tried = [(honest[kind], _tried(caller, kinds[kind])) for kind in chosen]
    used = [problem for kind in chosen for problem in kinds[kind]]
    reads_gold = any(problem.held is not None for problem in used) and bool(read_columns(one))
    probed = Probed(name, None, reads_gold=reads_gold, rows=len(used))
    stated = one.range if isinstance(one, Reward) else None
    concluded = _concluded(probed, stated, tried)
    least = stated[0] if stated else 0.0
    gave_least = concluded.is_constant and concluded.earned[0].reward == least
    concluded.rewards_nothing = gave_least and bool(read_columns(one)) and right is None
    if answers:
        own = {kind: _spelled(problems) for kind, problems in kinds.items()}
        try:
            spelled = spelled_problems(one, name, found) if rows is None else own
            concluded.answers = judged_answers(caller, spelled, ways)
        except Failure as failure:
            concluded.answers = []
            concluded.earned.append(Earned("an answer", None, failure=str(failure), failed_by=failure.kind))
    return concluded


def _usable(reward: Any) -> Any:
    """The reward, ready to be called. Raises RewardError for what is none, or has unbound options."""
    one = get_reward(reward) if isinstance(reward, str) else reward
    if not callable(one) or inspect.isclass(one):
        raise RewardError(f"{shown(one)} is not a reward. Give a Reward, its spec, or a function that TRL could call.")
    if isinstance(one, Reward):
        one.check_ready()
    return as_trl_calls(one)


def _honest(caller: Caller, problems: Sequence[Problem], ways: Mapping[str, WrittenIn]) -> Honest | None:
    """What honest answers earn in the way that earns most; ``None`` where no right one can be written."""
    found: list[Honest] = []
    failures: list[Failure] = []
    for way, write in ways.items():
        try:
            one = _in_one_way(caller, problems, way, write)
        except Failure as failure:
            failures.append(failure)
            continue
        found += [] if one is None else [one]
    if not found and failures:
        raise failures[0]
    return max(found, key=lambda one: (one.right - (one.wrong or 0.0), one.right), default=None)


def _in_one_way(caller: Caller, problems: Sequence[Problem], way: str, write: WrittenIn) -> Honest | None:
    rights: list[str | None] = []
    for one in problems:
        answer = one.scene.gold if one.right is None else one.right
        rights.append(None if answer is None else write(one, answer, one.held))
    wrongs = [write(one, one.scene.wrong, one.scene.wrong) for one in problems]
    right, wrong = (_mean(_verdicts(caller, texts, problems)) for texts in (rights, wrongs))
    return None if right is None else Honest(way, right, wrong)


def _ways(right: Callable[[dict[str, Any]], str] | None) -> dict[str, WrittenIn]:
    """The ways to write an answer: the user's own, or the usual ones."""
    if right is not None:
        return {WRITTEN_BY_USER: lambda problem, answer, held: right(_row(problem, held))}
    return {way: partial(_written, write) for way, write in WAYS.items()}


def _written(write: Way, problem: Problem, answer: str, held: Any) -> str | None:
    return write(problem.scene, answer, held)


def _spelled(problems: Sequence[Problem]) -> list[Spelled]:
    """Problems of the user's with the gold of each, and a wrong answer."""
    return [Spelled(one, [one.scene.gold], [one.scene.wrong]) for one in problems if one.scene.gold is not None]


def _row(problem: Problem, gold: Any = None) -> dict[str, Any]:
    """The row of a problem, with another gold in place of its own if one is given."""
    columns = {
        name: gold if gold is not None and value == problem.held else value for name, value in problem.columns.items()
    }
    return {"prompt": problem.prompt, **columns}


def _verdicts(caller: Caller, texts: Sequence[str | None], problems: Sequence[Problem]) -> list[Verdict]:
    """The verdicts about those of the texts that there are."""
    pairs = [(text, one) for text, one in zip(texts, problems, strict=True) if text is not None]
    return caller.verdicts([text for text, _ in pairs], [one for _, one in pairs]) if pairs else []


def _mean(verdicts: Iterable[Verdict]) -> float | None:
    numbers = [one.reward for one in verdicts if one.reward is not None]
    return fmean(numbers) if numbers else None


def _informative(honest: Mapping[str, Honest | None]) -> list[str]:
    """The kinds of rows on which the reward separates right from wrong; without any, the first that it can score."""
    apart = [kind for kind, one in honest.items() if one is not None and _apart(one)]
    scored = [kind for kind, one in honest.items() if one is not None]
    return apart or scored[:1] or list(honest)[:1]


def _apart(one: Honest) -> bool:
    return one.wrong is not None and one.right - one.wrong > CLEARLY_SEPARATED * max(abs(one.right), abs(one.wrong))


def _tried(caller: Caller, problems: Sequence[Problem]) -> list[Earned]:
    """What each hack earned on rows of one kind, without those that make no sense there."""
    found: list[Earned] = []
    for hack in HACKS:
        texts = [written(hack, one.scene) for one in problems]
        example = next((text[:LONGEST_EXAMPLE] for text in texts if text), "")
        try:
            verdicts = _verdicts(caller, texts, problems)
        except Failure as failure:
            found.append(Earned(hack, None, example=example, failure=str(failure), failed_by=failure.kind))
            continue
        if verdicts:
            ((reason, _),) = Counter(one.reason for one in verdicts).most_common(1)
            found.append(Earned(hack, _mean(verdicts), reason=reason, example=example))
    return found


def _concluded(
    probed: Probed, stated: tuple[float, float] | None, kinds: Sequence[tuple[Honest | None, Sequence[Earned]]]
) -> Probed:
    """What all of it means: each hack's share of the way from the floor to the best, the highest of all kinds."""
    seen = [one.reward for _, its in kinds for one in its if one.reward is not None]
    seen += [number for one, _ in kinds if one for number in (one.right, one.wrong) if number is not None]
    low, probed.best = stated or (min(seen, default=0.0), max(seen, default=None))
    first = next((one for one, _ in kinds if one), None)
    if first is not None:
        probed.way, probed.right, probed.wrong = first
        probed.separates_right_from_wrong = _apart(first)
    highest: dict[str, Earned] = {}
    for honest, its in kinds:
        is_apart = honest is not None and _apart(honest) and honest.wrong is not None
        floor = honest.wrong if is_apart and honest is not None and honest.wrong is not None else low
        for one in its:
            one = _with_share(one, floor, probed.best)
            if one.hack not in highest or _order(one) > _order(highest[one.hack]):
                highest[one.hack] = one
    probed.earned = sorted(highest.values(), key=_order, reverse=True)
    probed.left_out = [hack for hack in HACKS if hack not in highest]
    return probed


def _with_share(one: Earned, floor: float, best: float | None) -> Earned:
    if one.reward is None or best is None or best <= floor:
        return one
    return replace(one, share=(one.reward - floor) / (best - floor))


def _order(one: Earned) -> tuple[bool, float, float]:
    """Failures first, then by share; a hack that could not be scored comes last."""
    unknown = float("-inf")
    return bool(one.failure), unknown if one.share is None else one.share, unknown if one.reward is None else one.reward
