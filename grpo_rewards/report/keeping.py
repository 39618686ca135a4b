"""Which steps of a long run a report has completions of."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["kept_steps"]


def kept_steps(sizes: Mapping[int, int], most: int) -> set[int]:
    """The steps, evenly spread with the first and the last among them, whose completions are not more than ``most``.

    >>> sorted(kept_steps({1: 10, 2: 10, 3: 10, 4: 10, 5: 10}, 30))
    [1, 3, 5]
    >>> sorted(kept_steps({1: 10, 2: 10}, 30))
    [1, 2]
    """
    steps = sorted(sizes)
    enough = -(-most * len(steps) // max(sum(sizes.values()), 1)) + 1  # were all steps as large
    for wanted in range(min(len(steps), enough), 0, -1):
        apart = (len(steps) - 1) / max(wanted - 1, 1)
        chosen = {steps[round(at * apart)] for at in range(wanted)}
        if sum(sizes[step] for step in chosen) <= most:
            return chosen
    return set(steps[:1])
