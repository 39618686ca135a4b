"""Decides whether two formulas are equal, with math-verify. What a model wrote can make that slow, or never end.

So it runs only in a worker process, which may be killed at any moment. It imports nothing else of this package, so that
a worker starts fast.
"""

from __future__ import annotations

import logging
from typing import Any

from math_verify import LatexExtractionConfig, parse, verify
from sympy.core.random import seed

__all__ = ["decide", "warm_up"]

# A formula is taken as a whole: by default math-verify also looks for a box, or for "the answer is", inside it.
WHOLE_FORMULA = (LatexExtractionConfig(boxed_match_priority=-1),)
SEARCHED_FOR = ("answer", "boxed", "fbox", "$")

# These warm up what most formulas need. More would delay every start, by some 50 ms each.
COMMON_PAIRS = (
    (r"\frac{x}{2}", "0.5x"),
    (r"2\sqrt{3}", r"\sqrt{12}"),
    ("x^2+2x+1", "(x+1)^2"),
    (r"\sin(x)+\frac{\pi}{4}", r"\sin(x)+\frac{2\pi}{8}"),
    (r"[1,\sqrt{2})", r"[1,\sqrt{3})"),
)

logging.getLogger("math_verify").setLevel(logging.CRITICAL + 1)  # it warns of every formula that it cannot parse


def decide(answer: str, prediction: str) -> bool | None:
    """Whether a prediction equals the answer; ``None`` if one cannot be parsed or comparing them failed.

    Both are LaTeX without ``$``. Their order matters: the answer ``1 < x < 2`` accepts ``(1, 2)``, but the answer
    ``(1, 2)`` does not accept ``1 < x < 2``. Raises nothing but ``MemoryError``; may run for ever.
    """
    try:
        return _decide(answer, prediction)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # sympy raises anything at all on what a model wrote
        return None


def _decide(answer: str, prediction: str) -> bool | None:
    seed(0)  # sympy tries random numbers, but a pair must be decided alike every time
    gold, said = _parsed(answer), _parsed(prediction)
    if not gold or not said:
        return None
    return bool(verify(gold, said, strict=True, timeout_seconds=None, raise_on_error=True))


def _parsed(formula: str) -> list[Any]:
    """A formula as math-verify parses it; ``[]`` if it cannot."""
    if any(word in formula.casefold() for word in SEARCHED_FOR):
        return []
    parsed: list[Any] = parse(
        f"$$ {formula} $$",
        WHOLE_FORMULA,
        fallback_mode="no_fallback",
        extraction_mode="first_match",
        parsing_timeout=None,  # it would need a signal, and the worker is stopped from outside anyway
        raise_on_error=True,
    )
    return parsed


def warm_up() -> None:
    """Compares a few formulas, so that parser and caches are ready before the time of the first pair is measured."""
    for answer, prediction in COMMON_PAIRS:
        _decide(answer, prediction)
