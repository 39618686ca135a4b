"""The broker: a child process of the training process that hands pairs of formulas to workers, which it may kill.

``client`` starts this file as a script. It loads the function that decides a pair once, then forks workers that already
have it: so a worker takes milliseconds to start, and is replaced whenever a pair has ended it. No threads are started.

The messages go over sockets, as JSON, so that no message can run code. The training process sends a start (where to
import from, which file decides) and receives ``"ready"``. Then it sends batches; for each it receives ``"accepted"``,
``"busy"`` as long as it takes, and for each pair its outcome and the seconds of processor time that it took.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any, NoReturn, TypeAlias

if sys.platform != "win32":  # Windows does not have it, and never starts a broker
    import resource

__all__ = ["SILENCE_SECONDS", "receive", "send"]

Decide: TypeAlias = Callable[[str, str], "bool | None"]

TICK_SECONDS = 0.5  # between two checks that the parent lives, and two signs of life to it
SILENCE_SECONDS = 60.0  # without a sign of life, after which either side gives up the other
WORKER_BYTES = 1 << 30  # that a worker may use, in addition to what it was forked with
LARGE_WORKER_BYTES = 256 << 20  # a worker that has grown larger is replaced
PAIRS_PER_WORKER = 200  # then it is replaced, because sympy's caches never shrink
# A deadline is in processor time, so that a busy machine changes nothing. By the clock, a worker may take thirty times
# as long, and at least two seconds; that ends only what waits without computing, for which the pair is not to blame.
WALL_PER_DEADLINE, WALL_SECONDS = 30, 2.0
OUTCOMES = {True: "equal", False: "different", None: "undecided"}
# The signals by which a process ends itself, as it does where memory that was refused is used all the same. All others
# are sent from outside, by a person or by a kernel that is out of memory.
OWN_SIGNALS = tuple(getattr(signal, f"SIG{name}", None) for name in "SEGV BUS FPE ILL ABRT TRAP SYS XFSZ".split())
NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)  # sending to a dead process must raise, not end this one by SIGPIPE
PR_SET_PDEATHSIG = 1


def send(channel: socket.socket, message: object) -> None:
    """Sends a message: its length in four bytes, then JSON. Raises ``OSError`` if the other side is gone."""
    data = json.dumps(message).encode()
    channel.sendall(len(data).to_bytes(4, "big") + data, NO_SIGNAL)


def receive(channel: socket.socket) -> Any:
    """Waits for a message and returns it. Raises ``EOFError`` or ``OSError`` if the other side is gone."""
    return json.loads(_exactly(channel, int.from_bytes(_exactly(channel, 4), "big")))


def _exactly(channel: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = channel.recv(min(size - len(data), 1 << 16))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


@dataclass(eq=False)
class Worker:
    """A worker process, as the broker sees it.

    Attributes:
        index: the pair that it compares; ``None`` while it is idle.
        ticks: for how many ticks it has compared this pair.
        compared: how many pairs it has decided.
        used: seconds of processor time that it had used when it had decided the last of them.
    """

    pid: int
    channel: socket.socket
    index: int | None = None
    ticks: int = 0
    compared: int = 0
    used: float = 0.0


class Broker:
    """Starts and stops workers, and hands them the pairs of a batch."""

    def __init__(self, channel: socket.socket, parent: int, decide: Decide) -> None:
        self.channel, self.parent, self.decide = channel, parent, decide
        self.workers: list[Worker] = []
        self.last_tick = time.monotonic()
        self.die_with_parent = _die_with_parent()

    def serve(self) -> NoReturn:
        """Receives batches and sends back their outcomes until the parent is gone."""
        while True:
            readable, _, _ = select.select([self.channel], [], [], TICK_SECONDS)
            if os.getppid() != self.parent:
                self._end_all()
            if readable:
                try:
                    batch = receive(self.channel)
                    send(self.channel, "accepted")
                    send(self.channel, self._compared(**batch))
                except (EOFError, ConnectionError, TimeoutError):
                    self._end_all()

    def _compared(
        self, pairs: list[tuple[str, str]], deadline: float, seconds: float, workers: int
    ) -> list[tuple[str, float]]:
        """The outcome of each pair of a batch and its processor time, in order; after ``seconds`` by the clock, what
        is left is ``call_timeout``.
        """
        found = [("call_timeout", 0.0)] * len(pairs)
        waiting = list(reversed(range(len(pairs))))
        allowed = max(WALL_SECONDS, WALL_PER_DEADLINE * deadline)
        end = time.monotonic() + seconds
        while (waiting or self._busy()) and (left := end - time.monotonic()) > 0:
            while waiting and (worker := self._idle(workers)) is not None:
                worker.index, worker.ticks = waiting.pop(), 0
                with suppress(ConnectionError):  # it has just died, which shows when its reply is read
                    send(worker.channel, [*pairs[worker.index], deadline, allowed])
            for worker in self._wait(min(left, TICK_SECONDS), allowed):
                index, worker.index = worker.index, None
                if index is not None:
                    found[index] = self._outcome(worker)
        for worker in self._busy():
            self._end(worker)
        return found

    def _busy(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.index is not None]

    def _idle(self, limit: int) -> Worker | None:
        """An idle worker, a new one if there are fewer than ``limit``; ``None`` if all are busy."""
        for worker in self.workers[:limit]:
            if worker.index is None:
                if not select.select([worker.channel], [], [], 0)[0]:
                    return worker
                self._end(worker)  # an idle worker sends nothing, so this one was killed from outside
        if len(self.workers) >= limit:
            return None
        try:
            return self._fork()
        except OSError:  # too few file descriptors or processes are left for another one
            if self.workers:
                return None
            raise

    def _wait(self, seconds: float, allowed: float) -> list[Worker]:
        """Waits for some seconds at most; returns the workers that have replied or died."""
        busy = self._busy()
        readable, _, _ = select.select([self.channel, *(worker.channel for worker in busy)], [], [], seconds)
        if self.channel in readable or os.getppid() != self.parent:  # during a batch the parent can only hang up
            self._end_all()
        # Counts one tick at most: if the whole machine was suspended, so were the workers, and they are not late.
        if time.monotonic() - self.last_tick >= TICK_SECONDS:
            self.last_tick = time.monotonic()
            send(self.channel, "busy")
            for worker in busy:
                worker.ticks += 1
                if worker.ticks * TICK_SECONDS > allowed:
                    os.kill(worker.pid, signal.SIGKILL)
        return [worker for worker in busy if worker.channel in readable]

    def _outcome(self, worker: Worker) -> tuple[str, float]:
        """Reads a worker's reply, or how it ended. A worker that has become too large or too old is replaced."""
        try:
            same, used, memory = receive(worker.channel)
        except (EOFError, OSError):
            status, used = self._end(worker)
            return _how_it_ended(status), used - worker.used
        took, worker.used = used - worker.used, used
        worker.compared += 1
        if worker.compared >= PAIRS_PER_WORKER or memory > LARGE_WORKER_BYTES:
            self._end(worker)
        return OUTCOMES[same], took

    def _fork(self) -> Worker:
        """Starts a worker. Only the broker returns; the worker works until it is killed."""
        ours, theirs = socket.socketpair()
        broker = os.getpid()
        try:
            pid = os.fork()
        except OSError:
            ours.close()
            theirs.close()
            raise
        if pid == 0:
            try:
                ours.close()
                self._become_worker(broker)
                _work(theirs, self.decide)
            finally:
                os._exit(1)  # whatever happens, a worker must never go on as a second broker
        theirs.close()
        self.workers.append(Worker(pid, ours))
        return self.workers[-1]

    def _become_worker(self, broker: int) -> None:
        """Drops what a forked process inherited from the broker, and limits what it may do."""
        self.die_with_parent()
        if os.getppid() != broker:
            os._exit(1)
        self.channel.close()
        for other in self.workers:  # else these would not notice when the broker ends
            other.channel.close()
        _silence(2)
        _limit()

    def _end(self, worker: Worker) -> tuple[int, float]:
        """Kills a worker, if it has not ended already. Returns its exit status, as ``subprocess`` gives it, and the
        seconds of processor time that it has used.
        """
        with suppress(ProcessLookupError):
            os.kill(worker.pid, signal.SIGKILL)
        worker.channel.close()
        self.workers.remove(worker)
        _, status, usage = os.wait4(worker.pid, 0)
        return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime

    def _end_all(self) -> NoReturn:
        for worker in list(self.workers):
            self._end(worker)
        os._exit(0)


