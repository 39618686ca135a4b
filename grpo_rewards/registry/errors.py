"""The one exception of this package, and the words that its messages share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = ["RewardError", "check_name", "did_you_mean", "listed", "shown"]


class RewardError(ValueError):
    """The programmer named, configured or fed a reward wrongly. The message says what to do.

    Never raised because of what a model wrote (that is a reward of 0) or because of one bad row (that is ``None``).
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` for the nearest known name, ``.`` where none is near."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else "."


def listed(names: Iterable[str]) -> str:
    """Names for a message: ``a, b, c``, or ``none``."""
    return ", ".join(names) or "none"


def shown(value: Any, limit: int = 80) -> str:
    """A value for a message, cut to ``limit`` characters: a completion may be a megabyte."""
    text = repr(value[: limit + 1] if isinstance(value, str) else value)
    return text if len(text) <= limit else f"{text[:limit]}…"


def check_name(name: Any, of: str) -> str:
    """A name for the logs: any text that is not blank."""
    if not isinstance(name, str) or not name.strip():
        raise RewardError(f"name of reward '{of}' must be a non-empty string, not {shown(name)}.")
    return name
