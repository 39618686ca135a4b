"""The weighted sum of rewards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grpo_rewards.compose.composite import Composite, check_number, part
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.names import register_composer
from grpo_rewards.verdict import Verdict

__all__ = ["Weighted", "weighted"]


class Weighted(Composite):
    """The weighted sum of rewards. Made by :func:`weighted`."""

    @property
    def funcs(self) -> list[Reward]:
        """The rewards, as a new list for the argument ``reward_funcs`` of GRPOTrainer."""
        return list(self.settings["parts"])

    @property
    def weights(self) -> list[float]:
        """The weights, as a new list for ``GRPOConfig.reward_weights``."""
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
                    call.log_metric(f"{self.name}/{one.name.removeprefix(f'{self.name}/')}", sum(scored) / len(scored))
        names = [one.name for one in self.funcs]
        weights, renormalise = self.weights, self.settings["renormalise"]
        return [
            Verdict(_sum(values, weights, renormalise), details=dict(zip(names, values, strict=True)))
            for values in zip(*per_part, strict=True)
        ]

    def _usual_name(self) -> str:
        return "weighted"


def _sum(values: tuple[float | None, ...], weights: list[float], renormalise: bool) -> float | None:
    # The same sum as in TRL: None is left out, and a row in which all are None stays None.
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
    """The weighted sum of several rewards.

    There are two ways to use it, and both give the same sum. Pass ``reward_funcs=w.funcs`` and
    ``reward_weights=w.weights``, and TRL weighs and logs each part. Or pass ``w`` itself as one reward, which logs the
    mean of each part as ``<name>/<part>``.

    Args:
        parts (Mapping | None): the weight of each reward; keys are rewards or specs.
        renormalise (bool): what happens to the weight of a part that is ``None``. ``False``, the default: it is lost,
            as in TRL. ``True``: it is shared among the other parts in proportion to their weights.
        name (str): the name in the logs; ``weighted`` by default.
        by_name (float): weights by the names of registered rewards, instead of ``parts`` or in addition.

    Returns:
        A Weighted, which is a Reward. A part that is ``None`` is left out of the sum; where all parts are ``None``, so
        is the sum. The details hold the reward of each part by its name.

    Raises:
        RewardError: no parts, a weight that is not a finite number, two parts with the same name, an unknown spec.

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
