"""Shares the workers' time among the rows of a call, and remembers what comparisons came to.

Look here if a call takes long, or a row is not decided in time.

A row requests one pair after the other and is over at the first that cannot be decided in time. What it receives
depends on the pairs that it requested and on nothing else in the call, so that its verdict does not either. All rows
take turns, and what is short comes before what is long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

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


@dataclass(eq=False)
class _Row:
    """A row that requests pairs.

    Attributes:
        next_pair: the pair that it needs, by what it knows; ``None`` if it needs none.
        deadline: of each of its pairs.
        pair: which it needs now.
        known: the results that it received.
        spent: seconds of processor time that these took, and that it took to name what it needs.
        gave_up: why it ended undecided, such as ``timeout``.
    """

    next_pair: NextPair
    deadline: float
    pair: Pair | None = None
    known: dict[Pair, bool | None] = field(default_factory=dict)
    spent: float = 0.0
    gave_up: str = ""

    def go_on(self, until: float) -> None:
        """Finds out which pair it needs now, of those that were not decided before, unless the call has ended."""
        while not self.gave_up:
            if time.monotonic() >= until + CONCLUDING_SECONDS:
                self.give_up("call_timeout")
                return
            begun = time.thread_time()
            self.pair = self.next_pair(self.known)
            self.spent += time.thread_time() - begun
            if self.pair is None:
                return
            if self.spent >= ROW_DEADLINES * self.deadline:
                self.give_up("timeout")
                return
            found = recall(self.pair, self.deadline)
            if found is None:
                return
            self.receive(self.pair, found)

    def receive(self, pair: Pair, found: Found) -> None:
        """Takes in what a pair came to."""
        if found.outcome in EQUALITY_BY_OUTCOME:
            self.known[pair] = EQUALITY_BY_OUTCOME[found.outcome]
            self.spent += found.seconds
        else:
            self.give_up(found.outcome)

    def give_up(self, why: str) -> None:
        self.pair, self.gave_up = None, why


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
    if count == 0:
        return [""] * len(rows)
    begun = time.monotonic()
    every = [_Row(next_pair, limits.deadline) for next_pair in rows]
    try:
        for row in every:
            row.go_on(until)
        if any(row.pair is not None for row in every):
            before = time.monotonic()
            pool.start()
            _take_turns(every, limits.deadline, count, until + time.monotonic() - before)
    finally:
        _waited.seconds += time.monotonic() - begun
    return [row.gave_up for row in every]


def _take_turns(rows: Sequence[_Row], deadline: float, count: int, until: float) -> None:
    """Gives rows what they request, batch by batch, until none needs a pair or the call ends."""
    while rows := [row for row in rows if row.pair is not None]:
        ordered = sorted(rows, key=lambda row: len("".join(row.pair or ())))
        pairs = list(dict.fromkeys(row.pair for row in ordered if row.pair is not None))
        found = dict(
            zip(pairs, pool.compare_in_time(pairs, deadline=deadline, workers=count, until=until), strict=True)
        )
        for pair, one in found.items():
            keep(pair, deadline, one)
        for row in rows:
            if row.pair is not None:
                row.receive(row.pair, found[row.pair])
                row.go_on(until)
