"""The weighted sum of rewards."""

from collections.abc import Mapping
from operator import mul

from grpo_rewards.compose.composite import Composite, check_number, part, prediction_of
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.catalogue import register_composer
from grpo_rewards.registry.interface import Range
from grpo_rewards.verdict import Verdict


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

    def range_of(self, ranges: list[Range]) -> Range:
        ends = [sorted((weight * low, weight * high)) for (low, high), weight in zip(ranges, self.weights, strict=True)]
        lows, highs = zip(*ends, strict=True)
        if not self.settings["renormalise"]:
            return sum(lows), sum(highs)
        whole = sum(map(abs, self.weights))  # of which one part may have all
        shares = [whole / abs(weight) if weight else 0.0 for weight in self.weights]
        return min(map(mul, lows, shares)), max(map(mul, highs, shares))

    def outcomes(self, call: Call) -> list[Verdict]:
        per_part = [one.verdicts(call) for one in self.funcs]
        names, bests = [one.name for one in self.funcs], [*map(_best, self.funcs, self.weights)]
        keys = [*names, *(f"{name}/reason" for name in names)]
        weights, renormalise = self.weights, self.settings["renormalise"]
        found = []
        for verdicts in zip(*per_part, strict=True):
            values = tuple(verdict.reward for verdict in verdicts)
            details = dict(zip(keys, (*values, *(verdict.reason for verdict in verdicts)), strict=True))
            number, reason = _sum(values, weights, renormalise), _reason(verdicts, weights, bests)
            found.append(Verdict(number, reason, *prediction_of(verdicts), details))
        return found

    def more_means(self, call: Call) -> dict[str, list[float | None]]:
        names = [one.name.removeprefix(f"{self.name}/") for one in self.funcs]
        return {name: [its.reward for its in one.verdicts(call)] for name, one in zip(names, self.funcs, strict=True)}


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


def _best(one: Reward, weight: float) -> float:
    """What adds most to the sum of what a reward can give under this weight; at most 1 if it does not state that."""
    low, high = (0.0, 1.0) if one.range is None else one.range
    return high if weight >= 0 else low


def _reason(verdicts: tuple[Verdict, ...], weights: list[float], bests: list[float]) -> str:
    """Why the sum is what it is: of the parts that count, the first without a reward says it, else the first that does
    not add the most that it can, else the first.
    """
    counted = [one for one in zip(verdicts, weights, bests, strict=True) if one[1]]
    unscored = [verdict for verdict, _, _ in counted if verdict.reward is None]
    lacking = [one for one, weight, best in counted if one.reward is not None and one.reward * weight < best * weight]
    return next(one.reason for one in (*unscored, *lacking, *verdicts))


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

    There are two ways to use the result ``w``, and both give the same sum. Pass ``reward_funcs=w.funcs`` and
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
        is the sum. The details hold the reward of each part by its name, and its reason as ``<part>/reason``. The
        reason is that of the first part that is ``None``, else of the first that does not add the most that it can,
        else of the first part. The prediction is that of the first part that has one, of those that compare with a
        gold if some do.

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
    return Weighted(weighted, {"parts": resolved, "renormalise": renormalise}, name)
