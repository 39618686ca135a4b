"""How many right answers a reward misses, and how many wrong ones it rewards, with each gold in many spellings."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.probing.calls import Caller, Failure
from grpo_rewards.probing.probed import LARGEST_CRUMB, Answer
from grpo_rewards.probing.rows import Problem, kinds_of_rows
from grpo_rewards.probing.scene import Hints

__all__ = ["Spelled", "WrittenIn", "judged_answers", "spelled_problems"]

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
    return tomllib.loads(files(__package__).joinpath("answers.toml").read_text(encoding="utf-8"))


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
                found += _in_one_way(caller, spelled, way, ways[way], floor, right)
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
        right, floor = (_mean(caller, texts) for texts in (golds, wrongs))
    except Failure:
        return None
    return None if right is None or floor is None or right - floor <= LARGEST_CRUMB * abs(right) else (floor, right)


def _mean(caller: Caller, texts: Sequence[tuple[Problem, str | None]]) -> float | None:
    there = [(one, text) for one, text in texts if text is not None]
    verdicts = caller.verdicts([text for _, text in there], [one for one, _ in there]) if there else []
    numbers = [one.reward for one in verdicts if one.reward is not None]
    return fmean(numbers) if numbers else None


def _in_one_way(
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
