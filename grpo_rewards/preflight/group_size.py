"""Binds ``num_generations`` in rewards that compare the completions of one prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from grpo_rewards.preflight.report import Finding
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import listed

__all__ = ["with_group_size"]


def with_group_size(rewards: Sequence[Any], args: Any) -> tuple[list[Any], list[Finding]]:
    """The rewards with ``num_generations`` and ``num_generations_eval`` bound, unless they were, and what was found.

    Args:
        rewards: rewards and plain functions.
        args: the run's configuration, or ``None``.
    """
    size = getattr(args, "num_generations", None)
    if not isinstance(size, int) or isinstance(size, bool):
        return list(rewards), []
    strategy = getattr(args, "eval_strategy", "no")
    evaluates = getattr(strategy, "value", strategy) != "no" or bool(getattr(args, "eval_on_start", False))
    in_evaluation = getattr(args, "num_generations_eval", None) if evaluates else None
    sizes: dict[str, Any] = {
        "num_generations": size,
        "num_generations_eval": None if in_evaluation == size else in_evaluation,
    }

    def configured(reward: Reward) -> Reward:
        unknown = {name: one for name, one in sizes.items() if one and reward.options.get(name, one) is None}
        return reward.bind(**unknown) if unknown else reward

    findings = list(_contradicted(rewards, size, in_evaluation))
    new = [one.mapped(configured) if isinstance(one, Reward) else one for one in rewards]
    changed = [one.name for old, one in zip(rewards, new, strict=True) if old != one]
    if not changed:
        return new, findings
    findings += [Finding("fine", "groups", f"a group is {size} completions; bound in: {listed(changed)}.")]
    if in_evaluation and in_evaluation != size and in_evaluation % size == 0:
        message = f"an evaluation draws {in_evaluation} completions of a prompt, and a training {size}."
        remedy = f"In evaluations {listed(changed)} compares {size} with each other. Draw as many in both."
        findings.append(Finding("warning", "groups", message, remedy))
    return new, findings


def _contradicted(rewards: Sequence[Any], size: int, in_evaluation: int | None) -> Iterator[Finding]:
    """Errors for rewards that were bound by hand to groups of another size than the run draws."""
    drawn = {"num_generations": size, "num_generations_eval": in_evaluation}
    found: dict[tuple[str, str], Any] = {}

    def looked_at(reward: Reward) -> Reward:
        found.update({(reward.name, option): reward.options.get(option) for option in drawn})
        return reward

    for one in rewards:
        if isinstance(one, Reward):
            one.mapped(looked_at)
    for (name, option), bound in found.items():
        if bound is not None and drawn[option] is not None and bound != drawn[option]:
            message = f"reward '{name}' is bound with {option}={bound}, but the run draws {drawn[option]}."
            remedy = f"Leave {option} at its default, and check_rewards binds it."
            yield Finding("error", "groups", message, remedy, name)
