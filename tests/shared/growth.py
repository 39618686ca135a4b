"""Whether work grows with the text and not with its square, by processor time, so that a busy machine is no failure."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST = 30  # times the cost for ten times the text: 10 if linear, 100 if quadratic, halfway between on the logarithm
FLOOR = 0.005  # seconds, below which a measurement says little
ROUNDS = 3


def assert_linear(scan: Callable[[str], object], text_of: Callable[[int], str], size: int, name: str = "") -> None:
    """Fails if a scan of ``text_of(size)`` costs over 30 times what one of ``text_of(size // 10)`` does, best of 3."""
    small, large = text_of(size // 10), text_of(size)
    allowed = MOST * max(min(_seconds(scan, small) for _ in range(ROUNDS)), FLOOR)
    took = _seconds(scan, large)
    for _ in range(ROUNDS - 1):
        if took < allowed:
            break
        took = min(took, _seconds(scan, large))
    assert took < allowed, f"{name}: {took:.3f} s, of {allowed:.3f} s allowed"


def _seconds(scan: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    scan(text)
    return time.process_time() - start
