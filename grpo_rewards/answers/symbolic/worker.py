"""The broker: a child process of the training process that compares pairs of formulas, each in a process it may kill.

``pool`` starts this file as a script. It runs the file that defines ``decide`` once. For each pair it forks a worker,
which has that function already, so it starts in milliseconds; its exit status says whether the two are equal. Whatever
a pair does to its worker, no other pair notices.

The messages go over a socket, as JSON, so that no message can run code. The training process receives ``"ready"``, or
why the start failed. Then it sends batches; for each it receives each pair's outcome and the seconds of processor time
that it took.
"""

import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

EXIT_STATUS = {True: 64, False: 65, None: 66}  # by what was decided; no status that an exit by accident has
OUTCOMES = {64: "equal", 65: "different", 66: "undecided"}

if sys.platform != "win32":  # which lacks what is needed here, and never starts a broker
    import resource

    # These signals are sent from outside, by a person or by a kernel that is out of memory, or end what only waits. By
    # all others a process ends itself, as it does where memory that was refused is used all the same.
    OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGALRM, signal.SIGINT, signal.SIGHUP)
    OUTCOMES |= {-signal.SIGPROF: "timeout", **{-one: "worker_killed" for one in OUTSIDE}}

TICK_SECONDS = 0.5  # between two checks that the parent lives
SILENCE_SECONDS = 60.0  # amid a message, after which the parent is given up
WORKER_BYTES = 1 << 30  # that a worker may use, in addition to what it was forked with
# A deadline is in processor time, so that a busy machine changes nothing. By the clock, a worker may take thirty times
# as long, and at least two seconds; that ends only what waits without computing, for which the pair is not to blame.
WALL_PER_DEADLINE, WALL_SECONDS = 30, 2.0
NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)  # sending to a dead process must raise, not end this one by SIGPIPE


def send(channel: socket.socket, message: object) -> None:
    """Sends a message as a line of JSON. Raises ``OSError`` if the other side is gone."""
    channel.sendall(json.dumps(message).encode() + b"\n", NO_SIGNAL)


def receive(channel: socket.socket) -> Any:
    """Waits for a message and returns it. Raises ``EOFError`` or ``OSError`` if the other side is gone."""
    data = bytearray()
    while not data.endswith(b"\n"):  # nobody sends a second message before the first one is answered
        part = channel.recv(1 << 16)
        if not part:
            raise EOFError
        data += part
    return json.loads(data)


class Broker:
    """Starts and ends workers.

    Attributes:
        workers: (process id, index of its pair) of each worker, by the pipe that closes when it ends.
    """

    def __init__(self, channel: socket.socket, parent: int, decide: Callable[[str, str], bool | None]) -> None:
        self.channel, self.parent, self.decide = channel, parent, decide
        self.workers: dict[int, tuple[int, int]] = {}

    def serve(self) -> NoReturn:
        """Receives batches and sends back their outcomes until the parent is gone."""
        with suppress(EOFError, OSError):
            while True:
                if self.channel in self._ready(TICK_SECONDS):
                    send(self.channel, self._compared(**receive(self.channel)))
        self._kill_all()
        os._exit(0)

    def _compared(
        self, pairs: list[tuple[str, str]], deadline: float, seconds: float, workers: int
    ) -> list[tuple[str, float]]:
        """The outcome of each pair of a batch and its processor time, in order; after ``seconds`` by the clock, what
        is left is ``call_timeout``.
        """
        found = [("call_timeout", 0.0)] * len(pairs)
        begun = 0
        end = time.monotonic() + seconds
        while (begun < len(pairs) or self.workers) and (left := end - time.monotonic()) > 0:
            while begun < len(pairs) and len(self.workers) < workers:
                self._fork(begun, pairs[begun], deadline)
                begun += 1
            for pipe in self._ready(min(left, TICK_SECONDS)):
                if pipe is self.channel:  # during a batch the parent can only hang up
                    raise EOFError
                index, outcome = self._end(pipe)
                found[index] = outcome
        self._kill_all()
        return found

    def _ready(self, seconds: float) -> list[Any]:
        """Waits for some seconds at most; returns the pipes of workers that ended, and the channel if it has news.

        Raises ``EOFError`` if the parent is gone.
        """
        watched: list[Any] = [self.channel, *self.workers]
        readable = select.select(watched, [], [], seconds)[0]
        if os.getppid() != self.parent:
            raise EOFError
        return readable

    def _fork(self, index: int, pair: tuple[str, str], deadline: float) -> None:
        """Starts a worker, a forked process that decides a pair. If it takes too much time, the kernel ends it."""
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                self.channel.close()
                _limit()
                gc.enable()
                signal.setitimer(signal.ITIMER_REAL, max(WALL_SECONDS, WALL_PER_DEADLINE * deadline))
                signal.setitimer(signal.ITIMER_PROF, deadline)
                os._exit(EXIT_STATUS[self.decide(*pair)])
            finally:
                os._exit(1)  # whatever happens, a worker must never go on as a second broker
        os.close(theirs)
        self.workers[ours] = pid, index

    def _end(self, pipe: int) -> tuple[int, tuple[str, float]]:
        """Waits for the end of a worker: (index of its pair, (its outcome, seconds of processor time))."""
        pid, index = self.workers.pop(pipe)
        os.close(pipe)
        _, status, usage = os.wait4(pid, 0)
        outcome = OUTCOMES.get(os.waitstatus_to_exitcode(status), "crashed")
        return index, (outcome, usage.ru_utime + usage.ru_stime)

    def _kill_all(self) -> None:
        for pipe, (pid, _) in list(self.workers.items()):
            os.kill(pid, signal.SIGKILL)
            self._end(pipe)


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
    }
    for limit, most in wanted.items():
        hard = resource.getrlimit(limit)[1]
        if hard == resource.RLIM_INFINITY or hard > most:
            with suppress(OSError, ValueError):  # macOS does not limit the address space
                resource.setrlimit(limit, (most, most))


def main(decider: str, parent: int, import_path: list[str]) -> NoReturn:
    """Serves the training process, which is at the other end of standard input."""
    for one in (signal.SIGPROF, signal.SIGALRM, signal.SIGCHLD):  # the training process may ignore them: inherited
        signal.signal(one, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    channel = socket.socket(fileno=os.dup(0))
    channel.settimeout(SILENCE_SECONDS)
    with open(os.devnull) as nothing:  # what runs here must not read the messages; its output goes nowhere already
        os.dup2(nothing.fileno(), 0)
    sys.path[:] = import_path
    gc.disable()
    try:
        loaded = runpy.run_path(decider)
        loaded.get("warm_up", lambda: None)()
    except Exception:  # noqa: BLE001  # whatever keeps a package from being imported is reported
        send(channel, traceback.format_exc())
        os._exit(1)
    gc.freeze()  # else a worker's garbage collector would write to the memory that it shares, and so copy it
    send(channel, "ready")
    Broker(channel, parent, loaded["decide"]).serve()


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
