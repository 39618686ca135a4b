"""How much may be computed for one pair of answers: in all formulas together, so that many small ones cannot stall."""

from __future__ import annotations

import threading

__all__ = ["TooLarge", "spend", "start"]

BUDGET = 200_000  # of about a microsecond each


class TooLarge(ArithmeticError):
    """Must not be computed."""


class _Left(threading.local):
    amount = float(BUDGET)


_left = _Left()


def start() -> None:
    """Begins with the next pair, in this thread."""
    _left.amount = float(BUDGET)


def spend(amount: float) -> None:
    """Takes ``amount`` off what is left.

    Raises:
        TooLarge: that is more than is left.
    """
    _left.amount -= amount
    if _left.amount < 0:
        raise TooLarge("more than is computed for one pair of answers")
