"""Sends each pair that needs symbolic algebra to the workers once, and remembers the outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grpo_rewards.answers.symbolic.client import compare_symbolically, worker_count

__all__ = ["Patience", "forget", "settle"]

KEPT_PAIRS = 8_192  # pairs; when there are so many, all are forgotten
KEPT_CHARACTERS = 1_000  # of a pair; longer ones are not kept, so that all take some 10 MB at most


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a symbolic comparison may take.

    Attributes:
        deadline: seconds of processor time for one pair.
        workers: how many processes compare; ``None``: as ``GRPO_REWARDS_WORKERS`` says, else by the number of cores.
    """

    deadline: float = 1.0
    workers: int | None = None


# Each access is a single step, so threads need no lock, and a fork never copies it half written.
_kept: dict[tuple[str, str, float], str] = {}


def settle(pairs: Sequence[tuple[str, str]], patience: Patience) -> dict[tuple[str, str], str]:
    """The outcome of each of the unique pairs (gold, prediction), in one round trip to the workers.

    An outcome is ``equal``, ``different``, ``undecided``, ``timeout`` or ``worker_killed``. All but the last are
    remembered: what reached the deadline once is not tried again.
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
        # the pair may not be to blame for a killed worker
        if outcome != "worker_killed" and len(pair[0]) + len(pair[1]) <= KEPT_CHARACTERS:
            _keep((*pair, patience.deadline), outcome)
    return found


def forget() -> None:
    """Forgets all outcomes."""
    _kept.clear()


def _keep(key: tuple[str, str, float], outcome: str) -> None:
    if len(_kept) >= KEPT_PAIRS:
        _kept.clear()
    _kept[key] = outcome
