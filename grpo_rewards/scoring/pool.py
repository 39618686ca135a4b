"""Work spread over processes, whose results come in the order of the work."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, TypeVar

from grpo_rewards.registry import RewardError

AHEAD = 4  # pieces of work for each process that may be done before the first of them is
Given = TypeVar("Given")
Result = TypeVar("Result")

_do: Callable[[Any], Any]  # of a process that scores: what it does with each piece of work


def in_order(do: Callable[[Given], Result], given: Iterable[Given], processes: int = 1) -> Iterator[Result]:
    """What ``do`` makes of each, in the order given.

    Args:
        do: can be pickled. It is sent to each process once.
        given: read a little ahead of what is done.
        processes: 1 for none but this one.

    Raises:
        RewardError: a process died. Whatever ``do`` raises is raised here.
    """
    if processes <= 1:
        yield from map(do, given)
        return
    # fresh processes: a fork of one that has threads, as those of torch or of computer algebra, may hang
    context = get_context("spawn")
    watched, held = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, context, _start, (do, watched))
    waiting: deque[Future[Result]] = deque()
    try:
        for one in given:
            with _interrupts_blocked():  # which the processes that are started inherit
                waiting.append(pool.submit(_work, one))
            if len(waiting) >= AHEAD * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        pool.shutdown()
    except BrokenProcessPool:
        raise RewardError(
            "a process that scores was killed, or could not start: is there enough memory? In a script, the call must "
            "stand below if __name__ == '__main__'."
        ) from None
    finally:
        held.close()  # which ends all processes that are left at once, whatever they are at
        pool.shutdown(cancel_futures=True)
        watched.close()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Keeps Ctrl-C from processes that are started in the block; here it waits for the end of it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(do: Callable[[Any], Any], watched: Connection) -> None:
    """Prepares a process that scores."""
    global _do
    _do = do
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the first process's affair
    sys.stdout = sys.stderr  # what a reward prints is not among the figures
    Thread(target=_end_with, args=(watched,), daemon=True).start()


def _end_with(watched: Connection) -> None:
    """Ends this process when the first one has no more use for it, or was killed: then the pipe is at its end."""
    with suppress(EOFError, OSError):
        watched.recv()
    os._exit(1)


def _work(one: Any) -> Any:
    return _do(one)
