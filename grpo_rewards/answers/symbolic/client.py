"""Comparing formulas in processes that can be killed: the side of the training process.

The first comparison starts one child process, the *broker*, by its file: nothing of the user's script runs again, no
CUDA context is inherited, and it works in threads and in daemonic processes. A forked child starts a broker of its own.
``broker`` says what it does.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any, cast

from grpo_rewards.answers.symbolic.broker import SILENCE, receive, send

__all__ = ["VARIABLE", "close", "compare_symbolically"]

VARIABLE = "GRPO_REWARDS_WORKERS"
MOST_WORKERS = 4  # by default, in each training process
LONGEST = 600.0  # seconds that a deadline may be
START = 120.0  # seconds; half a second's work, but the first import from a network disk is slow
ATTEMPTS = 2  # at a batch amid which the broker is killed, which is no fault of what it compares
SHOWN = 2_000  # characters of what the broker wrote before it ended

DECIDER = Path(__file__).with_name("decide.py")
BROKER = Path(__file__).with_name("broker.py")

# Nothing else of the environment gets in: no tokens, no keys.
PASSED_ON = frozenset(
    """
    PATH HOME USER LANG LANGUAGE TZ TMPDIR LD_LIBRARY_PATH VIRTUAL_ENV CONDA_PREFIX
    PYTHONHOME PYTHONNOUSERSITE PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE
    """.split()
)
PASSED_ON_PREFIXES = ("LC_", "DYLD_")
# One order of sets and one thread, so that a pair is decided alike in every process.
SET = {"PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}

logger = logging.getLogger(__name__)


def compare_symbolically(
    pairs: Sequence[tuple[str, str]], *, deadline: float = 1.0, workers: int | None = None
) -> list[str]:
    """Compares unique pairs of an answer and a prediction, both LaTeX without ``$``; one outcome each, in order.

    Safe to call in threads, which then take turns. The first call takes half a second longer.

    Args:
        deadline: seconds of a worker's processor time for each pair; a busy machine does not shorten it.
        workers: how many processes compare. Otherwise the environment variable ``GRPO_REWARDS_WORKERS``, else as many
            as this process has cores, at most 4. 0 starts no process: all pairs are undecided, as on Windows.

    Returns:
        ``equal``, ``different``, ``undecided`` (one cannot be parsed, or comparing them failed), ``timeout``, or
        ``worker_killed`` (out of memory, a crash, or killed from outside).

    Raises:
        RuntimeError: no process can be started.
        ValueError: the deadline or the number of workers is not one.
    """
    count = worker_count(workers)
    if count < 0 or not 0 < deadline <= LONGEST:
        raise ValueError(
            f"deadline={deadline}, workers={workers}: the deadline must be above 0 and at most {LONGEST:g} seconds, "
            "workers not below 0"
        )
    if not pairs:
        return []
    if count == 0:
        return ["undecided"] * len(pairs)
    with _lock:
        return _compared({"pairs": list(pairs), "deadline": deadline, "workers": count})


def worker_count(workers: int | None = None) -> int:
    """How many processes compare, if an option says ``workers``; 0 where there can be none."""
    if not hasattr(os, "fork"):
        return 0
    return _usual_count() if workers is None else workers


def _usual_count() -> int:
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        if not named.isdecimal():
            raise ValueError(f"{VARIABLE}={named!r}: write a whole number of processes, or 0 for none")
        return int(named)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    ranks = os.environ.get("LOCAL_WORLD_SIZE", "")  # training processes that share these cores
    return min(max(cores // max(int(ranks) if ranks.isdecimal() else 1, 1), 1), MOST_WORKERS)


class _Broker:
    """A running broker. Its methods raise ``OSError`` or ``EOFError`` where it has ended or says nothing for long."""

    def __init__(self) -> None:
        try:
            self.process, self.channel, self.errors = _start()
        except (OSError, ValueError) as error:  # ValueError: an executable without a name
            raise _cannot_start(str(error)) from error
        self.close = weakref.finalize(self, _end, os.getpid(), self.process, self.channel, self.errors)
        try:
            self.channel.settimeout(START)
            send(self.channel, {"path": _import_path(), "decide": str(DECIDER), "parent": os.getpid()})
            receive(self.channel)
            self.channel.settimeout(SILENCE)
        except (OSError, EOFError) as gone:
            last_words = self.last_words() or repr(gone)
            self.close()
            raise _cannot_start(last_words) from None
        except BaseException:
            self.close()
            raise

    def accepts(self, batch: dict[str, Any]) -> bool:
        """Hands over a batch; False where the broker had ended before."""
        try:
            send(self.channel, batch)
            return bool(receive(self.channel))
        except (ConnectionError, EOFError):
            return False

    def outcomes(self) -> list[str]:
        while isinstance(outcomes := receive(self.channel), str):
            pass  # still busy
        return cast("list[str]", outcomes)

    def last_words(self) -> str:
        """The end of what it wrote to stderr."""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace").strip()[-SHOWN:]


_lock = threading.Lock()
_broker: _Broker | None = None


def _compared(batch: dict[str, Any]) -> list[str]:
    for _ in range(ATTEMPTS):
        outcomes = _attempted(batch)
        if outcomes is not None:
            return outcomes
    return ["worker_killed"] * len(batch["pairs"])


def _attempted(batch: dict[str, Any]) -> list[str] | None:
    """The outcomes; ``None`` where the broker ended before it had them all."""
    try:
        return _at_work_on(batch).outcomes()
    except (OSError, EOFError) as gone:
        last_words = "" if _broker is None else _broker.last_words()
        logger.warning("the process that compares formulas has ended (%r): %s", gone, last_words)
        close()
        return None
    except BaseException:  # KeyboardInterrupt too: the answer on its way must not be taken for that of the next call
        close()
        raise


def _at_work_on(batch: dict[str, Any]) -> _Broker:
    """The broker, or another one if it was killed since the last call."""
    global _broker
    if _broker is None or not _broker.accepts(batch):
        close()
        _broker = _Broker()
        _broker.accepts(batch)
    return _broker


def close() -> None:
    """Ends the broker and its workers; the next comparison starts others."""
    global _broker
    ended, _broker = _broker, None
    if ended is not None:
        ended.close()


def _start() -> tuple[subprocess.Popen[bytes], socket.socket, IO[bytes]]:
    """The broker's process, the socket to it, and the file that it writes errors to: a pipe unread could fill up."""
    ours, theirs = socket.socketpair()
    with theirs, ExitStack() as undo:
        undo.enter_context(ours)
        errors = undo.enter_context(_scratch_file())
        process = subprocess.Popen(
            [sys.executable, str(BROKER)],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=os.path.sep,
            env={name: value for name, value in os.environ.items() if _is_passed_on(name)} | SET,
            start_new_session=True,  # Ctrl-C is for the training process
        )
        undo.pop_all()
    return process, ours, errors


