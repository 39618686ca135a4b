"""Shares the workers' time among the rows of a call, and remembers what comparisons came to.

Look here if a call takes long, or a row is not decided in time.

A row requests one pair after the other and is over at the first that cannot be decided in time. What it receives
depends on the pairs that it requested and on nothing else in the call, so that its verdict does not either. All rows
take turns, and what is short comes before what is long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from grpo_rewards.answers.symbolic import pool
from grpo_rewards.answers.symbolic.pool import Found, worker_count

Pair: TypeAlias = tuple[str, str]  # a gold and a prediction, both LaTeX without $
Known: TypeAlias = Mapping[Pair, bool | None]  # whether a pair is equal; None if computer algebra cannot decide
NextPair: TypeAlias = Callable[[Known], Pair | None]

EQUALITY_BY_OUTCOME = {"equal": True, "different": False, "undecided": None}
# What happened to a pair from outside, or at the end of a call, shows nothing about the pair.
OF_THE_PAIR = frozenset((*EQUALITY_BY_OUTCOME, "timeout", "crashed"))
KEPT_PAIRS = 8_192  # pairs; when there are so many, all are forgotten
KEPT_CHARACTERS = 1_000  # of a pair; longer ones are not kept, so that all take some 10 MB at most
ROW_DEADLINES = 4  # that all pairs of a row may take together
CONCLUDING_SECONDS = 1.0  # after the end of a call, for what rows conclude from the last results


@dataclass(frozen=True, slots=True)
class SymbolicLimits:
    """How long symbolic comparisons may take.

    Attributes:
        deadline: seconds of processor time for one pair of formulas. All pairs of one answer together may take four
            times as long.
        workers: how many processes compare; ``None``: as ``GRPO_REWARDS_WORKERS`` says, else by the number of cores.
        call_deadline: seconds by the clock for all answers of one call.
    """

    deadline: float = 1.0
    workers: int | None = None
    call_deadline: float = 60.0


# What pairs came to, by pair and deadline: that depends on nothing else, so remembering it changes no verdict. Each
# access is a single step, so threads need no lock, and a fork never copies it half written.
_kept: dict[tuple[str, str, float], Found] = {}


def recall(pair: Pair, deadline: float) -> Found | None:
    """What a pair came to before, with the same deadline; ``None`` if that is not known."""
    return _kept.get((*pair, deadline))


def keep(pair: Pair, deadline: float, found: Found) -> None:
    """Remembers what a pair came to, unless it was not the pair's own doing, or the pair is long."""
    if found.outcome in OF_THE_PAIR and len(pair[0]) + len(pair[1]) <= KEPT_CHARACTERS:
        if len(_kept) >= KEPT_PAIRS:
            _kept.clear()
        _kept[(*pair, deadline)] = found


def forget() -> None:
    """Forgets everything."""
    _kept.clear()


class _Waited(threading.local):
    seconds = 0.0


_waited = _Waited()


def symbolic_seconds() -> float:
    """Seconds by the clock that this thread has waited for symbolic comparisons since it began."""
    return _waited.seconds


def settle(rows: Sequence[NextPair], limits: SymbolicLimits, until: float) -> list[str]:
    """Gives each row the results that it requests, until it requests no more.

    Args:
        rows: for each row, which pair it needs next, depending on what it knows. What it receives never changes, so
            the row keeps what it concludes from it.
        until: when, by ``time.monotonic``, all must end. The start of the first process is not counted.

    Returns:
        For each row ``""``, or why it was given up: ``timeout`` or ``crashed``, of which it is guilty, or
        ``worker_killed`` or ``call_timeout``, of which it is innocent.

    Raises:
        RuntimeError, ValueError: no process can be started; see ``pool.compare_in_time``.
    """
    count = worker_count(limits.workers)
    ends = [""] * len(rows)
    if count == 0:
        return ends
    begun = time.monotonic()
    requesting = [_requests(next_pair, limits.deadline) for next_pair in rows]
    received: dict[int, Found | None] = dict.fromkeys(range(len(rows)))
    has_started = False
    try:
        while received:
            needed: dict[int, Pair] = {}
            for row, found in received.items():
                has_given_up = found is not None and found.outcome not in EQUALITY_BY_OUTCOME
                if time.monotonic() >= until + CONCLUDING_SECONDS and not has_given_up:
                    ends[row] = "call_timeout"
                    continue
                try:
                    needed[row] = requesting[row].send(found)
                except StopIteration as end:
                    ends[row] = end.value
            if needed and not has_started:
                before = time.monotonic()
                pool.start()
                until += time.monotonic() - before
                has_started = True
            compared = _compared(needed.values(), limits.deadline, count, until) if needed else {}
            received = {row: compared[pair] for row, pair in needed.items()}
    finally:
        _waited.seconds += time.monotonic() - begun
    return ends


def _requests(next_pair: NextPair, deadline: float) -> Generator[Pair, Any, str]:
    """Yields one pair after the other that a row needs, and receives what it came to. Returns why the row was given up.

    What was decided before is not requested. The row may take ``ROW_DEADLINES`` deadlines, of processor time for its
    pairs and for finding out which it needs.
    """
    known: dict[Pair, bool | None] = {}
    spent = 0.0
    while True:
        begun = time.thread_time()
        pair = next_pair(known)
        spent += time.thread_time() - begun
        if pair is None:
            return ""
        if spent >= ROW_DEADLINES * deadline:
            return "timeout"
        found = recall(pair, deadline) or (yield pair)
        if found.outcome not in EQUALITY_BY_OUTCOME:
            return found.outcome
        known[pair] = EQUALITY_BY_OUTCOME[found.outcome]
        spent += found.seconds


def _compared(needed: Iterable[Pair], deadline: float, count: int, until: float) -> dict[Pair, Found]:
    """What was found about each of the pairs, the short ones first; it is remembered."""
    pairs = sorted(dict.fromkeys(needed), key=lambda pair: len("".join(pair)))
    found = pool.compare_in_time(pairs, deadline=deadline, workers=count, until=until)
    for pair, one in zip(pairs, found, strict=True):
        keep(pair, deadline, one)
    return dict(zip(pairs, found, strict=True))
