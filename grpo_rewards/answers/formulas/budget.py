"""Limits how much is computed for one pair of answers.

All formulas of a pair draw on one budget, so that many small ones cannot stall a training either.
"""

from __future__ import annotations

import threading

__all__ = ["TooLarge", "left", "spend", "start"]

BUDGET_STEPS = 200_000  # of about a microsecond each


class TooLarge(ArithmeticError):
    """Raised for what would take too long, or too much memory, to compute."""


class _Budget(threading.local):
    remaining = float(BUDGET_STEPS)


_budget = _Budget()


def start(steps: float = BUDGET_STEPS) -> None:
    """Gives the next pair of answers a full budget, in this thread, or what is ``left`` of one."""
    _budget.remaining = float(steps)


def left() -> float:
    """How many steps are left of the budget of this thread."""
    return _budget.remaining


def spend(amount: float) -> None:
    """Takes ``amount`` steps off the budget.

    Raises:
        TooLarge: the budget is used up.
    """
    _budget.remaining -= amount
    if _budget.remaining < 0:
        raise TooLarge("more than is computed for one pair of answers")
