"""The broker: a child process of the training process that compares pairs of formulas, each in a process it may kill.

``pool`` starts this file as a script. It loads the function that decides a pair once. For each pair it forks a worker,
which has that function already, so it starts in milliseconds; its exit status says whether the two are equal. Whatever
a pair does to its worker, no other pair notices.

The messages go over a socket, as JSON, so that no message can run code. The training process sends a start (where to
import from, which file decides) and receives ``"ready"``, or why that failed. Then it sends batches; for each it
receives ``"busy"`` as long as it takes, and then each pair's outcome and the seconds of processor time that it took.
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
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any, NoReturn, TypeAlias

if sys.platform != "win32":  # Windows does not have it, and never starts a broker
    import resource

__all__ = ["SILENCE_SECONDS", "receive", "send"]

Decide: TypeAlias = Callable[[str, str], "bool | None"]

TICK_SECONDS = 0.5  # between two checks that the parent lives, and two signs of life to it
SILENCE_SECONDS = 60.0  # without a sign of life, after which either side gives up the other
WORKER_BYTES = 1 << 30  # that a worker may use, in addition to what it was forked with
# A deadline is in processor time, so that a busy machine changes nothing. By the clock, a worker may take thirty times
# as long, and at least two seconds; that ends only what waits without computing, for which the pair is not to blame.
WALL_PER_DEADLINE, WALL_SECONDS = 30, 2.0
EXIT_STATUS = {True: 64, False: 65, None: 66}  # by what was decided; no status that an exit by accident has
OUTCOMES = {64: "equal", 65: "different", 66: "undecided", -signal.SIGPROF: "timeout"}
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


class Broker:
    """Starts and ends workers.

    Attributes:
        workers: (process id, index of its pair) of each worker, by the pipe that closes when it ends.
    """

    def __init__(self, channel: socket.socket, parent: int, decide: Decide) -> None:
        self.channel, self.parent, self.decide = channel, parent, decide
        self.workers: dict[int, tuple[int, int]] = {}
        self.die_with_parent = _die_with_parent()

    def serve(self) -> NoReturn:
        """Receives batches and sends back their outcomes until the parent is gone."""
        while True:
            if self.channel in self._ready(TICK_SECONDS):
                try:
                    batch = receive(self.channel)
                    send(self.channel, self._compared(**batch))
                except (EOFError, ConnectionError, TimeoutError):
                    self._leave()

    def _compared(
        self, pairs: list[tuple[str, str]], deadline: float, seconds: float, workers: int
    ) -> list[tuple[str, float]]:
        """The outcome of each pair of a batch and its processor time, in order; after ``seconds`` by the clock, what
        is left is ``call_timeout``.
        """
        found = [("call_timeout", 0.0)] * len(pairs)
        begun = 0
        now = time.monotonic()
        end, last_sign = now + seconds, now
        while (begun < len(pairs) or self.workers) and (now := time.monotonic()) < end:
            while begun < len(pairs) and len(self.workers) < workers and self._fork(begun, pairs[begun], deadline):
                begun += 1
            for pipe in self._ready(min(end - now, TICK_SECONDS)):
                if pipe is self.channel:  # during a batch the parent can only hang up
                    self._leave()
                index, outcome = self._end(pipe)
                found[index] = outcome
            if now - last_sign >= TICK_SECONDS:
                send(self.channel, "busy")
                last_sign = now
        for pipe in list(self.workers):
            self._end(pipe, kill=True)
        return found

    def _ready(self, seconds: float) -> list[Any]:
        """Waits for some seconds at most; returns the pipes of workers that ended, and the channel if it has news."""
        watched: list[Any] = [self.channel, *self.workers]
        readable, _, _ = select.select(watched, [], [], max(seconds, 0))
        if os.getppid() != self.parent:
            self._leave()
        return readable

    def _fork(self, index: int, pair: tuple[str, str], deadline: float) -> bool:
        """Starts a worker for a pair; ``False`` if too few files or processes are left and others are at work."""
        broker = os.getpid()
        pipe: tuple[int, ...] = ()
        try:
            pipe = ours, theirs = os.pipe()
            pid = os.fork()
        except OSError:
            for end in pipe:
                os.close(end)
            if self.workers:
                return False
            raise
        if pid == 0:
            try:
                self.die_with_parent()
                if os.getppid() == broker:
                    self.channel.close()
                    _work(self.decide, pair, deadline)
            finally:
                os._exit(1)  # whatever happens, a worker must never go on as a second broker
        os.close(theirs)
        self.workers[ours] = pid, index
        return True

    def _end(self, pipe: int, kill: bool = False) -> tuple[int, tuple[str, float]]:
        """Waits for the end of a worker: (index of its pair, (its outcome, seconds of processor time))."""
        pid, index = self.workers.pop(pipe)
        os.close(pipe)
        if kill:
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        return index, (_outcome(os.waitstatus_to_exitcode(status)), usage.ru_utime + usage.ru_stime)

    def _leave(self) -> NoReturn:
        for pipe in list(self.workers):
            self._end(pipe, kill=True)
        os._exit(0)


def _outcome(status: int) -> str:
    """The outcome of a pair whose worker has ended: by a decision, at its deadline, by itself, or from outside."""
    return OUTCOMES.get(status) or ("crashed" if status >= 0 or -status in OWN_SIGNALS else "worker_killed")


def _work(decide: Decide, pair: tuple[str, str], deadline: float) -> NoReturn:
    """Decides a pair in a forked process. If it takes too much time, the kernel ends the process."""
    _silence(2)
    _limit()
    gc.enable()
    signal.setitimer(signal.ITIMER_REAL, max(WALL_SECONDS, WALL_PER_DEADLINE * deadline))
    signal.setitimer(signal.ITIMER_PROF, deadline)
    os._exit(EXIT_STATUS[decide(*pair)])


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


def _die_with_parent() -> Callable[[], object]:
    """Returns a function that a worker calls so that it is killed when the broker ends.

    Only Linux can do that. Elsewhere the function does nothing, and a worker ends at its deadline.
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
    try:
        decide = _load(start["decide"])
    except Exception:  # noqa: BLE001  # whatever keeps a package from being imported is reported
        send(channel, traceback.format_exc())
        os._exit(1)
    gc.freeze()  # else a worker's garbage collector would write to the memory that it shares, and so copy it
    send(channel, "ready")
    Broker(channel, start["parent"], decide).serve()


if __name__ == "__main__":
    main()
