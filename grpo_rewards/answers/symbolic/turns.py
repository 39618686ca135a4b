"""Shares the workers' time among the rows of a call, and remembers what comparisons came to.

Look here if a call takes long, or a row is not decided.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grpo_rewards.answers.symbolic import client
from grpo_rewards.answers.symbolic.client import Found, worker_count

# Remembers what comparisons came to, and which shapes of formulas were slow. Look here if a pair is tried again.
#
# What a pair came to depends on nothing but the pair and its deadline, so that remembering it changes no verdict. Which
# shapes were slow only says in which order pairs are tried.

Pair: TypeAlias = tuple[str, str]  # a gold and a prediction, both LaTeX without $

KEPT_PAIRS = 8_192  # pairs; when there are so many, all are forgotten
KEPT_CHARACTERS = 1_000  # of a pair; longer ones are not kept, so that all take some 10 MB at most
KEPT_SHAPES = 1_024
NUMERAL = re.compile(r"\d+")
# What happened to a pair from outside shows nothing about the pair.
OF_THE_PAIR = frozenset(("equal", "different", "undecided", "timeout", "crashed"))

# Each access is a single step, so threads need no lock, and a fork never copies it half written.
_kept: dict[tuple[str, str, float], Found] = {}
_slow: dict[str, int] = {}


def recall(pair: Pair, deadline: float) -> Found | None:
    """What a pair came to before, with the same deadline; ``None`` if that is not known."""
    return _kept.get((*pair, deadline))


def keep(pair: Pair, deadline: float, found: Found) -> None:
    """Remembers what a pair came to, unless it was not the pair's own doing, or the pair is long."""
    if found.outcome in OF_THE_PAIR and len(pair[0]) + len(pair[1]) <= KEPT_CHARACTERS:
        if len(_kept) >= KEPT_PAIRS:
            _kept.clear()
        _kept[(*pair, deadline)] = found


def slowness(pair: Pair) -> int:
    """How slow a pair of this shape was: 0 if that is not known, 1 if not decided at once, 2 if not by its deadline."""
    return _slow.get(_shape(pair), 0) if _slow else 0


def note_slow(pair: Pair, slow: int) -> None:
    """Remembers how slow pairs of this shape are."""
    if len(_slow) >= KEPT_SHAPES:
        _slow.clear()
    shape = _shape(pair)
    _slow[shape] = max(slow, _slow.get(shape, 0))


def forget() -> None:
    """Forgets everything."""
    _kept.clear()
    _slow.clear()


def _shape(pair: Pair) -> str:
    """The start of a pair without its numbers, which is alike for what a model repeats with other numbers."""
    return NUMERAL.sub("#", "|".join(pair)[:KEPT_CHARACTERS])


# Shares the workers' time among the rows of a call. Look here if a call takes long, or a row is not decided in time.
#
# A row requests one pair after the other and is over at the first that cannot be decided in time. What it receives
# depends on the pairs that it requested and on nothing else in the call, so that its verdict does not either. The order
# does. Where the call might end too early for some, a pair is first given a slice of its deadline; what needs more
# takes turns with what was not tried yet, and what looks like a pair that used up its deadline before waits for all
# others. Among equals the row comes first that had fewest turns, and what is short before what is long.

Known: TypeAlias = Mapping[Pair, bool | None]  # whether a pair is equal; None if computer algebra cannot decide
NextPair: TypeAlias = Callable[[Known], Pair | None]