def _how_it_ended(status: int) -> str:
    """The outcome of a pair whose worker has ended: at its deadline, by what it did itself, or from outside."""
    if status == -signal.SIGPROF:
        return "timeout"
    return "crashed" if status >= 0 or -status in OWN_SIGNALS else "worker_killed"


def _work(channel: socket.socket, decide: Decide) -> None:
    """Decides pair after pair, for ever. If one takes too much processor time, the kernel ends the process.

    It also ends what takes much too long by the clock, in case that the broker, which should, has gone.
    """
    gc.enable()
    while True:
        answer, prediction, deadline, allowed = receive(channel)
        signal.setitimer(signal.ITIMER_REAL, 2 * allowed)
        signal.setitimer(signal.ITIMER_PROF, deadline)
        same = decide(answer, prediction)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        send(channel, [same, time.process_time(), _memory()])


def _memory() -> int:
    """The most memory this process has used, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _limit() -> None:
    """Limits a worker's memory, forbids it to write files, and makes it the first to be killed if memory runs out."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    pages = 0
    with suppress(OSError), open("/proc/self/statm") as sizes:
        pages = int(sizes.read().split()[0])
    wanted = {
        resource.RLIMIT_AS: pages * resource.getpagesize() + WORKER_BYTES,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
    }
    for limit, most in wanted.items():
        hard = resource.getrlimit(limit)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(OSError, ValueError):  # macOS does not limit the address space
            resource.setrlimit(limit, (most, most))
    sys.dont_write_bytecode = True


def _die_with_parent() -> Callable[[], object]:
    """Returns a function that a worker calls so that it is killed when the broker ends.

    Only Linux can do that. Elsewhere the function does nothing, and a worker ends when it next replies.
    """
    if sys.platform != "linux":
        return lambda: None
    import ctypes

    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _silence(*descriptors: int) -> None:
    """Redirects file descriptors to nothing, so that what a library prints cannot mix with the messages."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(nothing, descriptor)
    os.close(nothing)


def _load(path: str) -> Decide:
    """Loads the function ``decide`` of a Python file, and calls its ``warm_up`` if it has one."""
    spec = spec_from_file_location("decider", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    getattr(module, "warm_up", lambda: None)()
    decide: Decide = module.decide
    return decide


def main() -> NoReturn:
    """Serves the training process, which is at the other end of standard input."""
    for one in (signal.SIGPROF, signal.SIGALRM, signal.SIGCHLD):  # the training process may ignore them: inherited
        signal.signal(one, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    channel = socket.socket(fileno=os.dup(0))
    _silence(0, 1)
    channel.settimeout(SILENCE_SECONDS)
    start = receive(channel)
    sys.path[:] = start["path"]
    gc.disable()
    broker = Broker(channel, start["parent"], _load(start["decide"]))
    gc.freeze()  # else a worker's garbage collector would write to the memory that it shares, and so copy it
    send(channel, "ready")
    broker.serve()


if __name__ == "__main__":
    main()
