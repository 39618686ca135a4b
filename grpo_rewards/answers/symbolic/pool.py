"""Compares formulas in processes that can be killed: the side of the training process.

The first comparison starts one child process, the *broker*, from its file. So the user's script does not run again, no
CUDA context is inherited, and it works in threads and in daemonic processes. If the training process is forked, the
fork starts a broker of its own. ``worker.py`` describes what a broker does.
"""

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from grpo_rewards.answers.symbolic.worker import receive, send

# How many processes compare here, and what a platform cannot do for it. Look here if none are started, or too many.

VARIABLE = "GRPO_REWARDS_WORKERS"
MOST_WORKERS = 4  # by default, for each training process
NOT_COMPARED = "Answers that need computer algebra, such as integrals and sums, are not compared and earn no reward."


def worker_count(workers: int | None = None) -> int:
    """How many processes compare if the option is ``workers``; 0 if this platform cannot start any.

    Without the option, the environment variable says how many, or else the number of cores.

    Raises:
        ValueError: the number is below 0, or the environment variable is no number.
    """
    if workers is not None and workers < 0:
        raise ValueError(f"workers={workers}: write 0 or more, or None")
    if not hasattr(os, "fork"):
        return 0
    if workers is not None:
        return workers
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        if not named.isdecimal():
            raise ValueError(f"{VARIABLE}={named!r}: write a whole number of processes, or 0 for none")
        return int(named)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    ranks = os.environ.get("LOCAL_WORLD_SIZE", "")  # training processes that share these cores
    return min(max(cores // max(int(ranks) if ranks.isdecimal() else 1, 1), 1), MOST_WORKERS)


def symbolic_warnings() -> tuple[str, ...]:
    """What symbolic comparison cannot do on this platform and in this environment, as sentences to warn with.

    ``()`` on Linux, unless ``GRPO_REWARDS_WORKERS`` is 0.
    """
    named = os.environ.get(VARIABLE, "").strip()
    if not hasattr(os, "fork"):
        return (f"On Windows, no worker process can be started. {NOT_COMPARED}",)
    if named.isdecimal() and int(named) == 0:
        return (f"{VARIABLE}={named} turns symbolic comparison off, unless a reward sets workers. {NOT_COMPARED}",)
    if sys.platform == "darwin":
        return ("On macOS, a worker process may use any amount of memory until its deadline.",)
    return ()


# Starts the broker, and sends it batches of pairs. Look here if it starts wrongly, or if a comparison ends wrongly.

BROKER = Path(__file__).with_name("worker.py")
DECIDER = Path(__file__).with_name("decide.py")

# The broker gets no other environment variables, and so no tokens and no keys.
PASSED_ON_VARIABLE = re.compile(
    "PATH|HOME|USER|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|LD_LIBRARY_PATH|DYLD_.*|VIRTUAL_ENV|CONDA_PREFIX"
    "|PYTHONHOME|PYTHONNOUSERSITE|PYTHONPYCACHEPREFIX|PYTHONDONTWRITEBYTECODE"
)
# A fixed order of sets and a single thread, so that every process decides a pair alike.
FIXED_VARIABLES = {"PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
LONGEST_DEADLINE = 600.0  # seconds
START_SECONDS = 120.0  # that a broker may take to start: a second is usual, but a network disk can be slow
LATE_SECONDS = 5.0  # that the outcomes may come late, on a busy machine
ENDING_SECONDS = 1.0  # that a broker which has hung up may take to end
ATTEMPTS = 2  # at one batch, if the broker is killed before or during it; its formulas cannot be to blame
TRIAL_SECONDS = 30.0  # of processor time, for what takes some hundredths

logger = logging.getLogger(__name__)


class Found(NamedTuple):
    """What a comparison of a pair came to, and how many seconds of processor time it took."""

    outcome: str
    seconds: float = 0.0


def compare_in_time(
    pairs: Sequence[tuple[str, str]], *, deadline: float, workers: int | None = None, until: float | None = None
) -> list[Found]:
    """Compares each of the unique pairs (answer, prediction), both LaTeX without ``$``.

    Threads may call it, and then take turns; so may a signal handler. The first call takes a second longer.

    Args:
        deadline: seconds of a worker's processor time for each pair; a busy machine does not shorten it.
        workers: how many processes compare. ``None``: as the environment variable ``GRPO_REWARDS_WORKERS`` says, or
            else one for each core of this process, at most 4. 0: no process is started and all pairs are undecided,
            as always on Windows.
        until: when, by ``time.monotonic``, all pairs together must end; ``None``: ten minutes from now.

    Returns:
        What was found about each pair, in order. The outcome is ``equal``, ``different``, ``undecided`` (one cannot be
        parsed, or comparing them failed), ``timeout`` (it used up its deadline), ``crashed`` (its worker ran out of the
        memory that it may use, or crashed), ``worker_killed`` (from outside, or it had no processor) or
        ``call_timeout`` (at ``until`` it was not decided). Of the last two the pair is innocent.

    Raises:
        RuntimeError: no process can be started.
        ValueError: the deadline or the number of workers is out of range.
    """
    global _broker
    count = worker_count(workers)
    if not 0 < deadline <= LONGEST_DEADLINE:
        raise ValueError(f"deadline={deadline}: it must be above 0 and at most {LONGEST_DEADLINE:g} seconds")
    if not pairs or not count:
        return [Found("undecided")] * len(pairs)
    until = time.monotonic() + LONGEST_DEADLINE if until is None else until
    with _lock:
        for _ in range(ATTEMPTS):
            if time.monotonic() >= until:
                break
            try:
                broker, _broker = _broker or _Broker(), None
                found = broker.found({"pairs": list(pairs), "deadline": deadline, "workers": count}, until)
            except _KilledError as killed:
                logger.warning("the process that compares formulas has ended: %s", killed)
                continue
            _keep(broker)
            return found
    return [Found("worker_killed" if time.monotonic() < until else "call_timeout")] * len(pairs)


def start() -> None:
    """Starts the broker if none is running, so that the first comparison need not wait for it.

    A broker that is killed meanwhile is left to the first comparison, which starts it again.

    Raises:
        RuntimeError: it cannot be started.
    """
    with _lock, suppress(_KilledError):
        if _broker is None:
            _keep(_Broker())


def close() -> None:
    """Ends the broker and its workers. The next comparison starts new ones."""
    global _broker
    ended, _broker = _broker, None
    if ended is not None:
        ended.close()


def symbolic_failure(workers: int | None = None) -> str:
    """What keeps the workers from comparing formulas here; ``""`` if they do, or if none are wanted.

    Starts as many as the first comparison of a training would, and lets each compare a pair. They stay.
    """
    try:
        pairs = [("2x", f"x+x+{index}-{index}") for index in range(worker_count(workers))]
        outcomes = {one.outcome for one in compare_in_time(pairs, deadline=TRIAL_SECONDS, workers=workers)}
    except (RuntimeError, ValueError) as error:
        return str(error)
    failed = sorted(outcomes - {"equal"})
    return f"the processes that compare formulas do not work ({', '.join(failed)}); see the log" if failed else ""


class _KilledError(EOFError):
    """The broker was killed while it started or compared, or is silent for too long."""


class _Broker:
    """A running broker, which compares for one caller at a time. ``close`` kills it and its workers."""

    def __init__(self) -> None:
        passed_on = {name: value for name, value in os.environ.items() if PASSED_ON_VARIABLE.fullmatch(name)}
        self.channel, theirs = socket.socketpair()
        try:
            with theirs:
                settings = {"decider": str(DECIDER), "parent": os.getpid(), "import_path": _import_path()}
                self.process = subprocess.Popen(
                    [sys.executable, str(BROKER), json.dumps(settings)],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd=os.path.sep,
                    env=passed_on | FIXED_VARIABLES,
                    start_new_session=True,  # Ctrl-C is for the training process
                )
        except (OSError, ValueError) as error:  # ValueError: an executable without a name
            self.channel.close()
            raise _cannot_start(str(error)) from error
        self.close = weakref.finalize(self, _end, os.getpid(), self.process, self.channel)
        message = self._reply(time.monotonic() + START_SECONDS)
        if message == "ready":
            return
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=ENDING_SECONDS)
        status = self.process.returncode  # None for one that is still there
        self.close()
        if message is None and status and status < 0:
            raise _KilledError(f"signal {-status} while it started")
        raise _cannot_start(f"{message or 'no sign of life'}\n(exit status {status})")

    def found(self, batch: dict[str, Any], until: float) -> list[Found]:
        """What is found about a batch, at most a little after ``until``. Raises ``_KilledError``."""
        message = self._reply(until + LATE_SECONDS, {**batch, "seconds": until - time.monotonic()})
        if message is None:
            self.close()
            raise _KilledError("it is gone, or silent")
        return [Found(*one) for one in message]

    def _reply(self, until: float, request: dict[str, Any] | None = None) -> Any:
        """The broker's next message, after a request is sent; ``None`` if it is gone, or sends none in time."""
        try:
            self.channel.settimeout(min(max(until - time.monotonic(), 0.01), threading.TIMEOUT_MAX))
            if request is not None:
                send(self.channel, request)
            return receive(self.channel)
        except (ConnectionError, EOFError):
            return None
        except BaseException as error:  # KeyboardInterrupt too: the next call must not receive the outcomes of this one
            if isinstance(error, TimeoutError) and time.monotonic() >= until:
                return None
            self.close()  # a signal handler of the caller may raise TimeoutError, too
            raise


# A thread may take its own lock again, as a signal handler does that compares amid a comparison.
_lock = threading.RLock()
_broker: _Broker | None = None  # which is idle; while it compares, a handler starts another one


def _keep(broker: _Broker) -> None:
    """Keeps an idle broker for the next comparison, unless there is one by now."""
    global _broker
    if _broker is None:
        _broker = broker
    else:
        broker.close()


def _import_path() -> list[str]:
    """Where the broker imports from: as this process does, but last from the script's folder and the working directory.

    These may hold a ``sympy.py`` or the like that is not meant.
    """
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = os.path.sep
    entries = [os.path.normpath(os.path.join(here, entry)) for entry in sys.path if isinstance(entry, str)]
    script = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    last = (here, os.path.dirname(os.path.join(here, script)))
    return sorted(entries, key=lambda entry: entry in last)


def _cannot_start(why: str) -> RuntimeError:
    return RuntimeError(
        f"the process that compares formulas does not start with {sys.executable!r}:\n{why}\n"
        f"Install math-verify for this Python, or set {VARIABLE}=0 to do without symbolic comparison."
    )


def _end(owner: int, process: subprocess.Popen[bytes], channel: socket.socket) -> None:
    """Kills a broker and its workers; a forked child only drops what it inherited."""
    channel.close()
    if os.getpid() != owner:
        process.returncode = 0  # not ours to wait for
    # Nobody has waited for the process yet. So even if it is dead, no other process or group can have its id.
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):  # macOS: PermissionError for a process that is ending
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)


def _forget() -> None:
    """Runs in a forked child: the broker belongs to the parent, and a thread of the parent may have held the lock."""
    global _lock
    close()
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
