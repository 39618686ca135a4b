"""Compares formulas in processes that can be killed: the side of the training process.

The first comparison starts one child process, the *broker*, from its file. So the user's script does not run again, no
CUDA context is inherited, and it works in threads and in daemonic processes. If the training process is forked, the
fork starts a broker of its own. If a signal handler compares while its thread is comparing, it has a broker of its own
for as long as that takes. ``broker.py`` describes what a broker does.
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
import time
import weakref
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from math import inf
from pathlib import Path
from traceback import walk_tb
from typing import IO, Any, NamedTuple

from grpo_rewards.answers.symbolic.broker import SILENCE_SECONDS, receive, send

# How many processes compare here, and what a platform cannot do for it. Look here if none are started, or too many.

VARIABLE = "GRPO_REWARDS_WORKERS"
MOST_WORKERS = 4  # by default, for each training process
PLATFORMS = {"darwin": "macOS", "win32": "Windows"}
NOT_COMPARED = "Answers that need computer algebra, such as integrals and sums, are not compared and earn no reward."


def worker_count(workers: int | None = None) -> int:
    """How many processes compare if the option is ``workers``; 0 if this platform cannot start any.

    Raises:
        ValueError: the number is below 0, or the environment variable is no number.
    """
    if workers is not None and workers < 0:
        raise ValueError(f"workers={workers}: write 0 or more, or None")
    if not hasattr(os, "fork"):
        return 0
    return _usual_count() if workers is None else workers


def symbolic_warnings() -> tuple[str, ...]:
    """What symbolic comparison cannot do on this platform and in this environment, as sentences to warn with.

    ``()`` on Linux, unless ``GRPO_REWARDS_WORKERS`` is 0.
    """
    platform = PLATFORMS.get(sys.platform, sys.platform)
    named = os.environ.get(VARIABLE, "").strip()
    if not hasattr(os, "fork"):
        return (f"On {platform}, no worker process can be started. {NOT_COMPARED}",)
    if named.isdecimal() and int(named) == 0:
        return (f"{VARIABLE}={named} turns symbolic comparison off, unless a reward sets workers. {NOT_COMPARED}",)
    warnings: list[str] = []
    if sys.platform == "darwin":
        warnings.append(f"On {platform}, a worker process may use any amount of memory until its deadline.")
    if sys.platform != "linux":
        warnings.append(
            f"On {platform}, a worker process runs on until its deadline if the process that started it is killed."
        )
    return tuple(warnings)


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


# Starts the broker's process, with nothing of this one but what it needs. Look here if it starts wrongly.

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


def launch() -> tuple[subprocess.Popen[bytes], socket.socket, IO[bytes]]:
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


def import_path() -> list[str]:
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


LONGEST_DEADLINE = 600.0  # seconds
START_SECONDS = 120.0  # that a broker may take to start: a second is usual, but a network disk can be slow
LATE_SECONDS = 5.0  # that the outcomes may come late, on a busy machine
ENDING_SECONDS = 1.0  # that a broker which has hung up may take to end
ATTEMPTS = 2  # at one batch, if the broker is killed before or during it; its formulas cannot be to blame
LAST_WORDS_CHARACTERS = 2_000  # at the end of what a broker wrote to stderr

DECIDER = Path(__file__).with_name("decide.py")

logger = logging.getLogger(__name__)


class Found(NamedTuple):
    """What a comparison of a pair came to, and how many seconds of processor time it took."""

    outcome: str
    seconds: float = 0.0


def compare_symbolically(
    pairs: Sequence[tuple[str, str]], *, deadline: float = 1.0, workers: int | None = None
) -> list[str]:
    """The outcomes of ``compare_in_time`` without a bound for all pairs together, and without their times."""
    return [one.outcome for one in compare_in_time(pairs, deadline=deadline, workers=workers)]


def compare_in_time(
    pairs: Sequence[tuple[str, str]], *, deadline: float, workers: int | None = None, until: float = inf
) -> list[Found]:
    """Compares each of the unique pairs (answer, prediction), both LaTeX without ``$``.

    Threads may call it, and then take turns; so may a signal handler. The first call takes a second longer.

    Args:
        deadline: seconds of a worker's processor time for each pair; a busy machine does not shorten it.
        workers: how many processes compare. ``None``: as the environment variable ``GRPO_REWARDS_WORKERS`` says, or
            else one for each core of this process, at most 4. 0: no process is started and all pairs are undecided,
            as always on Windows.
        until: when, by ``time.monotonic``, all pairs together must end.

    Returns:
        What was found about each pair, in order. The outcome is ``equal``, ``different``, ``undecided`` (one cannot be
        parsed, or comparing them failed), ``timeout`` (it used up its deadline), ``crashed`` (its worker ran out of the
        memory that it may use, or crashed), ``worker_killed`` (from outside, or it had no processor) or
        ``call_timeout`` (at ``until`` it was not decided). Of the last two the pair is innocent.

    Raises:
        RuntimeError: no process can be started.
        ValueError: the deadline or the number of workers is out of range.
    """
    count = worker_count(workers)
    if not 0 < deadline <= LONGEST_DEADLINE:
        raise ValueError(f"deadline={deadline}: it must be above 0 and at most {LONGEST_DEADLINE:g} seconds")
    if not pairs:
        return []
    if count == 0:
        return [Found("undecided")] * len(pairs)
    batch = {"pairs": list(pairs), "deadline": deadline, "workers": count}
    with _lock:
        return _compared_beside(batch, until) if _talking else _compared(batch, until)


def start() -> None:
    """Starts the broker if none is running, so that the first comparison need not wait for it.

    A broker that is killed meanwhile is left to the first comparison, which starts it again.

    Raises:
        RuntimeError: it cannot be started.
    """
    global _broker
    if _broker is None:
        with _lock, suppress(_KilledError):
            if _broker is None and not _talking:
                _broker = _Broker()


class _KilledError(EOFError):
    """A signal ended the broker while it started, as a kernel does that is out of memory."""


class _Broker:
    """A running broker. Its methods raise ``OSError`` or ``EOFError`` if it has ended or is silent for too long."""

    def __init__(self) -> None:
        try:
            self.process, self.channel, self.errors = launch()
        except (OSError, ValueError) as error:  # ValueError: an executable without a name
            raise _cannot_start(str(error)) from error
        self.close = weakref.finalize(self, _end, os.getpid(), self.process, self.channel, self.errors)
        try:
            self.channel.settimeout(START_SECONDS)
            send(self.channel, {"path": import_path(), "decide": str(DECIDER), "parent": os.getpid()})
            receive(self.channel)
        except (OSError, EOFError) as gone:
            status, last_words = self._status(), self.last_words() or repr(gone)
            self.close()
            if status is not None and status < 0:
                raise _KilledError(f"signal {-status} while it started") from None
            raise _cannot_start(last_words if status is None else f"{last_words}\n(exit status {status})") from None
        except BaseException:
            self.close()
            raise

    def hand_over(self, batch: dict[str, Any]) -> bool:
        """Hands over a batch. Returns ``False`` if the broker had already ended."""
        try:
            self.channel.settimeout(SILENCE_SECONDS)
            send(self.channel, batch)
            return bool(receive(self.channel))
        except (ConnectionError, EOFError) as gone:
            if not _is_of_the_channel(gone):
                raise
            return False

    def found(self, until: float) -> list[Found]:
        """Waits for what was found about the batch that was handed over, at most until a little after ``until``."""
        while True:
            left = until + LATE_SECONDS - time.monotonic()
            self.channel.settimeout(min(SILENCE_SECONDS, max(left, 0.01)))
            message = receive(self.channel)
            if not isinstance(message, str):  # else it is still busy
                return [Found(*one) for one in message]

    def _status(self) -> int | None:
        """How the broker ended, as ``subprocess`` gives it; ``None`` if it is still there."""
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(timeout=ENDING_SECONDS)
        return None

    def last_words(self) -> str:
        """The end of what the broker wrote to stderr."""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace").strip()[-LAST_WORDS_CHARACTERS:]


# A thread may take its own lock again, as a signal handler does amid a comparison. Then a comparison is going on.
_lock = threading.RLock()
_talking = False
_broker: _Broker | None = None


def _compared(batch: dict[str, Any], until: float) -> list[Found]:
    """What was found about a batch. If the broker is killed each time, all outcomes are ``worker_killed``."""
    for _ in range(ATTEMPTS):
        if time.monotonic() >= until:
            return [Found("call_timeout")] * len(batch["pairs"])
        found = _attempted(batch, until)
        if found is not None:
            return found
    return [Found("worker_killed" if time.monotonic() < until else "call_timeout")] * len(batch["pairs"])


def _compared_beside(batch: dict[str, Any], until: float) -> list[Found]:
    """Compares with a broker for this batch only, for the other one is waited for by what was interrupted."""
    global _broker
    interrupted, _broker = _broker, None
    try:
        return _compared(batch, until)
    finally:
        close()
        _broker = interrupted


def _attempted(batch: dict[str, Any], until: float) -> list[Found] | None:
    """What was found about a batch; ``None`` if the broker ended before it had sent that."""
    global _talking
    before = _talking
    try:
        _talking = True
        return _at_work_on({**batch, "seconds": until - time.monotonic()}).found(until)
    except (OSError, EOFError) as gone:
        if not _is_of_the_channel(gone):
            close()
            raise
        last_words = "" if _broker is None else _broker.last_words()
        logger.warning("the process that compares formulas has ended (%r): %s", gone, last_words)
        close()
        return None
    except BaseException:  # KeyboardInterrupt too: the next call must not receive the outcomes of this one
        close()
        raise
    finally:
        _talking = before


def _is_of_the_channel(error: Exception) -> bool:
    """Whether an error arose here or in ``broker``, not in a signal handler, which may raise TimeoutError as well."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return frame.f_code.co_filename in (__file__, receive.__code__.co_filename)


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
    global _broker, _lock, _talking
    inherited, _broker, _lock, _talking = _broker, None, threading.RLock(), False
    if inherited is not None:
        inherited.channel.close()
        inherited.process.returncode = 0  # not ours to wait for


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# Tries whether computer algebra can be run at all, before a training needs it. Look here if it fails only later.

TRIAL_SECONDS = 30.0  # of processor time, for what takes some hundredths


def symbolic_failure(workers: int | None = None) -> str:
    """What keeps the workers from comparing formulas here; ``""`` if they do, or if none are wanted.

    Starts as many as the first comparison of a training would, and lets each compare a pair. They stay.
    """
    try:
        pairs = [("2x", f"x+x+{index}-{index}") for index in range(worker_count(workers))]
        outcomes = set(compare_symbolically(pairs, deadline=TRIAL_SECONDS, workers=workers))
    except (RuntimeError, ValueError) as error:
        return str(error)
    failed = sorted(outcomes - {"equal"})
    return f"the processes that compare formulas do not work ({', '.join(failed)}); see the log" if failed else ""
