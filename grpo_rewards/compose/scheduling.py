"""A reward whose weight changes in the course of training."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any, Literal

from grpo_rewards.compose.composite import Composite, check_number, part
from grpo_rewards.registry import Call, Reward, RewardError, register_composer
from grpo_rewards.verdict import Verdict

__all__ = ["Scheduled", "scheduled"]

# How far the weight has gone from start to end, by how far the schedule has.
SHAPES: dict[str, Callable[[float], float]] = {
    "linear": lambda progress: progress,
    "cosine": lambda progress: (1 - math.cos(math.pi * progress)) / 2,
}


class Scheduled(Composite):
    """A reward with a scheduled weight. Made by :func:`scheduled`."""

    @property
    def range(self) -> tuple[float, float] | None:
        inner = self.parts[0].range
        if inner is None:
            return None
        ends = [weight * bound for weight in (self.settings["start"], self.settings["end"]) for bound in inner]
        return min(ends), max(ends)

    def weight(self, trainer_state: Any = None) -> float:
        """The weight at the trainer's step; ``end`` where there is no trainer."""
        start, end = self.settings["start"], self.settings["end"]
        if trainer_state is None:
            return float(end)
        progress = self._progress(trainer_state)
        return float(end if progress == 1 else start + (end - start) * SHAPES[self.settings["shape"]](progress))

    def outcomes(self, call: Call) -> list[Verdict]:
        weight = self.weight(call.trainer_state)
        if call.log_metric is not None:
            call.log_metric(f"{self.name}/weight", weight)
        return [
            one
            if one.reward is None
            else one._replace(reward=weight * one.reward, details={**one.details, "weight": weight})
            for one in self.parts[0].verdicts(call)
        ]

    def _progress(self, trainer_state: Any) -> float:
        over = self.settings["over"]
        steps = over if isinstance(over, int) else over * self._of(trainer_state, "max_steps")
        step = self._of(trainer_state, "global_step")
        return 1.0 if steps <= 0 else min(max(step / steps, 0.0), 1.0)

    def _of(self, trainer_state: Any, name: str) -> float:
        found = trainer_state.get(name) if isinstance(trainer_state, Mapping) else getattr(trainer_state, name, None)
        if isinstance(found, bool) or not isinstance(found, numbers.Real) or not math.isfinite(found):
            raise RewardError(
                f"reward '{self.name}' reads {name} of trainer_state, which is {found!r}. "
                "A trainer's state has it; without one pass no trainer_state, and the weight is its last."
            )
        return float(found)


@register_composer
def scheduled(
    reward: Reward | str,
    /,
    *,
    start: float,
    end: float,
    over: int | float,
    shape: Literal["linear", "cosine"] = "linear",
    name: str | None = None,
) -> Scheduled:
    """A reward whose weight goes from ``start`` to ``end``.

    The weight is logged as ``<name>/weight``. Where there is no trainer state (by hand, in asynchronous GRPO) it is
    steady at ``end``.

    Args:
        reward: what is weighted.
        start, end: the weight at step 0 and from the end of the schedule on.
        over: how many steps the schedule takes; or, as a float up to 1.0, which share of the run's ``max_steps``.
        shape: ``linear``, or ``cosine``: half a cosine, slow at both ends.
        name: the name in the logs; ``scheduled_<reward>`` by default.

    Raises:
        RewardError: a part that is no reward, numbers that are none, a schedule that takes no time; at the first call,
            a trainer state without the step.

    >>> fading = scheduled("boxed_format", start=1.0, end=0.0, over=100)
    >>> fading.score(r"\\boxed{4}", trainer_state={"global_step": 25}), fading.score(r"\\boxed{4}")
    (0.75, 0.0)
    """
    inner = part("scheduled", reward)
    ends = {"start": check_number("scheduled", "start", start), "end": check_number("scheduled", "end", end)}
    check_number("scheduled", "over", over)
    if over <= 0 or (isinstance(over, float) and over > 1):
        raise RewardError(
            f"scheduled: over must be a number of steps (a whole number of at least 1) or a share of the run (a float "
            f"up to 1.0), not {over!r}."
        )
    if not isinstance(shape, str) or shape not in SHAPES:
        raise RewardError(f"scheduled: shape must be one of {', '.join(SHAPES)}, not {shape!r}.")
    settings = {"reward": inner, **ends, "over": over, "shape": shape}
    return Scheduled(scheduled, settings, {inner: None}, name)
