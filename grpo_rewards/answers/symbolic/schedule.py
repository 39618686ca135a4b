"""Shares the workers' time among the rows of a call, and remembers what comparisons came to.

Look here if a call takes long, or a row is not decided in time.

A row requests one pair after the other and is over at the first that cannot be decided in time. What it receives
depends on the pairs that it requested and on nothing else in the call, so that its verdict does not either. All rows
take turns, and what is short comes before what is long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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


@dataclass
class _Row:
    """A row, what it received, and the processor time that its pairs and finding out which it needs have taken.

    ``end`` is ``None`` while it needs more; then ``""``, or why it was given up.
    """

    next_pair: NextPair
    deadline: float
    known: dict[Pair, bool | None] = field(default_factory=dict)
    spent: float = 0.0
    end: str | None = None

    def receive(self, pair: Pair, found: Found) -> None:
        self.spent += found.seconds
        if found.outcome in EQUALITY_BY_OUTCOME:
            self.known[pair] = EQUALITY_BY_OUTCOME[found.outcome]
        else:
            self.end = found.outcome

    def request(self) -> Pair | None:
        """The pair that it needs next and nobody has compared before; ``None`` once it is over."""
        while self.end is None:
            begun = time.thread_time()
            pair = self.next_pair(self.known)
            self.spent += time.thread_time() - begun
            if pair is None:
                self.end = ""
            elif self.spent >= ROW_DEADLINES * self.deadline:
                self.end = "timeout"
            elif (found := _kept.get((*pair, self.deadline))) is not None:
                self.receive(pair, found)
            else:
                return pair
        return None


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
        pool.start()
        until += time.monotonic() - begun
        while requests := list(_requests(every, until)):
            pairs = sorted({pair for _, pair in requests}, key=lambda pair: (len("".join(pair)), pair))
            found = pool.compare_in_time(pairs, deadline=limits.deadline, workers=count, until=until)
            compared = dict(zip(pairs, found, strict=True))
            if len(_kept) + len(pairs) > KEPT_PAIRS:
                _kept.clear()
            _kept.update(
                ((*pair, limits.deadline), one) for pair, one in compared.items() if one.outcome in OF_THE_PAIR
            )
            for row, pair in requests:
                row.receive(pair, compared[pair])
    finally:
        _waited.seconds = symbolic_seconds() + time.monotonic() - begun
    return [row.end or "" for row in every]


def _requests(every: Sequence[_Row], until: float) -> Iterator[tuple[_Row, Pair]]:
    """The rows that are not over, each with the pair that it needs next. At the end of the call all are over."""
    for row in every:
        if row.end is None and time.monotonic() >= until + CONCLUDING_SECONDS:
            row.end = "call_timeout"
        elif pair := row.request():
            yield row, pair
