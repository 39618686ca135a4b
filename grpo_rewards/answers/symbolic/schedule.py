"""Shares the workers' time among the rows of a call, and remembers what comparisons came to.

Look here if a call takes long, or a row is not decided in time.

A row requests one pair after the other and is over at the first that cannot be decided in time. What it receives
depends on the pairs that it requested and on nothing else in the call, so that its verdict does not either. All rows
take turns, and what is short comes before what is long.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grpo_rewards.answers.symbolic import pool
from grpo_rewards.answers.symbolic.pool import Found, worker_count

Pair: TypeAlias = tuple[str, str]  # a gold and a prediction, both LaTeX without $
Known: TypeAlias = Mapping[Pair, bool | None]  # whether a pair is equal; None if computer algebra cannot decide
NextPair: TypeAlias = Callable[[Known], Pair | None]

EQUALITY_BY_OUTCOME = {"equal": True, "different": False, "undecided": None}
# What happened to a pair from outside, or at the end of a call, shows nothing about the pair.
FROM_OUTSIDE = ("worker_killed", "call_timeout")
KEPT_PAIRS = 2_048  # when there are more, all are forgotten; a pair has at most 10,000 characters
ROW_DEADLINES = 4  # that all pairs of a row may take together
CONCLUDING_SECONDS = 1.0  # after the end of a call, for what rows conclude from the last results


@dataclass(frozen=True)
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


def forget() -> None:
    """Forgets everything."""
    _kept.clear()


_waited = threading.local()


def symbolic_seconds() -> float:
    """Seconds by the clock that this thread has waited for symbolic comparisons since it began."""
    return getattr(_waited, "seconds", 0.0)


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
    ends = [""] * len(rows)
    count = worker_count(limits.workers)
    if count == 0:
        return ends
    begun = time.monotonic()
    compared: dict[Pair, Found] = {}

    def row(index: int) -> Iterator[Pair]:  # begins once the pool runs, so that its start takes no time of the rows
        ends[index] = yield from _requests(rows[index], compared, limits.deadline, until + CONCLUDING_SECONDS)

    try:
        pool.start()
        until += time.monotonic() - begun
        every = [row(index) for index in range(len(rows))]
        while requests := {pair for one in every if (pair := next(one, None))}:
            pairs = sorted(requests, key=lambda pair: (len("".join(pair)), pair))
            found = pool.compare_in_time(pairs, deadline=limits.deadline, workers=count, until=until)
            compared.update(zip(pairs, found, strict=True))
    finally:
        _waited.seconds = symbolic_seconds() + time.monotonic() - begun
    return ends


def _requests(
    next_pair: NextPair, compared: Mapping[Pair, Found], deadline: float, until: float
) -> Generator[Pair, None, str]:
    """Each pair that a row needs next and nobody has compared before, until ``compared`` has it; then the row's end.

    The processor time is counted that its pairs and finding out which it needs have taken.
    """
    known: dict[Pair, bool | None] = {}
    spent = 0.0
    while time.monotonic() < until:
        begun = time.thread_time()
        pair = next_pair(known)
        spent += time.thread_time() - begun
        if pair is None:
            return ""
        if spent >= ROW_DEADLINES * deadline:
            return "timeout"
        key = (*pair, deadline)
        found = _kept.get(key)
        if found is None:
            yield pair
            found = compared[pair]
            if len(_kept) >= KEPT_PAIRS:
                _kept.clear()
            if found.outcome not in FROM_OUTSIDE:
                _kept[key] = found
        spent += found.seconds
        if found.outcome not in EQUALITY_BY_OUTCOME:
            return found.outcome
        known[pair] = EQUALITY_BY_OUTCOME[found.outcome]
    return "call_timeout"
