"""Checks the limits bound in rewards of length against the longest completion that the run allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from grpo_rewards.preflight.report import Finding, Severity
from grpo_rewards.registry import Reward
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.rewards.length.judged import cosine_length
from grpo_rewards.rewards.length.limits import max_length, soft_overlong, target_length

__all__ = ["length_limits"]


def length_limits(rewards: Sequence[Any], args: Any) -> Iterator[Finding]:
    """Findings about rewards of length, also inside composites, that do not fit the run's longest completion.

    ``soft_overlong`` with a ``max_tokens`` above it never gives the paper's -1 to what was cut off: an error. Below it,
    the last tokens cost nothing more, which a run with tools may want: a warning. ``max_length`` at or above it is
    always 1: a warning. ``target_length`` is 0 for everything if no completion comes within the tolerance: an error; if
    the target itself is out of reach, a warning. ``cosine_length`` with a ``max_tokens`` above it is one as well.

    Args:
        rewards: rewards and plain functions.
        args: the run's ``GRPOConfig``, or ``None``.
    """
    longest = getattr(args, "max_completion_length", None)
    if not isinstance(longest, int) or isinstance(longest, bool):
        return
    found: dict[str, FunctionReward] = {}

    def looked_at(reward: Reward) -> Reward:
        if isinstance(reward, FunctionReward):
            found[reward.name] = reward
        return reward

    for one in rewards:
        if isinstance(one, Reward):
            one.mapped(looked_at)
    for reward in found.values():
        for function, check in CHECKS:
            if reward.function is function:
                yield from check(reward, longest)


def _soft_overlong(reward: FunctionReward, longest: int) -> Iterator[Finding]:
    bound = reward.options["max_tokens"]
    if bound != longest:
        what = "never costs the whole penalty" if bound > longest else "costs no more than a shorter one"
        message = (
            f"has max_tokens={bound}, and the run max_completion_length={longest}: a completion that is cut off {what}."
        )
        yield _finding("error" if bound > longest else "warning", reward, message, "Give both the same number.")


def _max_length(reward: FunctionReward, longest: int) -> Iterator[Finding]:
    bound = reward.options["max_tokens"]
    if bound >= longest:
        message = f"has max_tokens={bound}, and no completion is longer than max_completion_length={longest}: always 1."
        yield _finding("warning", reward, message, "Give it a smaller number, or leave it out.")


def _target_length(reward: FunctionReward, longest: int) -> Iterator[Finding]:
    target, tolerance = reward.options["target"], reward.options["tolerance"]
    if target > longest:
        never = target - tolerance >= longest
        what = "always 0" if never else "never 1"
        message = f"has target={target}, and no completion is longer than max_completion_length={longest}: {what}."
        yield _finding(
            "error" if never else "warning", reward, message, "Lower the target, or allow longer completions."
        )


def _cosine_length(reward: FunctionReward, longest: int) -> Iterator[Finding]:
    bound = reward.options["max_tokens"]
    if bound > longest:
        message = (
            f"has max_tokens={bound}, and no completion is longer than max_completion_length={longest}: its cosine "
            "never comes to its end, and length changes less than it should."
        )
        yield _finding("warning", reward, message, "Give both the same number.")


def _finding(severity: Severity, reward: FunctionReward, message: str, remedy: str) -> Finding:
    return Finding(severity, "lengths", f"reward '{reward.name}' {message}", remedy, reward.name)


CHECKS: Sequence[tuple[Any, Callable[[FunctionReward, int], Iterator[Finding]]]] = (
    (soft_overlong.function, _soft_overlong),
    (max_length.function, _max_length),
    (target_length.function, _target_length),
    (cosine_length.function, _cosine_length),
)
