"""Which rows of a data set cannot be scored, whatever a model writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from grpo_rewards.registry import Reward
from grpo_rewards.registry.call import Call

__all__ = ["PlainFunction", "as_list", "check_answers"]

PlainFunction: TypeAlias = Callable[..., Any]  # a reward as TRL takes it without this package


def check_answers(
    reward_funcs: Reward | PlainFunction | Sequence[Reward | PlainFunction], rows: Mapping[str, Sequence[Any]]
) -> dict[str, list[int]]:
    """The rows whose gold a reward cannot read, so that they teach nothing whatever a model writes.

    Only rewards with the documented reason ``bad_answer`` are asked, also as parts of composites.

    Args:
        reward_funcs: rewards; plain functions among them are passed over.
        rows: columns by name, each with one value per row, such as ``dataset[:]``.

    Returns:
        For each reward that cannot read some rows, their indices by its name; ``{}`` if all can be read.

    Raises:
        RewardError: a column that a reward reads is missing.
    """
    size = len(next(iter(rows.values()), ()))
    call = Call([""] * size, prompts=[""] * size, completion_ids=[[]] * size, columns=dict(rows))
    unreadable: dict[str, list[int]] = {}
    for one, its_call, its_rows in _asked(as_list(reward_funcs), call):
        if "bad_answer" in one.reasons:
            verdicts = one.verdicts(its_call)
            bad = [row for row, verdict in zip(its_rows, verdicts, strict=True) if verdict.reason == "bad_answer"]
            if bad:
                unreadable[one.name] = sorted({*unreadable.get(one.name, ()), *bad})
    return unreadable


def as_list(reward_funcs: Any) -> list[Any]:
    """One reward or several, as a fresh list."""
    return list(reward_funcs) if isinstance(reward_funcs, list | tuple) else [reward_funcs]


def _asked(rewards: Sequence[Any], call: Call) -> Iterator[tuple[Reward, Call, Sequence[int]]]:
    """Yields (reward, its call, its row numbers) for each reward and each part of one, at any depth."""
    for one in rewards:
        if isinstance(one, Reward):
            yield one, call, range(call.size)
            for below, its_call, its_rows in one.parts_in(call):
                for part, part_call, part_rows in _asked([below], its_call):
                    yield part, part_call, [its_rows[row] for row in part_rows]
