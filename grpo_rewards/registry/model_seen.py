"""Whether a reward looks at what the model did. One that does not gives a row the same whatever is written for it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from grpo_rewards.registry.errors import GIVEN_BY_TRAINER, listed
from grpo_rewards.registry.functions.function import FunctionReward
from grpo_rewards.registry.functions.model_arguments import (
    OF_MODEL,
    arguments_of,
    completion_argument,
    how_to_see,
    used_arguments,
)
from grpo_rewards.registry.interface import Reward

__all__ = ["takes_of_model", "unseeing"]

PASSED = ("completions", "completion_ids", "environments")  # by trainers, to plain functions


def unseeing(one: Any, columns: Collection[str] | None) -> tuple[str, str] | None:
    """(message, remedy) for a reward that looks at nothing of what the model did; ``None`` for every other one.

    Args:
        one: a reward, or a plain function as TRL takes it.
        columns: the names of the dataset's columns, or ``None``. What is none of them may come from a
            ``rollout_func``, and so from the model.
    """
    if not isinstance(one, Reward) and not takes_of_model(one):
        takes = listed(arguments_of(one))
        message = (
            f"reads nothing of what the model did: a trainer passes that as {listed(PASSED)}, and it takes {takes}."
        )
        return message, how_to_see(one)
    if not _ignores(one, columns or ()):
        return None
    meant = completion_argument(one.columns if isinstance(one, Reward) else arguments_of(one))
    hint = "" if meant is None or meant[0] in PASSED else f"Did you mean '{meant[1]}' by '{meant[0]}'? "
    message = "takes what the model did and never uses it: a row earns the same whatever is written."
    return message, f"{hint}Use it, or leave the reward out."


def takes_of_model(function: Any) -> bool:
    """Whether a plain function takes what the model did, by name or from its ``**kwargs``."""
    parameters = arguments_of(function)
    if not parameters or any(name in parameters for name in PASSED):
        return True
    used = used_arguments(function)
    takes_all = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    return takes_all and (used is None or not used.isdisjoint(PASSED))


def _ignores(one: Any, columns: Collection[str]) -> bool:
    """Whether it is certain that a reward, or each part of one, uses nothing but its row."""
    if isinstance(one, Reward) and not isinstance(one, FunctionReward):
        return bool(one.parts) and all(_ignores(part, columns) for part in one.parts)
    own = one if isinstance(one, FunctionReward) else None
    function = one if own is None else own.function
    used = used_arguments(function)
    if used is None or not used.isdisjoint((*OF_MODEL, *(own.dependency_specs if own else ()))):
        return False
    parameters = arguments_of(function)
    settings = {name for name, its in parameters.items() if its.default is not its.empty and its.default is not None}
    read = (used - GIVEN_BY_TRAINER if own is None else used.intersection(own.signature.columns)) - settings
    names = {column for name in read for column in (own.column_names[name] if own else (name,))}
    return names.issubset(columns)
