"""What pairs of formulas come to in the workers, without the time that they took."""

from collections.abc import Sequence

from grpo_rewards.answers.symbolic.pool import compare_in_time


def compare_symbolically(
    pairs: Sequence[tuple[str, str]], *, deadline: float = 1.0, workers: int | None = None
) -> list[str]:
    return [one.outcome for one in compare_in_time(pairs, deadline=deadline, workers=workers)]
