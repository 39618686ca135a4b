"""Whether work grows with a text and not with its square, by processor time, so that a busy machine is no failure."""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["SuperlinearError", "TookTooLong", "assert_linear", "limited", "seconds_for"]

MOST_GROWTH = (
    30  # times the cost for ten times the text: 10 if linear, 100 if quadratic, halfway between on the logarithm
)
TOO_SHORT_TO_COMPARE = 0.004  # seconds, below which a measurement means little: a cache may have helped
ROUNDS = 5


class SuperlinearError(AssertionError):
    """A longer text took more than in proportion."""


class TookTooLong(BaseException):
    """Something used up its processor time. No ``Exception``, so that what is stopped does not take it for its own."""


def assert_linear(scan: Callable[[str], object], text_of: Callable[[int], str], size: int, name: str = "") -> float:
    """Fails if a scan of ``text_of(size)`` costs over 30 times what one of ``text_of(size // 10)`` does.

    Both are measured in each of five rounds, one just after the other, and one round is enough: a core that other work
    slows down slows both down, and what is quadratic takes a hundred times as long in each of them. Python's collector
    of garbage is off meanwhile, since what it does depends on all that other tests have left.

    Returns:
        The seconds that the longer text took, the least of all rounds.
    """
    small, large = text_of(size // 10), text_of(size)
    least, ratio = float("inf"), float("inf")
    was_on = gc.isenabled()
    gc.collect(0)
    gc.disable()
    try:
        first = before = _seconds(scan, small)  # in the first round, which no cache of earlier verdicts helps
        for _ in range(ROUNDS):
            took = _seconds(scan, large)
            least, ratio = min(least, took), min(ratio, took / max(before, TOO_SHORT_TO_COMPARE))
            if ratio < MOST_GROWTH:
                return least
            before = min(first, _seconds(scan, small), _seconds(scan, small))
    finally:
        if was_on:
            gc.enable()
    raise SuperlinearError(
        f"{name}: {least:.3f} s, {ratio:.0f} times what a tenth of the text took, of {MOST_GROWTH} allowed"
    )


def _seconds(scan: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    scan(text)
    return time.process_time() - start


def seconds_for(size: int) -> float:
    """Seconds of processor time that a scan of so many characters may take before it is stopped."""
    return 10 + size * 20e-6  # a first call may import a library


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stops what runs inside when it used up so much processor time, in the main thread of a system that can.

    It stops Python and its regular expressions, and waits for what is computed in C without looking up.

    Raises:
        TookTooLong: it was stopped.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TookTooLong(f"stopped after {seconds:.1f} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
