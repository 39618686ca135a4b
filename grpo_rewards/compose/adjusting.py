"""The same reward with other numbers: clipped, scaled and shifted, or under a weight that changes in training."""

import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any, Literal

from grpo_rewards.compose.composite import Composite, check_number, check_numbers, part
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import Call
from grpo_rewards.registry.catalogue import register_composer
from grpo_rewards.registry.interface import Range
from grpo_rewards.verdict import Verdict


class Adjusted(Composite):
    """A reward multiplied by a factor, plus an offset, and held between two bounds. Made by the functions below."""

    def adjusted(self, value: float) -> float:
        """The number in the new range. It rises or falls throughout, so that bounds stay bounds."""
        value = value * self.settings.get("by", 1.0) + self.settings.get("offset", 0.0)
        return float(min(max(value, self.settings.get("low", -math.inf)), self.settings.get("high", math.inf)))

    def range_of(self, ranges: list[Range]) -> Range:
        low, high = sorted(map(self.adjusted, ranges[0]))
        return low, high

    def outcomes(self, call: Call) -> list[Verdict]:
        verdicts = self.parts[0].verdicts(call)
        return [one if one.reward is None else one._replace(reward=self.adjusted(one.reward)) for one in verdicts]


@register_composer
def clipped(reward: Reward | str, /, *, low: float, high: float, name: str | None = None) -> Adjusted:
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
    bounds = check_numbers("clipped", low=low, high=high)
    if bounds["low"] > bounds["high"]:
        raise RewardError(f"clipped: low must not exceed high, as {low} exceeds {high}.")
    return Adjusted(clipped, {"reward": inner, **bounds}, name)


@register_composer
def scaled(reward: Reward | str, /, *, by: float, offset: float = 0.0, name: str | None = None) -> Adjusted:
    """A reward times a factor, plus an offset.

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
    return Adjusted(scaled, {"reward": inner, **check_numbers("scaled", by=by, offset=offset)}, name)


# From the progress of the schedule, 0 to 1, to that of the weight between start and end, also 0 to 1.
SCHEDULE_SHAPES: dict[str, Callable[[float], float]] = {
    "linear": lambda progress: progress,
    "cosine": lambda progress: (1 - math.cos(math.pi * progress)) / 2,
}


class Scheduled(Composite):
    """A reward with a weight that depends on the trainer's step. Made by :func:`scheduled`."""

    changes = True

    def range_of(self, ranges: list[Range]) -> Range:
        ends = [weight * bound for weight in (self.settings["start"], self.settings["end"]) for bound in ranges[0]]
        return min(ends), max(ends)

    def weight(self, trainer_state: Any = None) -> float:
        """The weight at the trainer's current step; ``end`` if there is no trainer state."""
        start, end = self.settings["start"], self.settings["end"]
        progress = 1 if trainer_state is None else self._progress(trainer_state)
        return float(
            end if progress == 1 else start + (end - start) * SCHEDULE_SHAPES[self.settings["shape"]](progress)
        )

    def bind(self, *, name: str | None = None, columns: Mapping[str, str] | None = None, **options: Any) -> Composite:
        if options.keys() & {"steps", "share", "over"}:  # a new length takes the place of the old one
            options |= _length(options.pop("steps", None), options.pop("share", None), options.pop("over", None))
        return super().bind(name=name, columns=columns, **options)

    def outcomes(self, call: Call) -> list[Verdict]:
        weight = self.weight(call.trainer_state)
        return [
            one
            if one.reward is None
            else one._replace(reward=weight * one.reward, details={**one.details, "weight": weight})
            for one in self.parts[0].verdicts(call)
        ]

    def more_means(self, call: Call) -> dict[str, list[float]]:
        return {"weight": [self.weight(call.trainer_state)]}

    def _progress(self, trainer_state: Any) -> float:
        """How far the schedule has gone, from 0 to 1."""
        share = self.settings["share"]
        steps: float = self.settings["steps"] if share is None else share * self._of(trainer_state, "max_steps")
        step = self._of(trainer_state, "global_step")
        if steps <= 0:  # a trainer that evaluates before it trains does not know its max_steps yet
            return 1.0 if step > 0 else 0.0
        return min(max(step / steps, 0.0), 1.0)

    def _of(self, trainer_state: Any, name: str) -> float:
        """A number from the trainer state, which may be an object or a mapping."""
        found = trainer_state.get(name) if isinstance(trainer_state, Mapping) else getattr(trainer_state, name, None)
        if isinstance(found, bool) or not isinstance(found, numbers.Real) or not math.isfinite(found):
            raise RewardError(
                f"reward '{self.name}' reads {name} of trainer_state, which is {found!r}. "
                "A trainer's state has it, and explain's --step N/MAX; without one the weight is its last."
            )
        return float(found)


