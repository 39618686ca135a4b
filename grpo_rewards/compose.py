"""Rewards made of rewards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from grpo_rewards.registry import Call, Reward, RewardError, get_reward
from grpo_rewards.registry.errors import check_name
from grpo_rewards.verdict import Verdict

__all__ = ["Weighted", "weighted"]


class Weighted(Reward):
    """The weighted sum of rewards. Made by :func:`weighted`.

    Attributes:
        parts: the rewards with their weights.
    """

    def __init__(self, parts: tuple[tuple[Reward, float], ...], name: str) -> None:
        self.parts = parts
        self.name = name
        self.__doc__ = f"The weighted sum {self!r}."

    @property
    def funcs(self) -> list[Reward]:
        """The rewards, as a fresh list for ``reward_funcs``."""
        return [part for part, _ in self.parts]

    @property
    def weights(self) -> list[float]:
        """The weights, as a fresh list for ``GRPOConfig.reward_weights``."""
        return [weight for _, weight in self.parts]

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]  # derived here, stored elsewhere
        return tuple(dict.fromkeys(column for part in self.funcs for column in part.columns))

    @property
    def metric_names(self) -> tuple[str, ...]:
        return (self.name, *(name for part in self.funcs for name in part.metric_names))

    @property
    def range(self) -> tuple[float, float] | None:
        ranges = [part.range for part in self.funcs]
        if any(one is None for one in ranges):
            return None
        ends = [sorted((weight * low, weight * high)) for (low, high), weight in zip(ranges, self.weights, strict=True)]  # type: ignore[misc]
        return sum(low for low, _ in ends), sum(high for _, high in ends)

    def bind(self, *, name: str | None = None, **options: Any) -> Weighted:
        if options:
            raise RewardError(
                f"reward '{self.name}' has no options of its own; bind {', '.join(options)} to its parts."
            )
        return weighted(dict(self.parts), name=self.name if name is None else name)

    def check_ready(self) -> None:
        for part in self.funcs:
            part.check_ready()

    def outcomes(self, call: Call) -> list[Verdict]:
        per_part = [part.rewards(call) for part in self.funcs]
        if call.log_metric is not None:
            for part, values in zip(self.funcs, per_part, strict=True):
                scored = [value for value in values if value is not None]
                if scored:
                    call.log_metric(f"{self.name}/{part.name}", sum(scored) / len(scored))
        return [self._sum(values) for values in zip(*per_part, strict=True)]

    def _sum(self, values: tuple[float | None, ...]) -> Verdict:
        # As TRL sums: None is left out and the weights are not renormalised; a row of None alone stays None.
        terms = [weight * value for value, weight in zip(values, self.weights, strict=True) if value is not None]
        by_name = {part.name: value for part, value in zip(self.funcs, values, strict=True)}
        return Verdict(sum(terms) if terms else None, details=by_name)

    def __repr__(self) -> str:
        inner = ", ".join(f"{part!r}: {weight!r}" for part, weight in self.parts)
        return f"weighted({{{inner}}})" if self.name == "weighted" else f"weighted({{{inner}}}, name={self.name!r})"

    def __eq__(self, other: object) -> bool:
        return (self.parts, self.name) == (other.parts, other.name) if isinstance(other, Weighted) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.parts, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return Weighted, (self.parts, self.name)


def weighted(parts: Mapping[Reward | str, float], *, name: str = "weighted") -> Weighted:
    """A weighted sum of rewards, for TRL's own weighting or as one reward.

    ``reward_funcs=w.funcs`` with ``reward_weights=w.weights`` lets TRL weigh and log each part; passing ``w`` itself
    makes one metric, with the parts' means as ``<name>/<part>`` beside it. Both give the same sum: a part that is
    ``None`` is left out without renormalising, and a row in which all are ``None`` is ``None``.

    Args:
        parts: weights by reward, or by spec.
        name: the name in the logs.

    Raises:
        RewardError: no parts, a weight that is not a finite number, two parts of one name, an unknown spec.

    >>> import grpo_rewards as gr
    >>> points = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0})
    >>> [points.score(text, answer="4") for text in (r"\\boxed{4}", r"\\boxed{5}", "4")]
    [1.5, 0.5, 0.0]
    """
    if not isinstance(parts, Mapping) or not parts:
        raise RewardError(
            f"weighted needs a mapping of rewards to weights, such as {{boxed_answer: 1.0}}, not {parts!r}."
        )
    check_name(name, "weighted")
    resolved = []
    for spec, weight in parts.items():
        part = get_reward(spec)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
            raise RewardError(f"the weight of reward '{part.name}' must be a finite number, not {weight!r}.")
        resolved.append((part, float(weight)))
    names = [part.name for part, _ in resolved]
    for part_name in names:
        if names.count(part_name) > 1 or part_name == name:
            raise RewardError(f"weighted has two rewards called '{part_name}'; rename one with .bind(name=…).")
    return Weighted(tuple(resolved), name)