def _scratch_file() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile()
    except OSError:  # no folder to write to: nobody will know what the broker wrote
        return open(os.devnull, "w+b")


def _is_passed_on(name: str) -> bool:
    return name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)


def _import_path() -> list[str]:
    """Where this process imports from; last the script's folder and the working directory, which may hold any names."""
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = os.path.sep
    entries = [os.path.normpath(os.path.join(here, entry)) for entry in sys.path if isinstance(entry, str)]
    last = {here}
    main = sys.modules.get("__main__")
    script = getattr(main, "__file__", None)
    if script and getattr(main, "__spec__", None) is None:  # run as a file, not with -m
        last.add(os.path.dirname(os.path.join(here, script)))
    return sorted(dict.fromkeys(entries), key=lambda entry: entry in last)


def _cannot_start(why: str) -> RuntimeError:
    return RuntimeError(
        f"the process that compares formulas does not start with {sys.executable!r}:\n{why}\n"
        f"Install math-verify for this Python, or set {VARIABLE}=0 to do without symbolic comparison."
    )


def _end(owner: int, process: subprocess.Popen[bytes], channel: socket.socket, errors: IO[bytes]) -> None:
    if os.getpid() != owner:  # a forked child that drops what it inherited
        return
    channel.close()
    if (
        process.returncode is None
    ):  # not waited for, so that its id is still its own, and its workers' too if it is dead
        with suppress(ProcessLookupError, PermissionError):  # macOS: PermissionError for a process that is ending
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
    errors.close()


def _forget() -> None:
    """In a forked child: the broker is the parent's, and a thread that is not here may have held the lock."""
    global _broker, _lock
    inherited, _broker, _lock = _broker, None, threading.Lock()
    if inherited is not None:
        inherited.channel.close()
        inherited.process.returncode = 0  # not ours to wait for


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
