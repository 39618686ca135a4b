"""The child process of a training process: it hands pairs of formulas to worker processes, which it may kill.

``workers`` starts this file as a script. It loads the function that decides on a pair once, and forks workers that
have it loaded: a worker costs milliseconds and is replaced whenever a pair has stopped it. Nothing here starts a
thread. The messages, on sockets, are JSON: nothing that is read from a worker can run.

The training process sends the start (where to import from, what decides), then batches; it receives ``"ready"``, then
for each batch ``"accepted"``, ``"busy"`` while it lasts, and the list of outcomes.
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

if sys.platform != "win32":  # there, no broker is ever started
    import resource

__all__ = ["SILENCE", "receive", "send"]

Decide: TypeAlias = Callable[[str, str], "bool | None"]

TICK = 0.5  # seconds; how often the parent is looked for, and told that all is well
SILENCE = 60.0  # seconds without a sign of life after which either side gives the other up
MEMORY = 1 << 30  # bytes a worker may use, beyond what it was forked with
LARGE = 256 << 20  # bytes; a worker that has grown to this is replaced
PAIRS_PER_WORKER = 200  # its caches never shrink
# Processor time decides, so that a busy machine changes nothing; the clock stops only what waits without computing.
WALL_PER_DEADLINE, WALL_AT_LEAST = 30, 2.0
OUTCOMES = {True: "equal", False: "different", None: "undecided"}
NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)  # a dead peer is an error here, also where SIGPIPE ends the process
PR_SET_PDEATHSIG = 1


def send(channel: socket.socket, message: object) -> None:
    """Sends one message: four bytes of length, then JSON. Raises ``OSError`` if the other side is gone."""
    data = json.dumps(message).encode()
    channel.sendall(len(data).to_bytes(4, "big") + data, NO_SIGNAL)


def receive(channel: socket.socket) -> Any:
    """Waits for one message. Raises ``EOFError`` or ``OSError`` if the other side is gone."""
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
    """``index`` is the pair it compares, ``None`` while it is idle; ``ticks`` counts how long it has done so."""

    pid: int
    channel: socket.socket
    index: int | None = None
    ticks: int = 0
    overdue: bool = False
    compared: int = 0


class Broker:
    """Its workers, and the batch that they compare."""

    def __init__(self, channel: socket.socket, parent: int, decide: Decide) -> None:
        self.channel, self.parent, self.decide = channel, parent, decide
        self.workers: list[Worker] = []
        self.last_tick = time.monotonic()
        self.die_with_parent = _die_with_parent()

    def serve(self) -> NoReturn:
        """Answers batches until the parent is gone."""
        while True:
            readable, _, _ = select.select([self.channel], [], [], TICK)
            if os.getppid() != self.parent:
                self._end_all()
            if readable:
                try:
                    batch = receive(self.channel)
                    send(self.channel, "accepted")
                    send(self.channel, self._compared(**batch))
                except (EOFError, ConnectionError, TimeoutError):
                    self._end_all()

    def _compared(self, pairs: list[tuple[str, str]], deadline: float, workers: int) -> list[str]:
        outcomes = [""] * len(pairs)
        waiting = list(reversed(range(len(pairs))))
        allowed = max(WALL_AT_LEAST, WALL_PER_DEADLINE * deadline) / TICK
        while waiting or self._busy():
            while waiting and (worker := self._idle(workers)) is not None:
                worker.index, worker.ticks = waiting.pop(), 0
                with suppress(ConnectionError):  # it has died already, which is found out when its answer is read
                    send(worker.channel, [*pairs[worker.index], deadline])
            for worker in self._wait(allowed):
                index, worker.index = worker.index, None
                assert index is not None
                outcomes[index] = self._outcome(worker)
        return outcomes

    def _busy(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.index is not None]

    def _idle(self, limit: int) -> Worker | None:
        """A worker without a pair, forked if there may be one more; ``None`` where all have one."""
        for worker in self.workers[:limit]:
            if worker.index is None:
                if not select.select([worker.channel], [], [], 0)[0]:
                    return worker
                self._end(worker)  # an idle worker has nothing to say: it was killed from outside
        return self._fork() if len(self.workers) < limit else None

    def _wait(self, allowed: float) -> list[Worker]:
        """The workers that have replied or died, after at most a tick."""
        busy = self._busy()
        readable, _, _ = select.select([self.channel, *(worker.channel for worker in busy)], [], [], TICK)
        if self.channel in readable or os.getppid() != self.parent:  # amid a batch the parent can only hang up
            self._end_all()
        # One tick at most, however long the whole machine was stopped: what was stopped too is not late.
        if time.monotonic() - self.last_tick >= TICK:
            self.last_tick = time.monotonic()
            send(self.channel, "busy")
            for worker in busy:
                worker.ticks += 1
                if worker.ticks > allowed:
                    worker.overdue = True
                    os.kill(worker.pid, signal.SIGKILL)
        return [worker for worker in busy if worker.channel in readable]

    def _outcome(self, worker: Worker) -> str:
        try:
            same, memory = receive(worker.channel)
        except (EOFError, OSError):
            status = self._end(worker)
            return "timeout" if worker.overdue or status == -signal.SIGPROF else "worker_killed"
        worker.compared += 1
        if worker.overdue or worker.compared >= PAIRS_PER_WORKER or memory > LARGE:
            self._end(worker)
        return OUTCOMES[same]

    def _fork(self) -> Worker:
        ours, theirs = socket.socketpair()
        broker = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                ours.close()
                self._become_worker(broker)
                _work(theirs, self.decide)
            finally:
                os._exit(1)  # whatever happened: a worker must never run on as a second broker
        theirs.close()
        self.workers.append(Worker(pid, ours))
        return self.workers[-1]

    def _become_worker(self, broker: int) -> None:
        self.die_with_parent()
        if os.getppid() != broker:
            os._exit(1)
        self.channel.close()
        for other in self.workers:  # else they would not notice the end of the broker
            other.channel.close()
        _silence(2)
        _limit()

    def _end(self, worker: Worker) -> int:
        """Ends a worker; how it ended, as ``subprocess`` writes it, if it already had."""
        with suppress(ProcessLookupError):
            os.kill(worker.pid, signal.SIGKILL)
        worker.channel.close()
        self.workers.remove(worker)
        return os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])

    def _end_all(self) -> NoReturn:
        for worker in list(self.workers):
            self._end(worker)
        os._exit(0)


def _work(channel: socket.socket, decide: Decide) -> None:
    """A worker's life. Past its processor time the kernel ends it, in whatever code it is."""
    gc.enable()
    while True:
        answer, prediction, deadline = receive(channel)
        signal.setitimer(signal.ITIMER_PROF, deadline)
        same = decide(answer, prediction)
        signal.setitimer(signal.ITIMER_PROF, 0)
        send(channel, [same, _memory()])


