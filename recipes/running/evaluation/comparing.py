"""Rewards that compare the completions of one prompt: an evaluation draws another number of them than training does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grpo_rewards import Reward

__all__ = ["compares", "for_groups_of", "groups_note", "without_sizes"]

GROUP = "num_generations"  # the option of such a reward, and what it is where TRL's own evaluation draws others
GROUP_IN_EVALUATION = "num_generations_eval"


def for_groups_of(rewards: Sequence[Reward], size: int) -> list[Reward]:
    """The rewards for ``size`` answers to each problem; of one answer without those that compare several.

    An evaluation scores on one process, with all answers to a problem in one call. A reward that was still bound to the
    groups of training would take others, or wait for lengths of processes that do not score.
    """
    return [bound(reward, size) for reward in rewards if size > 1 or not compares(reward)]


def without_sizes(rewards: Sequence[Reward]) -> list[Reward]:
    """The rewards without the sizes of groups that they are bound to, which are of a training."""
    return [bound(reward, None) for reward in rewards]


def bound(reward: Reward, size: int | None) -> Reward:
    sizes: dict[str, Any] = {GROUP: size, GROUP_IN_EVALUATION: None}
    return reward.mapped(lambda part: part.bind(**{name: one for name, one in sizes.items() if name in part.options}))


def compares(reward: Reward) -> bool:
    """Whether it, or a part of it, compares the completions of one prompt."""
    options: set[str] = set()

    def looked_at(part: Reward) -> Reward:
        options.update(part.options)
        return part

    reward.mapped(looked_at)
    return GROUP in options


def groups_note(rewards: Sequence[Reward], samples: int) -> str:
    """A note for an evaluation whose rewards compare answers; empty if none does."""
    names = ", ".join(reward.name for reward in rewards if compares(reward))
    if not names:
        return ""
    if samples == 1:
        return (
            f"{names}: left out of the evaluation, for it compares the samples of a problem. Take --eval_samples 2 or "
            "more."
        )
    return (
        f"{names}: compares the {samples} samples of a problem, so the evaluation reports it of sampled answers alone."
    )
