"""Decides whether two formulas are equal, with math-verify. What a model wrote can make that slow, or never end.

So it runs only in a worker process, which may be killed at any moment. It imports nothing else of this package, so that
a worker starts fast.
"""

from __future__ import annotations

import logging
from typing import Any

from math_verify import LatexExtractionConfig, parse, verify
from sympy import Expr, Integral, Limit, Product, Rational, Sum, simplify
from sympy.core.evalf import PrecisionExhausted
from sympy.core.random import seed
from sympy.core.relational import Equality

__all__ = ["decide", "warm_up"]

# A formula is taken as a whole: by default math-verify also looks for a box, or for "the answer is", inside it.
WHOLE_FORMULA = (LatexExtractionConfig(boxed_match_priority=-1),)
SEARCHED_FOR = ("answer", "boxed", "fbox", "$")

# math-verify takes two numbers for equal if they agree in 15 digits. A sum of 25 terms for one to infinity does, and is
# not equal; so what it finds equal is confirmed with as many digits as these.
CONFIRMED_DIGITS = 60
SPARE = 20  # digits that are computed in addition
INTEGRAL_DIGITS = 30  # to which an integral is computed numerically
TO_BE_COMPUTED = (Integral, Limit, Product, Sum)

# These warm up what most formulas need. More would delay every start: most by 50 ms, the integral by half a second.
COMMON_PAIRS = (
    (r"\frac{x}{2}", "0.5x"),
    (r"2\sqrt{3}", r"\sqrt{12}"),
    ("x^2+2x+1", "(x+1)^2"),
    (r"\sin(x)+\frac{\pi}{4}", r"\sin(x)+\frac{2\pi}{8}"),
    (r"[1,\sqrt{2})", r"[1,\sqrt{3})"),
    (r"\int_0^1 x^2 dx", r"\int_0^1 t^2 dt"),  # sympy loads much for its first integral
    (r"\int _{0}^{1}\frac{dx}{1+x^{2}}", r"\frac{\pi }{4}"),
)

logging.getLogger("math_verify").setLevel(logging.CRITICAL + 1)  # it warns of every formula that it cannot parse


def decide(answer: str, prediction: str) -> bool | None:
    """Whether a prediction equals the answer; ``None`` if that cannot be decided.

    It cannot if one cannot be parsed, if comparing them failed, or if they seem to be equal and that is not confirmed.

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
    gold, predicted = _parsed(answer), _parsed(prediction)
    if not gold or not predicted:
        return None
    same = _same_numbers(gold[0], predicted[0])
    if same is not None:
        return same
    gold, predicted = _computed(gold), _computed(predicted)
    if not verify(gold, predicted, strict=True, timeout_seconds=None, raise_on_error=True):
        return False
    return True if _is_confirmed(gold[0], predicted[0]) else None


def _same_numbers(gold: Any, predicted: Any) -> bool | None:
    """Whether two numbers, of which one is a definite integral, are equal, by computing the integral numerically.

    That takes some hundredths of a second, also where no antiderivative can be written down. ``None`` if it is not
    known to enough digits, as for integrals to infinity, or if either is no number.
    """
    both = (gold, predicted)
    if not all(isinstance(one, Expr) and one.is_number and not one.has(*TO_BE_COMPUTED[1:]) for one in both):
        return None
    integrals = [one for side in both for one in side.atoms(Integral)]
    if not integrals or any(bound.is_infinite for one in integrals for bound in one.limits[0][1:]):
        return None
    try:
        one, other = (side.evalf(INTEGRAL_DIGITS, strict=True) for side in both)
    except PrecisionExhausted:
        return None
    apart, size = abs(one - other), max(abs(one), abs(other))
    if apart <= size * Rational(1, 10 ** (INTEGRAL_DIGITS - SPARE // 4)):
        return True
    return False if apart > size * Rational(1, 10 ** (INTEGRAL_DIGITS // 3)) else None


def _computed(parsed: list[Any]) -> list[Any]:
    """What was parsed, with its integrals, sums and limits computed.

    math-verify would take them to numbers at several precisions first, which takes ten times as long as to solve them.
    """
    return [one.doit() if isinstance(one, Expr) and one.has(*TO_BE_COMPUTED) else one for one in parsed]


def _is_confirmed(gold: Any, predicted: Any) -> bool:
    """Whether two objects of sympy that math-verify takes for equal are equal."""
    if isinstance(gold, Equality) != isinstance(predicted, Equality):  # x = 5 and 5
        gold, predicted = (one.rhs if isinstance(one, Equality) else one for one in (gold, predicted))
    if isinstance(gold, Expr) and isinstance(predicted, Expr):
        one, other = gold.doit(), predicted.doit()
        return _agree(one, other) or bool(simplify(one - other) == 0)
    # sets, relations and matrices are not computed, so they must hold nothing that needs to be
    return not any(hasattr(one, "has") and one.has(*TO_BE_COMPUTED) for one in (gold, predicted))


def _agree(one: Expr, other: Expr) -> bool:
    """Whether two formulas have the same value to ``CONFIRMED_DIGITS`` digits, at some values of their symbols."""
    names = sorted({symbol.name for formula in (one, other) for symbol in formula.free_symbols})
    values = {name: Rational(1_000 * place + 2_477, 1_009) for place, name in enumerate(names)}
    found = []
    for formula in (one, other):
        at = formula.subs({symbol: values[symbol.name] for symbol in formula.free_symbols})
        found.append(at.evalf(CONFIRMED_DIGITS + SPARE))
    if not all(value.is_number and not value.has(*TO_BE_COMPUTED) for value in found):
        return False
    return bool(abs(found[0] - found[1]) <= max(map(abs, found)) * Rational(1, 10**CONFIRMED_DIGITS))


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
