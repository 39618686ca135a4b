"""Remembers what comparisons came to, and which shapes of formulas were slow. Look here if a pair is tried again.

What a pair came to depends on nothing but the pair and its deadline, so that remembering it changes no verdict. Which
shapes were slow only says in which order pairs are tried.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from grpo_rewards.answers.symbolic.client import Found

__all__ = ["Pair", "forget", "keep", "note_slow", "recall", "slowness"]

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
