"""The processes of one training: how many there are, and what each of them has.

PyTorch is looked for among what is already imported, and never imported: a process that takes part has done that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from grpo_rewards.registry.errors import RewardError

__all__ = ["gathered", "side_by_side", "world_size"]

_side_by_side: ContextVar[str | None] = ContextVar("side_by_side", default=None)  # the async reward that runs


@contextmanager
def side_by_side(reward_name: str) -> Iterator[None]:
    """Where an async reward runs: others may run at the same time, in another order in each process."""
    token = _side_by_side.set(reward_name)
    try:
        yield
    finally:
        _side_by_side.reset(token)


def world_size() -> int:
    """The number of processes that train together; 1 where there is no such group."""
    distributed = _distributed()
    return 1 if distributed is None else int(distributed.get_world_size())


def gathered(value: Any) -> tuple[list[Any], int]:
    """(what every process has, in their order, and the place of this one's in it). Every process must call it.

    It waits for the others, so a caller must be certain that they come: whether it is called may depend only on what
    is the same in all of them. An async reward must not: where two of them wait, the processes would meet crosswise.

    Raises:
        RewardError: an async reward calls it, by itself or through a reward that it depends on.
    """
    distributed = _distributed()
    if distributed is None:
        return [value], 0
    waiting = _side_by_side.get()
    if waiting is not None:
        raise RewardError(
            f"reward '{waiting}' is async, and needs what all {distributed.get_world_size()} processes must send "
            "each other, such as the lengths of a group that is spread over them. Async rewards run side by side, in "
            "another order in each process. Give the reward that compares the groups to the trainer by itself, or make "
            "the batch of each process a multiple of num_generations."
        )
    values: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(values, value)
    return values, int(distributed.get_rank())


def _distributed() -> Any:
    module = sys.modules.get("torch.distributed")
    return module if module is not None and module.is_available() and module.is_initialized() else None
