"""Holds what ``soft_overlong`` was told about the longest completion to what the run allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from grpo_rewards.preflight.report import Finding
from grpo_rewards.registry import Reward
from grpo_rewards.registry.functions.function import FunctionReward
from grpo_rewards.rewards.length.limits import soft_overlong

__all__ = ["length_limits"]


def length_limits(rewards: Sequence[Any], args: Any) -> Iterator[Finding]:
    """Findings about each ``soft_overlong``, also inside composites, whose ``max_tokens`` is not the run's limit.

    Above it, the penalty for a completion that was cut off is smaller than the paper's -1, or none at all: an error.
    Below it, the last tokens cost nothing more, which a run with tools may want: a warning.

    Args:
        rewards: rewards and plain functions.
        args: the run's ``GRPOConfig``, or ``None``.
    """
    longest = getattr(args, "max_completion_length", None)
    if not isinstance(longest, int) or isinstance(longest, bool):
        return
    bounds: dict[str, int] = {}

    def looked_at(reward: Reward) -> Reward:
        if isinstance(reward, FunctionReward) and reward.function is soft_overlong.function:
            bounds[reward.name] = reward.options["max_tokens"]
        return reward

    for one in rewards:
        if isinstance(one, Reward):
            one.mapped(looked_at)
    for name, bound in bounds.items():
        if bound == longest:
            continue
        what = "never costs the whole penalty" if bound > longest else "costs no more than a shorter one"
        yield Finding(
            "error" if bound > longest else "warning",
            "lengths",
            f"reward '{name}' has max_tokens={bound}, and the run max_completion_length={longest}: a completion that "
            f"is cut off {what}.",
            "Give both the same number.",
            name,
        )
