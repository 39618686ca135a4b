"""The weighted sum of rewards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grpo_rewards.compose.composite import Composite, check_number, part
from grpo_rewards.registry import Call, Reward, RewardError, register_composer
from grpo_rewards.verdict import Verdict

__all__ = ["Weighted", "weighted"]


class Weighted(Composite):
    """The weighted sum of rewards. Made by :func:`weighted`."""

    @property
    def funcs(self) -> list[Reward]:
        """The rewards, as a fresh list for ``reward_funcs``."""
        return list(self.settings["parts"])

    @property
    def weights(self) -> list[float]:
        """The weights, as a fresh list for ``GRPOConfig.reward_weights``."""
        return list(self.settings["parts"].values())

    @property
    def range(self) -> tuple[float, float] | None:
        ranges = [one.range for one in self.funcs]
        if any(one is None for one in ranges):
            return None
        ends = [sorted((weight * low, weight * high)) for (low, high), weight in zip(ranges, self.weights, strict=True)]  # type: ignore[misc]
        return sum(low for low, _ in ends), sum(high for _, high in ends)

    def outcomes(self, call: Call) -> list[Verdict]:
        per_part = [one.rewards(call) for one in self.funcs]
        if call.log_metric is not None:
            for one, values in zip(self.funcs, per_part, strict=True):
                scored = [value for value in values if value is not None]
                if scored:
                    call.log_metric(f"{self.name}/{one.name}", sum(scored) / len(scored))
        names = [one.name for one in self.funcs]
        weights, renormalise = self.weights, self.settings["renormalise"]
        return [
            Verdict(_sum(values, weights, renormalise), details=dict(zip(names, values, strict=True)))
            for values in zip(*per_part, strict=True)
        ]

    def _usual_name(self) -> str:
        return "weighted"


def _sum(values: tuple[float | None, ...], weights: list[float], renormalise: bool) -> float | None:
    # As TRL sums: None is left out, and a row of None alone stays None.
    pairs = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    if not pairs:
        return None
    total = sum(value * weight for value, weight in pairs)
    if not renormalise or len(pairs) == len(weights):
        return total
    counted = sum(abs(weight) for _, weight in pairs)
    return total * sum(map(abs, weights)) / counted if counted else 0.0


@register_composer
def weighted(
    parts: Mapping[Reward | str, float] | None = None,
    /,
    *,
    renormalise: bool = False,
    name: str = "weighted",
    **by_name: float,
) -> Weighted:
    """A weighted sum of rewards, for TRL's own weighting or as one reward.

    ``reward_funcs=w.funcs`` with ``reward_weights=w.weights`` lets TRL weigh and log each part; passing ``w`` itself
    makes one metric, with the parts' means as ``<name>/<part>`` beside it. Both give the same sum: a part that is
    ``None`` is left out, and a row in which all are ``None`` is ``None``.

    Args:
        parts: weights by reward, or by spec.
        renormalise: whether the weights of the parts that are left out go to the others, in proportion. TRL does not.
        name: the name in the logs.
        by_name: weights of registered rewards by their names, instead of ``parts`` or beside it.

    Raises:
        RewardError: no parts, a weight that is not a finite number, two parts of one name, an unknown spec.

    >>> import grpo_rewards as gr
    >>> points = gr.weighted(boxed_format=0.5, boxed_answer=1.0)
    >>> [points.score(text, answer="4") for text in (r"\\boxed{4}", r"\\boxed{5}", "4")]
    [1.5, 0.5, 0.0]
    """
    if (not parts and not by_name) or not isinstance(parts, Mapping | None):
        raise RewardError(
            f"weighted needs a mapping of rewards to weights, such as {{boxed_answer: 1.0}}, not {parts!r}."
        )
    if not isinstance(renormalise, bool):
        raise RewardError(f"weighted: renormalise must be True or False, not {renormalise!r}.")
    resolved: dict[Reward, float] = {}
    for given, weight in [*(parts or {}).items(), *by_name.items()]:
        one = part("weighted", given)
        if one in resolved:
            raise RewardError(f"weighted has two rewards called '{one.name}'; give it one weight.")
        resolved[one] = check_number("weighted", f"the weight of '{one.name}'", weight)
    settings: dict[str, Any] = {"parts": resolved, "renormalise": renormalise}
    return Weighted(weighted, settings, dict.fromkeys(resolved), name)
