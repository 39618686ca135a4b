"""Child processes that tests start, and those that compare formulas, looked at from outside; nothing here measures time
by the clock."""

import contextlib
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from grpo_rewards.answers.symbolic import pool as workers

DECIDER = r"""
import ctypes, itertools, os, signal, sys, time

kept, compared = [], 0

def decide(answer, prediction):
    global begun, compared
    begun, compared = time.process_time(), compared + 1
    return globals().get(answer, lambda _: {"equal": True, "different": False}.get(answer))(prediction)

def spin_in_c(_): sum(itertools.repeat(0))  # never returns to the interpreter

def spin_in_python(_):
    while True:
        try:
            while True: pass
        except BaseException: pass

def sleep(_): time.sleep(1000)
def memory(_):
    while True: kept.append(bytes(1 << 26))  # addresses, of which no page is touched
def spin_for(seconds):
    while time.process_time() - begun < float(seconds): pass
    return True
def has_alarm(seconds): return float(seconds) - 1 < signal.getitimer(signal.ITIMER_REAL)[0] <= float(seconds)
def killed(_): os.kill(os.getpid(), signal.SIGKILL)
def terminated(_): os.kill(os.getpid(), signal.SIGTERM)
def abort(_): os.abort()
def crash(_): ctypes.string_at(0)
def leave(_): os._exit(0)
def error(_): raise ValueError
def say(_):
    print("[true, 0]" * 10_000, flush=True)
    os.write(1, b"\0\0\0\4true")
    os.write(2, b"said")
    return sys.stdin.read() == ""
def is_of_length(prediction): return len(prediction) == 3_000_000
def is_surrogate(prediction): return prediction == "\ud800"
def is_first(_): return compared == 1
def grow(_): kept.append(bytearray(os.urandom(1)) * (300 << 20)); return True
def grown(_): return bool(kept)
def can_write(path):
    try:
        with open(path, "w") as file: file.write("x")
    except OSError: return False
    return True
"""


@contextmanager
def started(command: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A child process with pipes for its output and its errors; it and its own children are gone at the end.

    It obeys SIGINT and SIGTERM though this process should ignore them, as one does that was started in the background.
    Wait for it with a limit: ``communicate(timeout=…)``. ``options`` are those of ``subprocess.Popen``.
    """
    usual: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = subprocess.Popen([str(word) for word in command], preexec_fn=_obeys, **{**usual, **options})
    try:
        yield running
    finally:
        end_with_children(running.pid)
        running.communicate(timeout=60)


def end_with_children(pid: int) -> None:
    """Kills a process and all that it started, as far as they are there."""
    with contextlib.suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        for process in [*first.children(recursive=True), first]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


def _obeys() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def broker() -> psutil.Process:
    """The process that compares formulas, idle or at work."""
    (found,) = _brokers()
    return found


def _brokers() -> list[psutil.Process]:
    children = [child for child in psutil.Process().children() if is_running(child.pid)]
    return [child for child in children if str(workers.BROKER) in child.cmdline()]


def is_at_work() -> bool:
    """Whether a pair is being compared."""
    return any(found.children() for found in _brokers())


def family() -> list[psutil.Process]:
    return [broker(), *broker().children()]


def in_thread(function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    return thread


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "waited for 120 s"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def processor_time() -> float:
    """Seconds of processor time that the broker and its workers have used, those that have ended included."""
    return sum(sum(process.cpu_times()[:4]) for process in family())


@contextmanager
def heartbeat() -> Iterator[list[None]]:
    """A thread that wakes up a hundred times a second; what it appends to counts how often it got to run."""
    beats: list[None] = []
    done = threading.Event()

    def beat() -> None:
        while not done.wait(0.01):
            beats.append(None)

    heart = in_thread(beat)
    try:
        yield beats
    finally:
        done.set()
        heart.join()
