"""How many processes compare here, and what a platform cannot do for it. Look here if none are started, or too many."""

from __future__ import annotations

import os
import sys

__all__ = ["VARIABLE", "symbolic_warnings", "worker_count"]

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
