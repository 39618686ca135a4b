"""A number of TRL's that is not what it must be, and where it is."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

__all__ = ["Finding", "first_difference"]


class Finding(NamedTuple):
    """One number that is not what it must be.

    Attributes:
        name: of the tensor.
        row: the completion, ``None`` if it is of no single one; ``token``: the token in it, or ``None``.
        found: what TRL has; ``expected``: what must be there.
        excess: by how many times the tolerance it is off; infinity where there is none, for what is counted or named.
    """

    name: str
    row: int | None
    token: int | None
    found: Any
    expected: Any
    excess: float = math.inf

    def __str__(self) -> str:
        place = "" if self.row is None else f" at completion {self.row}"
        place += "" if self.token is None else f", token {self.token}"
        return f"{self.name}{place}: TRL has {_shown(self.found)}, {_shown(self.expected)} was expected"


def first_difference(name: str, found: Tensor, expected: Tensor, tolerance: Tensor | float = 0.0) -> list[Finding]:
    """Returns the first element that is off by more than the tolerance, or the shapes, or nothing. NaN equals NaN."""
    if found.shape != expected.shape:
        return [Finding(name, None, None, f"the shape {list(found.shape)}", f"{list(expected.shape)}")]
    one, other = found.detach().double().cpu(), expected.detach().double().cpu()
    same = (one - other).abs() <= tolerance
    places = (~(same | (one == other) | (one.isnan() & other.isnan()))).nonzero()
    if not len(places):
        return []
    place = [int(index) for index in places[0]]
    row, token = (*place, None, None)[:2]
    off, allowed = (one - other).abs(), torch.as_tensor(tolerance, dtype=one.dtype).expand_as(one)
    excess = float((off / allowed)[allowed > 0].nan_to_num(nan=math.inf).max()) if (allowed > 0).all() else math.inf
    return [Finding(name, row, token, one[tuple(place)].item(), other[tuple(place)].item(), excess)]


def _shown(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
