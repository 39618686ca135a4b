"""A clock that knows what a step is busy with."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

__all__ = ["Clock", "when_done"]


def when_done() -> float:
    """The time, in seconds, once an accelerator has done all that it was given: a part ends with its work."""
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
    return time.perf_counter()


class Clock:
    """Books each moment of a step on one part, the innermost that was begun: so the parts sum to the step.

    Between two steps nothing is booked.
    """

    def __init__(self, now: Callable[[], float] = when_done) -> None:
        self.now = now
        self._spent: dict[str, float] = defaultdict(float)
        self._parts: list[str] = []
        self._since = 0.0

    def begin(self, rest: str) -> None:
        """Begins a step; what belongs to no other part of it is booked on ``rest``."""
        self._spent.clear()
        self._parts = [rest]
        self._since = self.now()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        if not self._parts:
            yield
            return
        self._book()
        self._parts.append(name)
        try:
            yield
        finally:
            self._book()
            self._parts.pop()

    def end(self) -> dict[str, float]:
        """The seconds of each part of the step."""
        self._book()
        self._parts = []
        return dict(self._spent)

    def _book(self) -> None:
        now = self.now()
        self._spent[self._parts[-1]] += now - self._since
        self._since = now
