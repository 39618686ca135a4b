"""Computer algebra, really started: each worker decides a pair of formulas."""

from __future__ import annotations

import time
from collections.abc import Iterator

from grpo_rewards.answers import symbolic_failure, symbolic_warnings
from grpo_rewards.answers.symbolic.pool import worker_count
from grpo_rewards.preflight.report import Finding

__all__ = ["found"]

COMES_TO = "Answers that need computer algebra, such as integrals and sums, earn nothing."
WORKERS = "symbolic workers"


def found() -> Iterator[Finding]:
    """Yields a finding for the workers, with how long they took, and one for each thing that is missing here."""
    before = time.monotonic()
    failure = symbolic_failure()
    seconds = time.monotonic() - before
    if failure:
        yield Finding("error", WORKERS, f"They do not work: {failure} {COMES_TO}", "Reinstall math-verify and sympy.")
        return
    for warning in symbolic_warnings():
        yield Finding("warning", WORKERS, warning)
    count = worker_count(None)
    if count:
        message = f"{count} started, and each decided a pair of formulas, in {seconds:.1f} s together"
        yield Finding("fine", WORKERS, message)
