"""``probe``: every cheat, tried on a reward, and held to what an honest right and an honest wrong answer earn."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

from grpo_rewards.probing.asking import Asker, Failure
from grpo_rewards.probing.cheats import CHEATS, written
from grpo_rewards.probing.honest import WAYS, Way
from grpo_rewards.probing.probed import Earned, Probed
from grpo_rewards.probing.rows import PROBED_ROWS, Problem, kinds_of_rows, problems_of, read_columns
from grpo_rewards.probing.scene import hints
from grpo_rewards.probing.tables import columns_of
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.errors import shown
from grpo_rewards.verdict import Verdict

__all__ = ["probe"]

TOLD_APART = 0.05  # of the best reward, between an honest right and an honest wrong answer
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
) -> Probed:
    """Tries on a reward what policies try: empty texts, bare formats, all answers at once, words that say nothing.

    Args:
        reward: a reward, a composite, the spec of one, or a plain function as TRL takes it, also an async one.
        rows: problems to try them on, as ``check_rewards`` takes a data set. By default ours, for columns that the
            rewards of the catalogue read.
        right: from a row to a right completion, for a reward that wants answers in a form of its own. By default a
            dozen usual forms are tried, and the one that is paid best is taken.
        most_rows: how many of these rows are asked about, evenly spread.
        seconds: for all calls together. A reward that takes longer is told of; so is one that raises.

    Returns:
        What each cheat earned, and in ``said`` what to do about it.

    Raises:
        RewardError: it is no reward, has an option that is not bound, or reads columns that are not known.

    >>> import grpo_rewards as gr
    >>> probe(gr.boxed_answer).is_sound
    True
    >>> [one.cheat for one in probe("code_block_format").paid]
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
    asker = Asker(one, seconds)
    try:
        honest = {kind: _honest(asker, problems, right) for kind, problems in kinds.items()}
    except Failure as failure:  # of everything it was asked so far
        return Probed(
            name, None, earned=[Earned("an honest answer", None, failure=str(failure), failed_by=failure.kind)]
        )
    chosen = _telling(honest)
    tried = [(honest[kind], _tried(asker, kinds[kind])) for kind in chosen]
    asked = [problem for kind in chosen for problem in kinds[kind]]
    reads_gold = any(problem.held is not None for problem in asked) and bool(read_columns(one))
    probed = Probed(name, None, reads_gold=reads_gold, rows=len(asked))
    stated = one.range if isinstance(one, Reward) else None
    concluded = _concluded(probed, stated, tried)
    least = stated[0] if stated else 0.0
    gave_least = concluded.is_constant and concluded.earned[0].reward == least
    concluded.pays_nothing = gave_least and bool(read_columns(one)) and right is None
    return concluded


def _usable(reward: Any) -> Any:
    """The reward, ready to be called. Raises RewardError for what is none, or lacks options."""
    one = get_reward(reward) if isinstance(reward, str) else reward
    if not callable(one) or inspect.isclass(one):
        raise RewardError(f"{shown(one)} is not a reward. Give a Reward, its spec, or a function that TRL could call.")
    if isinstance(one, Reward):
        one.check_ready()
    return one


def _honest(asker: Asker, problems: Sequence[Problem], right: Callable[[dict[str, Any]], str] | None) -> Honest | None:
    """What honest answers earn in the way that is paid best; ``None`` where no right one can be written."""
    if right is not None:
        texts = [(right(_row(one)), right(_row(one, one.scene.wrong))) for one in problems]
        rights, wrongs = (_mean(asker.verdicts(its, problems)) for its in zip(*texts, strict=True))
        return None if rights is None else Honest(WRITTEN_BY_USER, rights, wrongs)
    found: list[Honest] = []
    failures: list[Failure] = []
    for way, write in WAYS.items():
        try:
            one = _in_one_way(asker, problems, way, write)
        except Failure as failure:
            failures.append(failure)
            continue
        found += [] if one is None else [one]
    if not found and failures:
        raise failures[0]
    return max(found, key=lambda one: (one.right - (one.wrong or 0.0), one.right), default=None)


