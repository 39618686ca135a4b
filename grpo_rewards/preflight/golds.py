"""Which rows of a data set teach nothing: golds that cannot be read, or that only their own spelling can meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from grpo_rewards.registry import Reward
from grpo_rewards.registry.call import Call

__all__ = ["CheckedAnswers", "PlainFunction", "as_list", "check_answers"]

ROW_AT_FAULT = ("bad_answer", "bad_instruction", "unknown_instruction")  # reasons for which nothing can be scored

PlainFunction: TypeAlias = Callable[..., Any]  # a reward as TRL takes it without this package


class CheckedAnswers(dict[str, list[int]]):
    """The rows whose gold a reward cannot read, by the reward's name.

    Attributes:
        as_spelled: the rows, by the reward's name, whose gold is not understood, such as a sentence. Only the same
            spelling earns a reward there, and anything else is not scored.
    """

    def __init__(self) -> None:
        super().__init__()
        self.as_spelled: dict[str, list[int]] = {}


def check_answers(
    reward_funcs: Reward | PlainFunction | Sequence[Reward | PlainFunction], rows: Mapping[str, Sequence[Any]]
) -> CheckedAnswers:
    """The rows whose gold a reward cannot read, so that they teach nothing whatever a model writes.

    Its ``as_spelled`` has the rows whose gold is read, but not understood.

    Only rewards with a documented reason for that, such as ``bad_answer``, are called, also as parts of composites.

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
    at_fault: dict[tuple[str, bool], set[int]] = {}  # by the reward's name and whether the spelling is all that counts
    for one, its_call, its_rows in _with_calls(as_list(reward_funcs), call):
        if not one.parts and any(reason in one.reasons for reason in ROW_AT_FAULT):
            for row, verdict in zip(its_rows, one.verdicts(its_call), strict=True):
                if verdict.reason in ROW_AT_FAULT:
                    key = one.name, bool(verdict.details.get("answer_as_spelled"))
                    at_fault.setdefault(key, set()).add(row)
    checked = CheckedAnswers()
    for (name, as_spelled), found in at_fault.items():
        (checked.as_spelled if as_spelled else checked)[name] = sorted(found)
    return checked


def as_list(reward_funcs: Any) -> list[Any]:
    """One reward or several, as a fresh list."""
    return list(reward_funcs) if isinstance(reward_funcs, list | tuple) else [reward_funcs]


def _with_calls(rewards: Sequence[Any], call: Call) -> Iterator[tuple[Reward, Call, Sequence[int]]]:
    """Yields (reward, its call, its row numbers) for each reward and each part of one, at any depth."""
    for one in rewards:
        if isinstance(one, Reward):
            yield one, call, range(call.size)
            for below, its_call, its_rows in one.parts_in(call):
                for part, part_call, part_rows in _with_calls([below], its_call):
                    yield part, part_call, [its_rows[row] for row in part_rows]
