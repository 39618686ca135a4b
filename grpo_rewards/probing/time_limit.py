"""An end to a call that takes for ever: a reward of a user's may match a bad expression on a long text."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

__all__ = ["TookTooLong", "interrupted_after"]

ONCE_MORE = 0.5  # seconds until the next try, where a bare except has swallowed the first one


class TookTooLong(BaseException):
    """The time is over. No ``Exception``, which what is called may take for a failure of its own."""


@contextlib.contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raises ``TookTooLong`` in the block after some seconds, where the system can: in the main thread, on Unix.

    Loops of Python, its regular expressions and what waits are interrupted; one sum of two giant numbers is not.
    """
    can = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not can or signal.getitimer(signal.ITIMER_REAL)[0]:  # an alarm of someone else's is not ours to take
        yield
        return

    def over(*_: Any) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, over)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, ONCE_MORE)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