def _in_one_way(asker: Asker, problems: Sequence[Problem], way: str, write: Way) -> Honest | None:
    rights: list[str | None] = []
    for one in problems:
        answer = one.scene.gold if one.right is None else one.right
        rights.append(None if answer is None else write(one.scene, answer, one.held))
    wrongs = [write(one.scene, one.scene.wrong, one.scene.wrong) for one in problems]
    right, wrong = (_mean(_verdicts(asker, texts, problems)) for texts in (rights, wrongs))
    return None if right is None else Honest(way, right, wrong)


def _row(problem: Problem, gold: Any = None) -> dict[str, Any]:
    """The row of a problem, with another gold in place of its own if one is given."""
    columns = {
        name: gold if gold is not None and value == problem.held else value for name, value in problem.columns.items()
    }
    return {"prompt": problem.prompt, **columns}


def _verdicts(asker: Asker, texts: Sequence[str | None], problems: Sequence[Problem]) -> list[Verdict]:
    """The verdicts about those of the texts that there are."""
    pairs = [(text, one) for text, one in zip(texts, problems, strict=True) if text is not None]
    return asker.verdicts([text for text, _ in pairs], [one for _, one in pairs]) if pairs else []


def _mean(verdicts: Iterable[Verdict]) -> float | None:
    numbers = [one.reward for one in verdicts if one.reward is not None]
    return fmean(numbers) if numbers else None


def _telling(honest: Mapping[str, Honest | None]) -> list[str]:
    """The kinds of rows on which the reward tells right from wrong; if there is none, the first that it can score."""
    apart = [kind for kind, one in honest.items() if one is not None and _apart(one)]
    scored = [kind for kind, one in honest.items() if one is not None]
    return apart or scored[:1] or list(honest)[:1]


def _apart(one: Honest) -> bool:
    return one.wrong is not None and one.right - one.wrong > TOLD_APART * max(abs(one.right), abs(one.wrong))


def _tried(asker: Asker, problems: Sequence[Problem]) -> list[Earned]:
    """What each cheat earned on rows of one kind, without those that make no sense there."""
    found: list[Earned] = []
    for cheat in CHEATS:
        texts = [written(cheat, one.scene) for one in problems]
        example = next((text[:LONGEST_EXAMPLE] for text in texts if text), "")
        try:
            verdicts = _verdicts(asker, texts, problems)
        except Failure as failure:
            found.append(Earned(cheat, None, example=example, failure=str(failure), failed_by=failure.kind))
            continue
        if verdicts:
            ((reason, _),) = Counter(one.reason for one in verdicts).most_common(1)
            found.append(Earned(cheat, _mean(verdicts), reason=reason, example=example))
    return found


def _concluded(
    probed: Probed, stated: tuple[float, float] | None, kinds: Sequence[tuple[Honest | None, Sequence[Earned]]]
) -> Probed:
    """What all of it means: each cheat's share of the way from the floor to the best, the highest of all kinds."""
    seen = [one.reward for _, its in kinds for one in its if one.reward is not None]
    seen += [number for one, _ in kinds if one for number in (one.right, one.wrong) if number is not None]
    low, probed.best = stated or (min(seen, default=0.0), max(seen, default=None))
    first = next((one for one, _ in kinds if one), None)
    if first is not None:
        probed.way, probed.right, probed.wrong = first
        probed.tells_right_from_wrong = _apart(first)
    highest: dict[str, Earned] = {}
    for honest, its in kinds:
        is_apart = honest is not None and _apart(honest) and honest.wrong is not None
        floor = honest.wrong if is_apart and honest is not None and honest.wrong is not None else low
        for one in its:
            one = _with_share(one, floor, probed.best)
            if one.cheat not in highest or _order(one) > _order(highest[one.cheat]):
                highest[one.cheat] = one
    probed.earned = sorted(highest.values(), key=_order, reverse=True)
    probed.left_out = [cheat for cheat in CHEATS if cheat not in highest]
    return probed


def _with_share(one: Earned, floor: float, best: float | None) -> Earned:
    if one.reward is None or best is None or best <= floor:
        return one
    return replace(one, share=(one.reward - floor) / (best - floor))


def _order(one: Earned) -> tuple[bool, float, float]:
    """Failures first, then by share; a cheat that could not be scored comes last."""
    unknown = float("-inf")
    return bool(one.failure), unknown if one.share is None else one.share, unknown if one.reward is None else one.reward
