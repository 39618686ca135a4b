"""Tries whether computer algebra can be run at all, before a training needs it. Look here if it fails only later."""

from __future__ import annotations

from grpo_rewards.answers.symbolic.capacity import worker_count
from grpo_rewards.answers.symbolic.client import compare_symbolically

__all__ = ["symbolic_failure"]

TRIAL_SECONDS = 30.0  # of processor time, for what takes some hundredths


def symbolic_failure(workers: int | None = None) -> str:
    """What keeps the workers from comparing formulas here; ``""`` if they do, or if none are wanted.

    Starts as many as the first comparison of a training would, and lets each compare a pair. They stay.
    """
    try:
        pairs = [("2x", f"x+x+{index}-{index}") for index in range(worker_count(workers))]
        outcomes = set(compare_symbolically(pairs, deadline=TRIAL_SECONDS, workers=workers))
    except (RuntimeError, ValueError) as error:
        return str(error)
    failed = sorted(outcomes - {"equal"})
    return f"the processes that compare formulas do not work ({', '.join(failed)}); see the log" if failed else ""
