"""The same reward in another range: clipped, or scaled and shifted."""

from __future__ import annotations

from abc import ABC, abstractmethod

from grpo_rewards.compose.composite import Composite, check_number, part
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.names import register_composer
from grpo_rewards.verdict import Verdict

__all__ = ["Clipped", "Scaled", "clipped", "scaled"]


class Adjusted(Composite, ABC):
    """A reward whose numbers are each mapped into another range, independently of the other rows."""

    @abstractmethod
    def adjusted(self, value: float) -> float:
        """The number in the new range. Must be monotonic: rising or falling throughout, so that bounds stay bounds."""

    @property
    def range(self) -> tuple[float, float] | None:
        inner = self.parts[0].range
        if inner is None:
            return None
        low, high = sorted(map(self.adjusted, inner))
        return low, high

    def outcomes(self, call: Call) -> list[Verdict]:
        verdicts = self.parts[0].verdicts(call)
        return [one if one.reward is None else one._replace(reward=self.adjusted(one.reward)) for one in verdicts]


class Clipped(Adjusted):
    """A reward held between two bounds. Made by :func:`clipped`."""

    def adjusted(self, value: float) -> float:
        return float(min(max(value, self.settings["low"]), self.settings["high"]))


class Scaled(Adjusted):
    """A reward multiplied by a factor, plus an offset. Made by :func:`scaled`."""

    def adjusted(self, value: float) -> float:
        return float(value * self.settings["by"] + self.settings["offset"])


@register_composer
def clipped(reward: Reward | str, /, *, low: float, high: float, name: str | None = None) -> Clipped:
    """A reward held within ``[low, high]``: a number outside becomes the nearer bound.

    Where the reward is ``None``, so is the result. Reasons are those of the reward.

    Args:
        reward (Reward | str): a reward or the spec of one.
        low (float): the lower bound.
        high (float): the upper bound.
        name (str | None): the name in the logs; ``clipped_<reward>`` by default.

    Returns:
        A Reward.

    Raises:
        RewardError: ``reward`` is not a reward, a bound is not a finite number, or ``low`` exceeds ``high``.

    >>> clipped("repetition", low=-0.5, high=0.0).score("", completion_ids=[7] * 100)
    -0.5
    """
    inner = part("clipped", reward)
    bounds = {"low": check_number("clipped", "low", low), "high": check_number("clipped", "high", high)}
    if bounds["low"] > bounds["high"]:
        raise RewardError(f"clipped: low must not exceed high, as {low} exceeds {high}.")
    return Clipped(clipped, {"reward": inner, **bounds}, {inner: None}, name)


@register_composer
def scaled(reward: Reward | str, /, *, by: float, offset: float = 0.0, name: str | None = None) -> Scaled:
    """``by`` times a reward, plus ``offset``.

    Where the reward is ``None``, so is the result. Reasons are those of the reward.

    Args:
        reward (Reward | str): a reward or the spec of one.
        by (float): the factor; a negative one turns a reward into a penalty.
        offset (float): what is added after the multiplication; 0.0 by default.
        name (str | None): the name in the logs; ``scaled_<reward>`` by default.

    Returns:
        A Reward.

    Raises:
        RewardError: ``reward`` is not a reward, or ``by`` or ``offset`` is not a finite number.

    >>> minus_one_or_one = scaled("boxed_answer", by=2, offset=-1)
    >>> minus_one_or_one.score(r"\\boxed{5}", answer="4"), minus_one_or_one.range
    (-1.0, (-1.0, 1.0))
    """
    inner = part("scaled", reward)
    numbers = {"by": check_number("scaled", "by", by), "offset": check_number("scaled", "offset", offset)}
    return Scaled(scaled, {"reward": inner, **numbers}, {inner: None}, name)