def _length(steps: int | None, share: float | None, over: int | float | None) -> dict[str, Any]:
    """The settings ``steps`` and ``share``, one of which is ``None``; ``over`` stands for either."""
    if over is not None and steps is None and share is None:
        steps, share = (None, over) if isinstance(over, float) else (over, None)
    elif (steps is None) is (share is None) or over is not None:
        raise RewardError("scheduled needs either steps=…, a number of steps, or share=…, a share of the run.")
    if steps is not None and (not isinstance(steps, int) or check_number("scheduled", "steps", steps) < 1):
        raise RewardError(f"scheduled: steps must be a whole number of at least 1, not {steps!r}.")
    if share is not None and not 0 < check_number("scheduled", "share", share) <= 1:
        raise RewardError(f"scheduled: share must be a share of the run, above 0 and at most 1, not {share!r}.")
    return {"steps": steps, "share": share}


@register_composer
def scheduled(
    reward: Reward | str,
    /,
    *,
    start: float,
    end: float,
    steps: int | None = None,
    share: float | None = None,
    shape: Literal["linear", "cosine"] = "linear",
    name: str | None = None,
    over: int | float | None = None,
) -> Scheduled:
    """A reward times a weight that goes from ``start`` to ``end`` during the training.

    The weight is logged as ``<name>/weight``. In an evaluation it is that of the step at which the trainer evaluates,
    logged as ``eval_<name>/weight``: evaluations of one run are weighted differently. Without a trainer state (called
    by hand, or in asynchronous GRPO) it is always ``end``.

    Args:
        reward (Reward | str): a reward or the spec of one.
        start (float): the weight at step 0.
        end (float): the weight when the schedule has ended.
        steps (int | None): how long the schedule takes, as a number of steps.
        share (float | None): the same as a share of the trainer's ``max_steps``, up to 1.0. Give one of the two.
        shape (str): ``linear``, the default, or ``cosine``: half a cosine, slow at both ends.
        name (str | None): the name in the logs; ``scheduled_<reward>`` by default.
        over (int | float | None): the former name of both: an int is ``steps``, a float ``share``.

    Returns:
        A Reward; ``None`` where ``reward`` is. Its reasons are those of ``reward``, and the detail ``weight`` is the
        weight.

    Raises:
        RewardError: ``reward`` is not a reward, a number is not finite or out of its range, or not one of ``steps`` and
            ``share`` is given; when called, a trainer state without the step.

    >>> fading = scheduled("boxed_format", start=1.0, end=0.0, steps=100)
    >>> fading.score(r"\\boxed{4}", trainer_state={"global_step": 25}), fading.score(r"\\boxed{4}")
    (0.75, 0.0)
    """
    inner = part("scheduled", reward)
    ends = check_numbers("scheduled", start=start, end=end)
    length = _length(steps, share, over)
    if not isinstance(shape, str) or shape not in SCHEDULE_SHAPES:
        raise RewardError(f"scheduled: shape must be one of {', '.join(SCHEDULE_SHAPES)}, not {shape!r}.")
    return Scheduled(scheduled, {"reward": inner, **ends, **length, "shape": shape}, name)
