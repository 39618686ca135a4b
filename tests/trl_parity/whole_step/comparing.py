"""Collects what of a step was compared: which part of it, in which run, and how far TRL was off."""

import math
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.trl_check.report import Difference, difference

# TRL computes log-probabilities and entropies in float32, whatever the weights have; what follows from them is as near.
FUSED = 2e-5
FUSED_GRADIENT = 5e-4  # relative to the greatest element of all, which is small where a step has little to learn


class Findings:
    """The comparisons of one run.

    Args:
        run: its name, which every comparison is shown with.
    """

    def __init__(self, run: str) -> None:
        self.run = run
        self.found: list[Difference] = []

    def same(self, kind: str, what: str, theirs: Any, mine: Any) -> bool:
        """Compares two things that must be equal, and returns whether they are."""
        equal = bool(theirs == mine)
        said = "" if equal else f": TRL has {_short(theirs)}, {_short(mine)} was expected"
        self._add(kind, 0.0 if equal else math.inf, f"{what}{said}", None)
        return equal

    def near(self, kind: str, what: str, theirs: Any, mine: Any, tolerance: float | None = None) -> None:
        """Compares two tensors or numbers; a tolerance marks what comes of TRL's float32."""
        if theirs is None or mine is None:
            self.same(kind, what, theirs, mine)
            return
        one, other = (torch.as_tensor(of, dtype=torch.float64).detach() for of in (theirs, mine))
        off = difference(one, other)
        self._add(kind, off, what + _where(one, other, tolerance or 1e-12), tolerance)

    def _add(self, kind: str, value: float, what: str, tolerance: float | None) -> None:
        dtype = torch.float64 if tolerance is None else torch.float32
        self.found.append(Difference(kind, dtype, value, None, f"the run '{self.run}': {what}", tolerance))


def _where(one: Tensor, other: Tensor, tolerance: float) -> str:
    """Says where two tensors differ first, or nothing if they do not."""
    if one.shape != other.shape:
        return f": TRL has the shape {list(one.shape)}, {list(other.shape)} was expected"
    both = one.isnan() & other.isnan()
    places = (~((one - other).abs() <= tolerance * other.abs().clamp(min=1)) & ~both).nonzero()
    if not len(places):
        return ""
    place = tuple(int(at) for at in places[0])
    at = f" at {', '.join(map(str, place))}" if place else ""
    return f"{at}: TRL has {one[place].item():.9g}, {other[place].item():.9g} was expected"


def _short(value: Any) -> str:
    said = repr(value)
    return said if len(said) < 200 else f"{said[:197]}..."
