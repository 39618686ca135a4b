"""Whether rewards find their way into another process, by sending them to one."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_rewards.preflight.distinct_names import logged_name
from grpo_rewards.preflight.report import Finding
from grpo_rewards.registry.errors import listed

__all__ = ["pickling"]

SECONDS_TO_UNPICKLE = 60  # for a process to start and to import what the rewards need
REMEDY = (
    "GRPOTrainer does not send rewards to processes; asynchronous trainers, Ray and datasets' num_proc do. Define it "
    "at the top of a module, with its options bound instead of caught in a closure."
)
CHILD = """
import json, pickle, sys
path, rewards = pickle.load(sys.stdin.buffer)
sys.path[:] = path
failures = {}
for name, pickled in rewards:
    try:
        pickle.loads(pickled)
    except BaseException as error:
        failures[name] = f"{type(error).__name__}: {error}"
print("\\n" + json.dumps(failures))
"""


def pickling(rewards: Sequence[Any]) -> Iterator[Finding]:
    """Notes about rewards that cannot be sent to another process, which only some trainers do."""
    pickled: list[tuple[str, bytes]] = []
    failures: dict[str, str] = {}
    for one in rewards:
        name = logged_name(one)
        if isinstance(one, str):
            continue  # a model's id
        try:
            pickled.append((name, pickle.dumps(one)))
        except Exception as error:  # noqa: BLE001  # an object of a user's may raise anything here
            failures[name] = f"{type(error).__name__}: {error}"
    # of the script that runs; a process that looked for it there would run that script again
    in_script = [name for name, data in pickled if b"__main__" in data]
    there = [one for one in pickled if one[0] not in in_script]
    failures |= _sent(there) if there else {}
    for name, why in failures.items():
        yield Finding("note", "pickling", f"{name} cannot be sent to another process: {why[:200]}.", REMEDY, name)
    if in_script:
        message = f"{listed(in_script)}: defined in the script that runs, where other processes may not find it."
        yield Finding("note", "pickling", message, REMEDY)
    if pickled and not failures and not in_script:
        yield Finding("fine", "pickling", f"{listed(name for name, _ in pickled)} arrived in another process.")


def _sent(pickled: list[tuple[str, bytes]]) -> dict[str, str]:
    """Why rewards could not be unpickled in a process of their own, by name."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", CHILD],
            input=pickle.dumps((sys.path, pickled)),
            capture_output=True,
            timeout=SECONDS_TO_UNPICKLE,
        )
        found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {name: f"the process did not end within {SECONDS_TO_UNPICKLE} s" for name, _ in pickled}
    except (OSError, IndexError, ValueError) as error:
        return {name: f"the process failed ({error})" for name, _ in pickled}
    return found
