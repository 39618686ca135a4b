"""How a reward that was made of a function travels by pickle: as a reference to the function, and what was bound."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from grpo_rewards.registry.errors import RewardError
from grpo_rewards.registry.functions.signature import where

if TYPE_CHECKING:
    from grpo_rewards.registry.functions.function import FunctionReward

__all__ = ["by_reference"]


def by_reference(
    reward: FunctionReward, metadata: dict[str, Any], bound: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What ``__reduce__`` of such a reward returns.

    Args:
        reward: the reward.
        metadata: the arguments of its decorator, as far as they can be pickled.
        bound: its name, options and columns, as ``FunctionReward.like`` takes them.

    Raises:
        RewardError: the function is defined inside another one, so that no other process finds it.
    """
    function = reward.function
    if not inspect.isfunction(function):  # an object or a bound method is pickled itself
        return _made_again, (type(reward), function, metadata, bound)
    module, qualname = function.__module__, function.__qualname__
    if "<locals>" in qualname or "<lambda>" in qualname:
        raise RewardError(
            f"reward '{reward.name}' is defined inside a function ({qualname}, {where(function)}) "
            "and cannot be pickled. Move it to the top level of a module."
        )
    del metadata["example"], metadata["registered_name"]  # the function knows, wherever it is found again
    return _restore, (type(reward), module, qualname, metadata, bound)


def _restore(
    kind: type[FunctionReward], module: str, qualname: str, metadata: dict[str, Any], bound: dict[str, Any]
) -> FunctionReward:
    """Finds a pickled reward again, by the module and the name of its function."""
    from grpo_rewards.registry.functions.function import FunctionReward

    try:
        found: Any = importlib.import_module(module)
        for part in qualname.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise RewardError(
            f"reward '{bound['name']}' was pickled as {module}.{qualname}, which this process does not find ({error}). "
            "Define it in a .py file that both processes can import, not in a notebook or an interactive session."
        ) from error
    if not isinstance(found, FunctionReward):  # the module kept the plain function
        found = kind(found, **metadata)
    restored: FunctionReward = found.like(**bound)
    return restored


def _made_again(
    kind: type[FunctionReward], function: Any, metadata: dict[str, Any], bound: dict[str, Any]
) -> FunctionReward:
    """Makes the reward of a callable object again after the object was unpickled."""
    return kind(function, **metadata).like(**bound)
