"""The clause about time: what a reward costs grows with the length of a text, and not with its square."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress

from grpo_rewards.testing.case import Case
from grpo_rewards.testing.clause import clause
from grpo_rewards.testing.growth import SuperlinearError, TookTooLong, assert_linear
from grpo_rewards.testing.shapes import TEXT_SHAPES

__all__ = ["linear", "slow_shape"]

# Characters of the longest text, and the number of shapes that are tried with it: those that took longest before. What
# is quadratic and cheap shows in long texts alone, and it need not be waited for in texts of all shapes.
TEXT_SIZES = ((10_000, math.inf), (100_000, 3), (1_000_000, 1))


@clause("Search with patterns that do not backtrack (re2, str.find), scan once, and cut what is longer than it can be.")
def linear(case: Case) -> str | None:
    """No text stalls it: ten times the text takes about ten times the processor time."""
    return slow_shape(case, TEXT_SHAPES)


def slow_shape(case: Case, shapes: Mapping[str, Callable[[int], str]]) -> str | None:
    """The first shape of text that costs more than in proportion to its length, and what it cost; else ``None``."""

    def scan(text: str) -> None:
        with suppress(Exception):  # what a text raises, the clause about hostile texts reports
            case.give(case.beside(text))

    took = dict.fromkeys(shapes, 0.0)
    try:
        case.give(case.rows)  # what is made or imported once is no part of the measurement
        for size, most in TEXT_SIZES:
            hardest = sorted(took, key=lambda shape: -took[shape])[: int(min(most, len(took)))]
            took = {shape: assert_linear(scan, shapes[shape], size, f"texts of {shape}") for shape in hardest}
    except (SuperlinearError, TookTooLong) as error:
        return str(error)
    return None
