"""Work spread over processes, whose results come in the order of the work."""

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread, current_thread, main_thread
from traceback import format_exc
from typing import Any, TypeVar

from grpo_rewards.registry import RewardError

AHEAD = 16  # pieces of work for each process that may be done before the first of them is
Given = TypeVar("Given")
Result = TypeVar("Result")


def in_order(do: Callable[[Given], Result], given: Iterable[Given], processes: int = 1) -> Iterator[Result]:
    """What ``do`` makes of each, in the order given.

    The first process has a pipe to each of the others. A process that dies, and one that is to end, closes its pipe,
    so that nobody waits for the rest of what it was about to write.

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
    pipes = deque[Any]()  # to each process; the last one gets the next work
    working = deque[Any]()  # the pipe of each piece of work
    try:
        for one in given:
            if len(pipes) < processes:
                pipes.append(_started(do))
            else:
                pipes.rotate(-1)
            pipes[-1].send(one)
            working.append(pipes[-1])
            if len(working) > AHEAD * processes:
                yield _result(working.popleft())
        yield from map(_result, working)
    except (EOFError, ConnectionError):
        raise RewardError(
            "a process that scores was killed, or could not start: is there enough memory? In a script, the call must "
            "stand below if __name__ == '__main__'."
        ) from None
    finally:
        for pipe in pipes:
            pipe.close()


def _started(do: Callable[[Any], Any]) -> Any:
    """The pipe to a new process."""
    # a fresh one: a fork of one that has threads, as those of torch or of computer algebra, may hang
    context = get_context("spawn")
    here, there = context.Pipe()
    is_main = current_thread() is main_thread()  # elsewhere signals cannot be set, and do not come
    # Ctrl-C is the first process's affair: it may not break off the start, and the new one inherits that it gets none
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if is_main else None
    try:
        context.Process(target=_serve, args=(do, there)).start()
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)
    there.close()
    return here


def _result(pipe: Any) -> Any:
    """The next result of a process."""
    result, error, where = pipe.recv()
    if error is not None:
        raise error from RuntimeError(where)
    return result


def _serve(do: Callable[[Any], Any], pipe: Connection) -> None:
    """What a process does: one piece of work after the other, until its pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr  # what a reward prints is not among the figures
    work: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_receive, args=(pipe, work), daemon=True).start()
    while True:
        outcome: tuple[Any, Exception | None, str]
        try:
            outcome = do(work.get()), None, ""
        except Exception as error:  # noqa: BLE001  # it is raised in the first process
            outcome = None, error, format_exc()
        with suppress(OSError):  # the pipe was closed meanwhile
            pipe.send(outcome)


def _receive(pipe: Connection, work: SimpleQueue[Any]) -> None:
    """Takes what is sent. Ends this process when the first one has no more use for it, or was killed."""
    with suppress(EOFError, OSError):
        while True:
            work.put(pipe.recv())
    os._exit(1)