EQUALITY_BY_OUTCOME = {"equal": True, "different": False, "undecided": None}
ROW_DEADLINES = 4  # that all pairs of a row may take together
CONCLUDING_SECONDS = 1.0  # after the end of a call, for what rows conclude from the last results
SLICE = 0.125  # of the deadline, which decides half of what can be decided
HASTE = 4  # the call might end too early if all pairs would use up a fourth of its time: rows may need more pairs
QUICK_PAIRS, SLOW_PAIRS = 16, 1  # for each worker, before the rows are queried again


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
        turns: how many results it received.
        spent: seconds of processor time that these took, and that it took to name what it needs.
        gave_up: why it ended undecided, such as ``timeout``.
    """

    next_pair: NextPair
    deadline: float
    pair: Pair | None = None
    known: dict[Pair, bool | None] = field(default_factory=dict)
    turns: int = 0
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
            if self.pair is not None and self.spent >= ROW_DEADLINES * self.deadline:
                self.give_up("timeout")
            found = None if self.pair is None else recall(self.pair, self.deadline)
            if found is None:
                return
            self.receive(found)

    def receive(self, found: Found) -> None:
        """Takes in what the pair that it needs came to."""
        if self.pair is None:
            return
        if found.outcome not in EQUALITY_BY_OUTCOME:
            self.give_up(found.outcome)
            return
        self.known[self.pair] = EQUALITY_BY_OUTCOME[found.outcome]
        self.spent += found.seconds
        self.turns += 1

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
        RuntimeError, ValueError: no process can be started; see ``client.compare_in_time``.
    """
    count = worker_count(limits.workers)
    if count == 0:
        return [""] * len(rows)
    begun = time.monotonic()
    pending = [_Row(next_pair, limits.deadline) for next_pair in rows]
    try:
        for row in pending:
            row.go_on(until)
        if any(row.pair is not None for row in pending):
            before = time.monotonic()
            client.start()
            _Turns(limits.deadline, count, until + time.monotonic() - before).take(pending)
    finally:
        _waited.seconds += time.monotonic() - begun
    return [row.gave_up for row in pending]


class _Turns:
    """Gives rows what they request, batch by batch, with as many workers as ``count`` says."""

    def __init__(self, deadline: float, count: int, until: float) -> None:
        self.deadline, self.count, self.until = deadline, count, until
        self.sliced: set[Pair] = set()  # pairs that a slice of the deadline did not decide
        self.was_quick = False  # whether the batch before was of pairs that had not been tried

    def take(self, rows: Sequence[_Row]) -> None:
        """Goes on until no row needs a pair, or the call ends."""
        while rows := [row for row in rows if row.pair is not None]:
            pairs, limit = self._chosen(rows)
            found = self._found(pairs, limit)
            for row in rows:
                if row.pair in found:
                    row.receive(found[row.pair])
                    row.go_on(self.until)
                elif time.monotonic() >= self.until:
                    row.give_up("call_timeout")

    def _found(self, pairs: list[Pair], limit: float) -> dict[Pair, Found]:
        """What was found about those of the pairs that need no further try."""
        found = client.compare_in_time(pairs, deadline=limit, workers=self.count, until=self.until)
        final: dict[Pair, Found] = {}
        for pair, one in zip(pairs, found, strict=True):
            if one.outcome in EQUALITY_BY_OUTCOME or one.outcome == "call_timeout" or limit == self.deadline:
                final[pair] = one
                keep(pair, self.deadline, one)
                if one.outcome in ("timeout", "crashed"):
                    note_slow(pair, 2)
            else:  # whatever ended it within its slice, it has a right to all its time
                self.sliced.add(pair)
                note_slow(pair, 1)
        return final

    def _chosen(self, rows: Sequence[_Row]) -> tuple[list[Pair], float]:
        """The pairs that come next, in order, and how many seconds each may take now."""
        turns: dict[Pair, int] = {}  # fewest of a row that needs the pair
        for row in rows:
            if row.pair is not None:
                turns[row.pair] = min(row.turns, turns.get(row.pair, row.turns))
        slow = {pair: max(slowness(pair), pair in self.sliced) for pair in turns}
        ordered = sorted(turns, key=lambda pair: (slow[pair], turns[pair], len(pair[0]) + len(pair[1])))
        left = self.until - time.monotonic()
        if len(turns) <= self.count or len(turns) * self.deadline / self.count <= left / HASTE:
            return ordered, self.deadline
        new, slower = ([pair for pair in ordered if slow[pair] == slowly] for slowly in (0, 1))
        self.was_quick = bool(new) and not (self.was_quick and slower)
        if self.was_quick:
            return new[: QUICK_PAIRS * self.count], SLICE * self.deadline
        return (slower or ordered)[: SLOW_PAIRS * self.count], self.deadline
