"""The names under which a reward logs, which must be distinct: a trainer would mix what is logged under one name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from grpo_rewards.registry.errors import RewardError, shown

__all__ = ["check_distinct", "names_in", "share_names"]


def names_in(reward_name: str, what: str, given: Sequence[str]) -> tuple[str, ...]:
    """The names that a decorator was given, each once. Raises RewardError for a text in place of a list."""
    if isinstance(given, str):
        raise RewardError(f"{what} of reward '{reward_name}' must be a list of names, not the string {shown(given)}.")
    return tuple(dict.fromkeys(given))


def share_names(shares: Mapping[str, Iterable[str]]) -> list[str]:
    """The names of the shares of the values that details of verdicts have."""
    return [f"{detail}/{value}" for detail, values in shares.items() for value in values]


def check_distinct(reward_name: str, what: str, names: Sequence[str]) -> None:
    """Raises RewardError if a reward would log two things under one name."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RewardError(
            f"reward '{reward_name}' would log two {what} as '{reward_name}/{twice}'. Of what the decorator gets as "
            "reasons, shares, means, meters and table, rename one."
        )
