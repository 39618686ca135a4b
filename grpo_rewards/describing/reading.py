"""What a reward reads of a row: what the trainer gives it, and the dataset's columns."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grpo_rewards.registry import Reward
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import every_reward

__all__ = ["Reads", "reads_json", "reads_of", "stated_range"]

ONE_OF_MANY = {"completions": "completion", "prompts": "prompt"}


@dataclass(frozen=True)
class Reads:
    """What a reward reads.

    Attributes:
        given: names that the trainer gives, such as ``completion`` and ``completion_ids``.
        columns: dataset columns that must be there, by the dataset's names.
        optional: dataset columns that are read where they are there.
    """

    given: tuple[str, ...]
    columns: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns that must be there and those that may."""
        return (*self.columns, *self.optional)

    def __str__(self) -> str:
        return ", ".join([*self.given, *self.columns, *(f"[{one}]" for one in self.optional)])


def reads_of(reward: Reward) -> Reads:
    """What a reward reads, with those that it is made of, or depends on."""
    given: dict[str, None] = {}
    for one in every_reward(reward):
        if isinstance(one, FunctionReward):
            own = [
                name
                for name in one.signature.reads
                if name not in (*one.signature.columns, *one.signature.dependencies)
            ]
            given |= {ONE_OF_MANY.get(name, name): None for name in own}
    known = [column for several in reward.column_names.values() for column in several]
    optional = tuple(dict.fromkeys(column for column in known if column not in reward.columns))
    return Reads(tuple(given), tuple(reward.columns), optional)


def stated_range(reward: Reward) -> tuple[float, float] | None:
    """The range that a reward states; ``None`` if it states none, or only when more options are bound."""
    try:
        return reward.range
    # a plug-in's own function, which may trip over an option that is not bound yet
    except Exception:  # noqa: BLE001
        return None


def reads_json(reward: Reward, column: str) -> bool:
    """Whether a column of a reward, by the dataset's name, holds something else than text.

    That is known from its example, or from the type of the parameter: a number, a list or an object.
    """
    return any(_takes_other_than_text(one, column) for one in every_reward(reward) if isinstance(one, FunctionReward))


def _takes_other_than_text(reward: FunctionReward, column: str) -> bool:
    own = {name for name, its in reward.own_column_names.items() if column in its}
    examples = [reward.example[name] for name in own if name in reward.example]
    if examples:
        return not any(isinstance(one, str) for one in examples)
    try:
        hints = typing.get_type_hints(reward.function)
    except (NameError, TypeError, AttributeError):  # of a callable object, or of names that only a checker sees
        return False
    return any(_is_other_than_text(hints.get(name), reward.batch) for name in own)


def _is_other_than_text(hint: Any, batch: bool) -> bool:
    """Whether a type is a number, a list or an object; for a reward that sees the whole call, of one row of it."""
    if batch:
        hint = next(iter(typing.get_args(hint)), None)
    several = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    kinds = {typing.get_origin(one) or one for one in several} - {type(None)}
    return bool(kinds) and all(
        isinstance(kind, type) and issubclass(kind, int | float | list | tuple | Mapping) for kind in kinds
    )
