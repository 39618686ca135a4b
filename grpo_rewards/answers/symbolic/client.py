"""Compares formulas in processes that can be killed: the side of the training process.

The first comparison starts one child process, the *broker*, from its file. So the user's script does not run again, no
CUDA context is inherited, and it works in threads and in daemonic processes. If the training process is forked, the
fork starts a broker of its own. ``broker.py`` describes what a broker does.
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

from grpo_rewards.answers.symbolic.broker import SILENCE_SECONDS, receive, send

__all__ = ["LONGEST_DEADLINE", "VARIABLE", "close", "compare_symbolically", "symbolic_warnings", "worker_count"]

VARIABLE = "GRPO_REWARDS_WORKERS"
MOST_WORKERS = 4  # by default, for each training process
LONGEST_DEADLINE = 600.0  # seconds
START_SECONDS = 120.0  # that a broker may take to start: half a second is usual, but a network disk can be slow
ATTEMPTS = 2  # at one batch, if the broker is killed during it; its formulas cannot be to blame
LAST_WORDS_CHARACTERS = 2_000  # at the end of what a broker wrote to stderr

DECIDER = Path(__file__).with_name("decide.py")
BROKER = Path(__file__).with_name("broker.py")

# The broker gets no other environment variables, and so no tokens and no keys.
PASSED_ON_VARIABLES = frozenset(
    """
    PATH HOME USER LANG LANGUAGE TZ TMPDIR LD_LIBRARY_PATH VIRTUAL_ENV CONDA_PREFIX
    PYTHONHOME PYTHONNOUSERSITE PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE
    """.split()
)
PASSED_ON_PREFIXES = ("LC_", "DYLD_")
# A fixed order of sets and a single thread, so that every process decides a pair alike.
FIXED_VARIABLES = {"PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}

PLATFORMS = {"darwin": "macOS", "win32": "Windows"}
NOT_COMPARED = "Answers that need computer algebra, such as integrals and sums, are not compared and earn no reward."

logger = logging.getLogger(__name__)


def compare_symbolically(
    pairs: Sequence[tuple[str, str]], *, deadline: float = 1.0, workers: int | None = None
) -> list[str]:
    """Compares each of the unique pairs (answer, prediction), both LaTeX without ``$``.

    Threads may call it, and then take turns. The first call takes half a second longer.

    Args:
        deadline: seconds of a worker's processor time for each pair; a busy machine does not shorten it.
        workers: how many processes compare. ``None``: as the environment variable ``GRPO_REWARDS_WORKERS`` says, or
            else one for each core of this process, at most 4. 0: no process is started and all pairs are undecided,
            as always on Windows.

    Returns:
        One outcome for each pair, in order: ``equal``, ``different``, ``undecided`` (one cannot be parsed, or comparing
        them failed), ``timeout``, or ``worker_killed`` (out of memory, a crash, or killed from outside).

    Raises:
        RuntimeError: no process can be started.
        ValueError: the deadline or the number of workers is out of range.
    """
    count = worker_count(workers)
    if count < 0 or not 0 < deadline <= LONGEST_DEADLINE:
        raise ValueError(
            f"deadline={deadline}, workers={workers}: "
            f"the deadline must be above 0 and at most {LONGEST_DEADLINE:g} seconds, workers not below 0"
        )
    if not pairs:
        return []
    if count == 0:
        return ["undecided"] * len(pairs)
    with _lock:
        return _compared({"pairs": list(pairs), "deadline": deadline, "workers": count})


def worker_count(workers: int | None = None) -> int:
    """How many processes compare if the option is ``workers``; 0 if this platform cannot start any."""
    if not hasattr(os, "fork"):
        return 0
    return _usual_count() if workers is None else workers


def symbolic_warnings() -> tuple[str, ...]:
    """What symbolic comparison lacks on this platform and in this environment, as sentences to warn with.

    ``()`` on Linux, unless ``GRPO_REWARDS_WORKERS`` is 0.
    """
    platform = PLATFORMS.get(sys.platform, sys.platform)
    named = os.environ.get(VARIABLE, "").strip()
    if not hasattr(os, "fork"):
        return (f"On {platform}, no worker process can be started. {NOT_COMPARED}",)
    if named.isdecimal() and int(named) == 0:
        return (f"{VARIABLE}={named} turns symbolic comparison off, unless a reward sets workers. {NOT_COMPARED}",)
    lacks: list[str] = []
    if sys.platform == "darwin":
        lacks.append(f"On {platform}, a worker process may use any amount of memory until its deadline.")
    if sys.platform != "linux":
        lacks.append(
            f"On {platform}, a worker process runs on until its deadline if the process that started it is killed."
        )
    return tuple(lacks)


def _usual_count() -> int:
    """How many processes compare by default: what the environment variable says, else by the number of cores."""
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        if not named.isdecimal():
            raise ValueError(f"{VARIABLE}={named!r}: write a whole number of processes, or 0 for none")
        return int(named)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    ranks = os.environ.get("LOCAL_WORLD_SIZE", "")  # training processes that share these cores
    return min(max(cores // max(int(ranks) if ranks.isdecimal() else 1, 1), 1), MOST_WORKERS)


class _Broker:
    """A running broker. Its methods raise ``OSError`` or ``EOFError`` if it has ended or is silent for too long."""

    def __init__(self) -> None:
        try:
            self.process, self.channel, self.errors = _start()
        except (OSError, ValueError) as error:  # ValueError: an executable without a name
            raise _cannot_start(str(error)) from error
        self.close = weakref.finalize(self, _end, os.getpid(), self.process, self.channel, self.errors)
        try:
            self.channel.settimeout(START_SECONDS)
            send(self.channel, {"path": _import_path(), "decide": str(DECIDER), "parent": os.getpid()})
            receive(self.channel)
            self.channel.settimeout(SILENCE_SECONDS)
        except (OSError, EOFError) as gone:
            last_words = self.last_words() or repr(gone)
            self.close()
            raise _cannot_start(last_words) from None
        except BaseException:
            self.close()
            raise

    def hand_over(self, batch: dict[str, Any]) -> bool:
        """Hands over a batch. Returns ``False`` if the broker had already ended."""
        try:
            send(self.channel, batch)
            return bool(receive(self.channel))
        except (ConnectionError, EOFError):
            return False

    def outcomes(self) -> list[str]:
        """Waits for the outcomes of the batch that was handed over."""
        while isinstance(outcomes := receive(self.channel), str):
            pass  # still busy
        return cast("list[str]", outcomes)

    def last_words(self) -> str:
        """The end of what the broker wrote to stderr."""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace").strip()[-LAST_WORDS_CHARACTERS:]


_lock = threading.Lock()
_broker: _Broker | None = None


def _compared(batch: dict[str, Any]) -> list[str]:
    """The outcomes of a batch. If the broker is killed each time, all are ``worker_killed``."""
    for _ in range(ATTEMPTS):
        outcomes = _attempted(batch)
        if outcomes is not None:
            return outcomes
    return ["worker_killed"] * len(batch["pairs"])


def _attempted(batch: dict[str, Any]) -> list[str] | None:
    """The outcomes of a batch; ``None`` if the broker ended before it had sent them."""
    try:
        return _at_work_on(batch).outcomes()
    except (OSError, EOFError) as gone:
        last_words = "" if _broker is None else _broker.last_words()
        logger.warning("the process that compares formulas has ended (%r): %s", gone, last_words)
        close()
        return None
    except BaseException:  # KeyboardInterrupt too: the next call must not receive the outcomes of this one
        close()
        raise


def _at_work_on(batch: dict[str, Any]) -> _Broker:
    """Hands a batch to the broker and returns it. If none is running, starts one."""
    global _broker
    if _broker is None or not _broker.hand_over(batch):
        close()
        _broker = _Broker()
        _broker.hand_over(batch)
    return _broker


def close() -> None:
    """Ends the broker and its workers. The next comparison starts new ones."""
    global _broker
    ended, _broker = _broker, None
    if ended is not None:
        ended.close()


def _start() -> tuple[subprocess.Popen[bytes], socket.socket, IO[bytes]]:
    """Starts a broker. Returns its process, the socket to it, and the file with its stderr (a pipe could fill up)."""
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
            env={name: value for name, value in os.environ.items() if _is_passed_on(name)} | FIXED_VARIABLES,
            start_new_session=True,  # Ctrl-C is for the training process
        )
        undo.pop_all()
    return process, ours, errors


def _scratch_file() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile()
    except OSError:  # there is no folder to write to, so what the broker writes is lost
        return open(os.devnull, "w+b")


def _is_passed_on(name: str) -> bool:
    return name in PASSED_ON_VARIABLES or name.startswith(PASSED_ON_PREFIXES)


def _import_path() -> list[str]:
    """Where the broker imports from: as this process does, but last from the script's folder and the working directory.

    These may hold a ``sympy.py`` or the like that is not meant.
    """
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
    """Kills a broker and its workers."""
    if os.getpid() != owner:  # a forked child only drops what it inherited
        return
    channel.close()
    # Nobody has waited for the process yet. So even if it is dead, no other process or group can have its id.
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):  # macOS: PermissionError for a process that is ending
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
    errors.close()


def _forget() -> None:
    """Runs in a forked child: the broker belongs to the parent, and a thread of the parent may have held the lock."""
    global _broker, _lock
    inherited, _broker, _lock = _broker, None, threading.Lock()
    if inherited is not None:
        inherited.channel.close()
        inherited.process.returncode = 0  # not ours to wait for


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
