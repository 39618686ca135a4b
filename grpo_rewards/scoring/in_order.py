"""Work spread over processes, whose results come in the order of the work.

The first process reads, hands out and collects, and blocks while there is nothing to collect. Each of the others has
one piece of work at a time: a second one could not be sent without waiting for it to read, while it waits for its
results to be read.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any, Generic, TypeVar, cast

from grpo_rewards.registry import RewardError

__all__ = ["in_order"]

PIPE_BYTES = 1 << 20  # what Linux lets everyone have
AHEAD = 4  # pieces of work for each process that may be done before the first of them is
Given = TypeVar("Given")
Result = TypeVar("Result")
Do = Callable[[Given], Iterator[Result]]


def in_order(do: Do[Given, Result], given: Iterable[Given], processes: int = 1) -> Iterator[Result]:
    """All that ``do`` makes of each, in the order given.

    Args:
        do: can be pickled. It is sent to each process once.
        given: read a little ahead of what is done.
        processes: 1 for none but this one.

    Raises:
        RewardError: a process died. Whatever ``do`` raises is raised here.
    """
    if processes <= 1:
        for one in given:
            yield from do(one)
        return
    crew: _Crew[Given, Result] = _Crew(do, iter(given), processes)
    try:
        yield from crew.results()
    except (EOFError, ConnectionError):
        raise RewardError(
            "a process that scores was killed, or could not start: is there enough memory? In a script, the call must "
            "stand below if __name__ == '__main__'."
        ) from None
    finally:
        crew.end()


@dataclass(eq=False)
class _Work(Generic[Result]):
    """One piece of work that was handed out, and what came of it and was not given on yet."""

    results: deque[Result] = field(default_factory=deque)
    is_done: bool = False


@dataclass
class _Raised:
    """What ``do`` raised."""

    error: Exception


class _Crew(Generic[Given, Result]):
    """The other processes, which are started when there is work for them."""

    def __init__(self, do: Do[Given, Result], given: Iterator[Given], most: int) -> None:
        self.do, self.given, self.most = do, given, most
        # fresh processes: a fork of one that has threads, as those of torch or of computer algebra, may hang
        self.context = get_context("spawn")
        self.watched, self.held = self.context.Pipe(duplex=False)
        self.processes: list[BaseProcess] = []
        self.task_pipes: dict[Connection, Connection] = {}  # by the pipe of its results, that of its tasks
        self.starting: set[Connection] = set()
        self.idle: list[Connection] = []
        self.busy: dict[Connection, _Work[Result]] = {}
        self.upcoming: deque[Given] = deque()
        self.waiting: deque[_Work[Result]] = deque()

    def results(self) -> Iterator[Result]:
        """What is made of each, in order."""
        while self._hand_out() or self.waiting:
            while self.waiting and (self.waiting[0].results or self.waiting[0].is_done):
                while self.waiting[0].results:
                    yield self.waiting[0].results.popleft()
                if self.waiting[0].is_done:
                    self.waiting.popleft()
            if self.busy or self.starting:
                self._collect()
        for tasks in self.task_pipes.values():
            tasks.close()
        for process in self.processes:
            process.join()

    def _hand_out(self) -> bool:
        """Hands tasks to idle processes and starts new ones. Returns whether there is more to do."""
        while len(self.upcoming) <= len(self.starting):
            try:
                self.upcoming.append(next(self.given))
            except StopIteration:
                break
        while self.upcoming and self.idle and len(self.waiting) < AHEAD * self.most:
            connection = self.idle.pop()
            self.task_pipes[connection].send(self.upcoming.popleft())
            self.busy[connection] = _Work()
            self.waiting.append(self.busy[connection])
        while len(self.upcoming) > len(self.starting) and len(self.processes) < self.most:
            self._start()
        return bool(self.upcoming)

    def _collect(self) -> None:
        """Waits until other processes send something, and receives one message from each of those."""
        for connection in cast("list[Connection]", wait([*self.busy, *self.starting])):
            is_done, result = _received(connection)
            if isinstance(result, _Raised):
                raise result.error
            if not is_done:
                self.busy[connection].results.append(result)
                continue
            if connection in self.busy:
                self.busy.pop(connection).is_done = True
            self.starting.discard(connection)
            self.idle.append(connection)

    def _start(self) -> None:
        tasks, task_sender = self.context.Pipe(duplex=False)  # one each way: much cheaper than a pair of sockets
        results, result_sender = self.context.Pipe(duplex=False)
        _widen(results)
        process = self.context.Process(target=_work, args=(self.do, tasks, result_sender, self.watched))
        with _interrupts_blocked():
            process.start()
        tasks.close()
        result_sender.close()
        self.processes.append(process)
        self.task_pipes[results] = task_sender
        self.starting.add(results)

    def end(self) -> None:
        """Ends all processes at once, whatever they are at."""
        self.held.close()
        for process in self.processes:
            process.join()
        self.watched.close()


def _widen(pipe: Connection) -> None:
    """Makes room for a whole result, where the system can: whoever writes one need not wait until it is read."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Starts processes that Ctrl-C does not reach while they start, either; here it waits for the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(do: Do[Any, Any], tasks: Connection, result_sender: Connection, first: Connection) -> None:
    """What another process does: it reports that it is ready, and then does one task after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the first process's affair
    sys.stdout = sys.stderr  # what a reward prints is not among the figures
    Thread(target=_end_with, args=(first,), daemon=True).start()
    _send(result_sender, True)
    with suppress(EOFError, ConnectionError):  # the first process has no more
        while True:
            one = tasks.recv()
            try:
                for result in do(one):
                    _send(result_sender, False, result)
            except Exception as error:  # noqa: BLE001  # it is raised in the first process
                _send(result_sender, True, _Raised(_portable(error)))
            else:
                _send(result_sender, True)


def _send(results: Connection, is_done: bool, result: Any = None) -> None:
    """Sends a result; what it holds as ``PickleBuffer`` goes as it is, without being copied into a pickle."""
    apart: list[pickle.PickleBuffer] = []
    rest = pickle.dumps((is_done, result), protocol=5, buffer_callback=apart.append)
    results.send((len(apart), rest))
    for buffer in apart:
        results.send_bytes(buffer.raw())


def _received(results: Connection) -> tuple[bool, Any]:
    count, rest = results.recv()
    is_done, result = pickle.loads(rest, buffers=[results.recv_bytes() for _ in range(count)])
    return is_done, result


def _end_with(first: Connection) -> None:
    """Ends this process when the first one has no more use for it, or was killed: then the pipe is at its end."""
    with suppress(EOFError, OSError):
        first.recv()
    os._exit(1)


def _portable(error: Exception) -> Exception:
    """The error as another process can raise it, with where it was raised here."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001  # pickling runs what anyone wrote
        return RuntimeError(trace)
    if not isinstance(error, RewardError):
        error.add_note(trace)
    return error