def _memory() -> int:
    """The most memory this process has used, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _limit() -> None:
    """A worker has a bounded memory, cannot write to a file, and is the first to go where the machine's memory ends."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    pages = 0
    with suppress(OSError), open("/proc/self/statm") as sizes:
        pages = int(sizes.read().split()[0])
    wanted = {
        resource.RLIMIT_AS: pages * resource.getpagesize() + MEMORY,
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
    """What a worker calls to be killed when the broker ends. Elsewhere than on Linux it ends when it next replies."""
    if sys.platform != "linux":
        return lambda: None
    import ctypes

    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _silence(*descriptors: int) -> None:
    """Points standard streams at nothing: what a library prints must not get among the messages."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(nothing, descriptor)
    os.close(nothing)


def _load(path: str) -> Decide:
    """The function ``decide`` of a Python file, warmed up if the file says how."""
    spec = spec_from_file_location("decider", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    getattr(module, "warm_up", lambda: None)()
    decide: Decide = module.decide
    return decide


def main() -> NoReturn:
    """Serves the process at the other end of standard input."""
    for one in (signal.SIGPROF, signal.SIGCHLD):  # a training process may ignore or block them, which is inherited
        signal.signal(one, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    channel = socket.socket(fileno=os.dup(0))
    _silence(0, 1)
    channel.settimeout(SILENCE)
    start = receive(channel)
    sys.path[:] = start["path"]
    gc.disable()
    broker = Broker(channel, start["parent"], _load(start["decide"]))
    gc.freeze()  # a collector that looks at it would write to, and so copy, all memory that workers share
    send(channel, "ready")
    broker.serve()


if __name__ == "__main__":
    main()
