"""What the machine gives: Python, platform, ways to start processes, and a limit on their memory."""

from __future__ import annotations

import multiprocessing
import os
import platform
import subprocess
import sys
from collections.abc import Iterator

from grpo_rewards.preflight.report import Finding

__all__ = ["found"]

LEAST_PYTHON, NEWEST_TESTED = (3, 11), (3, 13)
TRIAL_SECONDS_OF_MEMORY = 60
# Takes twice what it may, as a formula that explodes does in a worker.
MEMORY_TRIAL = """
import resource
most = 1 << 30
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
most = most if hard == resource.RLIM_INFINITY else min(most, hard)
try:
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    bytearray(2 * most)
    print("taken")
except MemoryError:
    print("refused")
"""


def found() -> Iterator[Finding]:
    """Yields a finding for Python, the platform, the ways to start processes, and the limit on memory."""
    yield _python()
    yield _platform()
    yield _start_methods()
    yield _memory_limit()


def _python() -> Finding:
    its = sys.version_info[:2]
    message = f"{platform.python_version()} ({platform.python_implementation()}) at {sys.executable}"
    if its < LEAST_PYTHON:
        return Finding("error", "python", f"{message}: too old.", "Use Python 3.11, 3.12 or 3.13.")
    if its > NEWEST_TESTED:
        return Finding("note", "python", f"{message}: newer than what was tried.", "3.11 to 3.13 are tested.")
    return Finding("fine", "python", message)


def _platform() -> Finding:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    message = f"{platform.platform()}, {cores} core{'' if cores == 1 else 's'} for this process"
    if sys.platform != "linux":
        return Finding("warning", "platform", f"{message}. The package was only ever run on Linux.")
    return Finding("fine", "platform", message)


def _start_methods() -> Finding:
    offered = multiprocessing.get_all_start_methods()  # the first one is the default
    message = f"{offered[0]} by default; {', '.join(offered)}"
    if not hasattr(os, "fork"):
        return Finding("warning", "start methods", f"{message}. Without fork, no symbolic worker can be started.")
    return Finding("fine", "start methods", message)


def _memory_limit() -> Finding:
    """Whether a process that takes more memory than it may is refused, tried in one."""
    if not hasattr(os, "fork"):
        return Finding("note", "memory limit", "There are no workers here whose memory could be limited.")
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", MEMORY_TRIAL],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TRIAL_SECONDS_OF_MEMORY,
        )
        outcome = done.stdout.strip() or (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    except (OSError, subprocess.TimeoutExpired) as error:
        outcome = str(error)
    if outcome == "refused":
        return Finding("fine", "memory limit", "A process that takes more than it may is refused.")
    why = "a process may take more than its limit" if outcome == "taken" else f"it could not be tried ({outcome})"
    message = f"The memory of symbolic workers has no bound here: {why}."
    return Finding("warning", "memory limit", message, "Their deadlines still hold. Leave memory free for them.")
