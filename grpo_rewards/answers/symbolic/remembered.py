"""What only symbolic algebra can tell: each pair is sent to the workers once, and what they found is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grpo_rewards.answers.symbolic.client import compare_symbolically, worker_count

__all__ = ["Patience", "forget", "settle"]

KEPT = 8_192  # pairs; then all are forgotten
KEPT_CHARACTERS = 1_000  # of a pair, which bounds what is kept to some 10 MB


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a symbolic comparison may take.

    Attributes:
        deadline: seconds of processor time for one pair.
        workers: how many processes compare; ``None``: ``GRPO_REWARDS_WORKERS``, else by the number of cores.
    """

    deadline: float = 1.0
    workers: int | None = None


# Read and written in single steps, so that threads, and children forked in the middle of one, need no lock.
_kept: dict[tuple[str, str, float], str] = {}


def settle(pairs: Sequence[tuple[str, str]], patience: Patience) -> dict[tuple[str, str], str]:
    """The outcome of each of the unique ``pairs`` (gold, prediction): ``equal``, ``different``, ``undecided``,
    ``timeout`` or ``worker_killed``. One round trip; what ran into the deadline once is not tried again.
    """
    if worker_count(patience.workers) == 0:
        return dict.fromkeys(pairs, "undecided")
    kept = {pair: _kept.get((*pair, patience.deadline)) for pair in pairs}
    found = {pair: outcome for pair, outcome in kept.items() if outcome is not None}
    new = [pair for pair in pairs if pair not in found]
    if not new:
        return found
    outcomes = compare_symbolically(new, deadline=patience.deadline, workers=patience.workers)
    for pair, outcome in zip(new, outcomes, strict=True):
        found[pair] = outcome
        if outcome != "worker_killed" and len(pair[0]) + len(pair[1]) <= KEPT_CHARACTERS:  # which may be no fault of it
            _keep((*pair, patience.deadline), outcome)
    return found


def forget() -> None:
    """Forgets all outcomes."""
    _kept.clear()


def _keep(key: tuple[str, str, float], outcome: str) -> None:
    if len(_kept) >= KEPT:
        _kept.clear()
    _kept[key] = outcome
