"""Clauses about a call: what comes back, and what must make no difference."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Sequence
from itertools import chain
from numbers import Real
from typing import Any

from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import shown
from grpo_rewards.registry.interface import every_reward
from grpo_rewards.registry.model_arguments import unseeing
from grpo_rewards.testing.case import Case, Row, same
from grpo_rewards.testing.clause import clause

__all__ = [
    "TrainerState",
    "batches",
    "determinism",
    "empty_batch",
    "inputs",
    "keywords",
    "model",
    "values",
    "wrong_with",
]

CALLS = 3


@clause("Read 'completion', which @grpo_rewards.reward passes, or what a trainer passes as completions.")
def model(case: Case) -> str | None:
    """It looks at what the model did: completions, messages, token ids or environments."""
    found = unseeing(case.reward, case.columns)
    return None if found is None else f"it {' '.join(found)}"


@clause("Return a list with one number per completion, and None where the row cannot be scored.")
def values(case: Case) -> str | None:
    """A call gives a list with one finite number or None for each completion."""
    return wrong_with(case.values, len(case.rows))


def wrong_with(given_back: Any, size: int) -> str | None:
    """What is wrong with what a reward gave back for so many completions; ``None`` if nothing is."""
    if not isinstance(given_back, list | tuple):
        return f"it gave {shown(given_back)} for {size} completions"
    if len(given_back) != size:
        return f"it gave {len(given_back)} values for {size} completions"
    for at, value in enumerate(given_back):
        if value is not None and not (isinstance(value, Real) and math.isfinite(value)):
            return f"it gave {shown(value)} for completion {at}"
    return None


@clause("Take chance, time, counters and everything else that outlives a call out of the reward.")
def determinism(case: Case) -> str | None:
    """The same call gives the same numbers again."""
    for _ in range(CALLS):
        again = case.give(case.rows)
        if not same(again, case.values):
            return _difference(case.rows, case.values, again, "when called again")
    return None


@clause(
    "Let what a completion earns depend on its own row. A reward that compares completions of a prompt is checked with "
    "group=…, how many there are."
)
def batches(case: Case) -> str | None:
    """What a completion earns does not depend on its place in a batch, nor on the other rows (groups) of it."""
    alone = list(chain.from_iterable(case.give(group) for group in case.groups))
    if not same(alone, case.values):
        return _difference(case.rows, case.values, alone, "in a batch of its own")
    order = list(range(len(case.groups)))
    for seed in range(2):
        random.Random(seed).shuffle(order)
        rows = [row for at in order for row in _turned(case.groups[at], seed)]
        wanted = [value for at in order for value in _turned(case.values[at * case.group :][: case.group], seed)]
        shuffled = case.give(rows)
        if not same(shuffled, wanted):
            return _difference(rows, wanted, shuffled, "in another order")
    return None


def _turned(group: Sequence[Any], by: int) -> list[Any]:
    """The group in another order."""
    by %= len(group)
    return [*group[by:], *group[:by]]


@clause("Work on copies: the trainer and the other rewards go on using what they passed.")
def inputs(case: Case) -> str | None:
    """A call changes nothing that it was given."""
    given = case.taken(case.given(case.rows))
    before = copy.deepcopy(given)
    case.call(**given)
    for name, value in given.items():
        if repr(value) != repr(before[name]):
            return f"'{name}' was {shown(before[name])} and is {shown(value)}"
    return None


class TrainerState:
    """Stands for transformers' TrainerState."""

    global_step, max_steps, epoch = 3, 100, 0.5


def _ignore(*_: Any) -> None:
    """Stands for the trainer's loggers."""


@clause("Take **kwargs, or decorate the function with @grpo_rewards.reward, which passes it what it names and no more.")
def keywords(case: Case) -> str | None:
    """Keywords that it does not read, of trainers and other columns, change nothing."""
    size = len(case.rows)
    columns = {"question": ["?"] * size, "level": [1] * size, "source": [{"of": "a"}] * size}
    by_trainer = {"trainer_state": TrainerState(), "log_extra": _ignore, "log_metric": _ignore}
    read = {*case.columns, *(_read_by(case.own) if case.own else ())}
    for more in (columns, by_trainer, {**columns, **by_trainer, "environments": [object()] * size}):
        beside = {name: value for name, value in more.items() if name not in read}
        try:
            given = case.call(**case.given(case.rows), **beside)
        except TypeError as error:
            return f"with {', '.join(beside)} it raised TypeError: {error}"
        if not same(given, case.values):
            return _difference(case.rows, case.values, given, f"with {', '.join(beside)}")
    return None


def _read_by(reward: Reward) -> set[str]:
    """What a reward, or one inside it, reads of a trainer's keywords."""
    names = {"trainer_state"} if reward.changes else set[str]()
    for one in every_reward(reward):
        names |= {*one.column_names, *getattr(getattr(one, "signature", None), "reads", ())}
    return names


@clause("Return [] where there are no completions.")
def empty_batch(case: Case) -> str | None:
    """A call without completions gives an empty list."""
    given = case.give([])
    return None if list(given) == [] else f"it gave {shown(given)}"


def _difference(rows: Sequence[Row], first: Sequence[Any], second: Sequence[Any], when: str) -> str:
    """The first row whose reward differs."""
    if len(first) != len(second):
        return f"{len(second)} values {when}, {len(first)} before"
    at = next(at for at in range(len(first)) if not same(first[at : at + 1], second[at : at + 1]))
    return f"{shown(rows[at]['completion'])} earned {first[at]!r}, and {second[at]!r} {when}"
