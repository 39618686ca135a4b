"""Clauses about other threads and processes, in which trainers call a reward."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

from grpo_rewards.registry.errors import shown
from grpo_rewards.testing.case import Case, same
from grpo_rewards.testing.clause import clause
from grpo_rewards.testing.spawned import given_in_spawned

__all__ = ["pickled", "spawned", "threads"]

THREADS, CALLS_IN_THREADS = 8, 24
OFTEN = 1e-5  # seconds between switches of threads


@clause("Keep what a call needs in local variables: several threads call one reward at once.")
def threads(case: Case) -> str | None:
    """Threads at once get what one gets."""
    calls = [case.groups[at % len(case.groups)] for at in range(CALLS_IN_THREADS)]
    alone = [case.give(rows) for rows in calls]
    before = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            together = list(pool.map(case.give, calls))
    finally:
        sys.setswitchinterval(before)
    for rows, one, other in zip(calls, alone, together, strict=True):
        if not same(one, other):
            return f"{shown(rows[0]['completion'])} earned {one[0]!r} alone, and {other[0]!r} beside other threads"
    return None


@clause("Define it at the top level of a module, and keep in its options only what can be pickled.")
def pickled(case: Case) -> str | None:
    """It can be pickled, and comes back as the same reward."""
    back = pickle.loads(pickle.dumps(case.reward))
    if getattr(back, "__name__", None) != getattr(case.reward, "__name__", None):
        return f"it came back with the name {getattr(back, '__name__', None)!r}"
    given = Case(back, case.rows, case.group).give(case.rows)
    return None if same(given, case.values) else f"it came back, and gave {shown(given)} for {shown(case.values)}"


@clause("Have its module do all that it needs on import: another process imports it, and knows no more of this one.")
def spawned(case: Case) -> str | None:
    """A process that is started afresh gets the same numbers."""
    wanted = case.values
    try:
        pickle.dumps(case.reward)
    except Exception:  # noqa: BLE001  # foreign code; the clause above reports that
        return None
    given = given_in_spawned(case)
    if isinstance(given, str):
        return given
    return None if same(given, wanted) else f"it gave {shown(given)} there for {shown(wanted)}"
