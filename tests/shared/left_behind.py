"""What a test may not leave behind for the next one: the state of the process, of its libraries and of its children.

Libraries are looked at only where they are imported already.
"""

import decimal
import locale
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from processes import end_with_children

__all__ = ["end_left_processes", "shared_state", "what_differs"]

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2) if os.name == "posix" else (signal.SIGINT,)
GRACE = 5.0  # seconds in which threads and processes that are ending may end
State = dict[str, Any]


def shared_state() -> State:
    """What tests share, by name; two states are compared with ``==``."""
    return {name: look() for name, look in LOOKS.items()}


def what_differs(before: State) -> list[str]:
    """A line for each part of the state that is not as it was ``before``; what has ended since is no fault."""
    end = time.monotonic() + GRACE
    while _may_end_yet(before, after := shared_state()) and time.monotonic() < end:
        time.sleep(0.02)
    return [f"{name}: {_shown(before[name], after[name])}" for name in before if _differs(before[name], after[name])]


def end_left_processes(before: State) -> None:
    """Kills the processes that were not there ``before``, which would go on beside the next tests."""
    for pid in _child_processes().keys() - before["child processes"].keys():
        end_with_children(pid)


def _may_end_yet(before: State, after: State) -> bool:
    return any(_differs(before[name], after[name]) for name in ("threads", "child processes"))


def _differs(before: Any, after: Any) -> bool:
    if isinstance(before, Running):
        return not after.keys() <= before.keys()
    return bool(before != after)


def _shown(before: Any, after: Any) -> str:
    if isinstance(before, Running):
        return ", ".join(after[one] for one in sorted(after.keys() - before.keys()))
    if isinstance(before, dict):
        return ", ".join(
            f"{key} was {before.get(key)!r} and is {after.get(key)!r}"
            for key in sorted({*before, *after}, key=str)
            if before.get(key) != after.get(key)
        )
    return f"was {before!r} and is {after!r}"


class Running(dict[int, str]):
    """Threads or processes by number, with their names."""


# Variables that pytest sets for each test, and torch where it is first imported.
SET_BY_OTHERS = ("PYTEST_CURRENT_TEST", "TORCHINDUCTOR_CACHE_DIR")


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in SET_BY_OTHERS}


def _working_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return "a folder that is gone"


def _threads() -> Running:
    """Those for which the interpreter waits at its end."""
    return Running({id(one): one.name for one in threading.enumerate() if not one.daemon})


def _child_processes() -> Running:
    """Command lines of the children that run, but for those that stay on purpose: the broker of computer algebra."""
    found = Running()
    for path in Path("/proc/self/task").glob("*/children"):  # on Linux only: looked at a thousand times, so no psutil
        try:
            pids = path.read_text().split()
        except OSError:
            continue
        lines = {int(pid): _command_line(pid) for pid in pids}
        found |= {pid: line for pid, line in lines.items() if line and not any(one in line for one in STAYING)}
    return found


STAYING = (
    "forks a process for each script",
    "symbolic/worker.py",
    "multiprocessing.resource_tracker",
    "multiprocessing.forkserver",
)


def _command_line(pid: str) -> str:
    """Empty for a process that has ended, waited for or not."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
    return f"{pid} {words[:200]}" if words else ""


def _of_torch() -> dict[str, Any]:
    """What of torch's state is not usual, so that a test that imports it first is no exception."""
    if (torch := sys.modules.get("torch")) is None or not hasattr(torch, "get_default_dtype"):
        return {}
    usual = {"default dtype": "float32", "gradients": True, "process group": False}
    found = {
        "default dtype": str(torch.get_default_dtype()).removeprefix("torch."),
        "gradients": torch.is_grad_enabled(),
        "process group": torch.distributed.is_available() and torch.distributed.is_initialized(),
    }
    return {name: value for name, value in found.items() if value != usual[name]}


def _of_transformers() -> dict[str, Any]:
    deepspeed = sys.modules.get("transformers.integrations.deepspeed")
    kept = getattr(deepspeed, "_hf_deepspeed_config_weak_ref", None)
    return {"DeepSpeed configuration": None if kept is None else kept()}


def _of_accelerate() -> dict[str, Any]:
    """What of accelerate's state is not that of one process on a CPU, which every trainer makes and may stay."""
    if (state := sys.modules.get("accelerate.state")) is None:
        return {}
    held = {**state.PartialState._shared_state, **state.AcceleratorState._shared_state}
    usual = {"distributed_type": "NO", "num_processes": "1", "deepspeed_plugins": "None", "_mixed_precision": "no"}
    found = {name: str(getattr(held.get(name), "value", held.get(name))) for name in usual if name in held}
    return {name: value for name, value in found.items() if value != usual[name]}


LIMITS: dict[str, Callable[[], Any]] = {
    "recursion": sys.getrecursionlimit,
    "digits": sys.get_int_max_str_digits,
    "decimal precision": lambda: decimal.getcontext().prec,
    "socket timeout": socket.getdefaulttimeout,
    "locale": lambda: locale.setlocale(locale.LC_ALL),
    "level of logs": lambda: logging.root.level,
    "logs disabled": lambda: logging.root.manager.disable,
}
LOOKS: dict[str, Callable[[], Any]] = {
    "environment": _environment,
    "working directory": _working_directory,
    "import path": lambda: list(sys.path),
    "signal handlers": lambda: {number: signal.getsignal(number) for number in SIGNALS},
    "limits": lambda: {name: look() for name, look in LIMITS.items()},
    "threads": _threads,
    "child processes": _child_processes,
    "torch": _of_torch,
    "transformers": _of_transformers,
    "accelerate": _of_accelerate,
}
