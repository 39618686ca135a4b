"""Whether two formulas are equal, by math-verify: slow, and at the mercy of what a model wrote.

Runs in a worker process only, which may be killed at any moment; it imports nothing else of this package, so that a
worker need not.
"""

from __future__ import annotations

import logging
from typing import Any

from math_verify import LatexExtractionConfig, parse, verify
from sympy.core.random import seed

__all__ = ["decide", "warm_up"]

# Only formulas as they stand: math-verify would also look for a box, or for "the answer is", inside of them.
FORMULA = (LatexExtractionConfig(boxed_match_priority=-1),)
SEARCHED_FOR = ("answer", "boxed", "fbox", "$")

# What most formulas need. More would delay every start: each is some 50 ms, which one worker at a time can spend later.
COMMON = (
    (r"\frac{x}{2}", "0.5x"),
    (r"2\sqrt{3}", r"\sqrt{12}"),
    ("x^2+2x+1", "(x+1)^2"),
    (r"\sin(x)+\frac{\pi}{4}", r"\sin(x)+\frac{2\pi}{8}"),
    (r"[1,\sqrt{2})", r"[1,\sqrt{3})"),
)

logging.getLogger("math_verify").setLevel(logging.CRITICAL + 1)  # it warns of every formula that it cannot parse


def decide(answer: str, prediction: str) -> bool | None:
    """Whether a prediction equals the gold; ``None`` where one cannot be parsed or comparing them failed.

    Both are LaTeX without ``$``. The two sides are not alike: the gold ``1 < x < 2`` accepts ``(1, 2)``, the gold
    ``(1, 2)`` does not accept ``1 < x < 2``. Raises ``MemoryError`` only; may run for ever.
    """
    try:
        return _decide(answer, prediction)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # sympy raises anything at all on what a model wrote
        return None


def _decide(answer: str, prediction: str) -> bool | None:
    seed(0)  # sympy tries random numbers; a pair must be decided alike every time
    gold, said = _parsed(answer), _parsed(prediction)
    if not gold or not said:
        return None
    return bool(verify(gold, said, strict=True, timeout_seconds=None, raise_on_error=True))


def _parsed(formula: str) -> list[Any]:
    """What math-verify makes of a formula; empty where it makes nothing of it."""
    if any(word in formula.casefold() for word in SEARCHED_FOR):
        return []
    parsed: list[Any] = parse(
        f"$$ {formula} $$",
        FORMULA,
        fallback_mode="no_fallback",
        extraction_mode="first_match",
        parsing_timeout=None,  # it would be a signal; the worker is stopped from outside
        raise_on_error=True,
    )
    return parsed


def warm_up() -> None:
    """Compares a few formulas, so that parser and caches are ready when the first pair's time starts to run."""
    for answer, prediction in COMMON:
        _decide(answer, prediction)
