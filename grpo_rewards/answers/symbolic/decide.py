"""Decides whether two formulas are equal, with math-verify. What a model wrote can make that slow, or never end.

So it runs only in a worker process, which may be killed at any moment. It imports nothing else of this package, so that
a worker starts fast.
"""

from typing import Any

from math_verify import LatexExtractionConfig, parse, verify
from sympy import Expr, Integral, Limit, Product, Sum, simplify
from sympy.core.random import seed
from sympy.core.relational import Equality

# A formula is taken as a whole: by default math-verify also looks for a box, or for "the answer is", inside it.
WHOLE_FORMULA = (LatexExtractionConfig(boxed_match_priority=-1),)
SEARCHED_FOR = ("answer", "boxed", "fbox", "$")
TO_BE_COMPUTED = (Integral, Limit, Product, Sum)
# These warm up what most formulas need. More would delay every start: most by 50 ms, the integral by half a second.
COMMON_PAIRS = (
    (r"\frac{x}{2}", "0.5x"),
    (r"2\sqrt{3}", r"\sqrt{12}"),
    ("x^2+2x+1", "(x+1)^2"),
    (r"\sin(x)+\frac{\pi}{4}", r"\sin(x)+\frac{2\pi}{8}"),
    (r"[1,\sqrt{2})", r"[1,\sqrt{3})"),
    (r"\int_0^1 x^2 dx", r"\int_0^1 t^2 dt"),  # sympy loads much for its first integral
)


def decide(answer: str, prediction: str) -> bool | None:
    """Whether a prediction equals the answer; ``None`` if that cannot be decided.

    It cannot if one cannot be parsed, if comparing them failed, or if they seem to be equal and that is not confirmed.

    Both are LaTeX without ``$``. Their order matters: the answer ``1 < x < 2`` accepts ``(1, 2)``, but the answer
    ``(1, 2)`` does not accept ``1 < x < 2``. Raises nothing but ``MemoryError``; may run for ever.
    """
    seed(0)  # sympy tries random numbers, but a pair must be decided alike every time
    try:
        gold, predicted = _parsed(answer), _parsed(prediction)
        if not gold or not predicted:
            return None
        if not verify(gold, predicted, strict=True, timeout_seconds=None, raise_on_error=True):
            return False
        return _is_confirmed(gold[0], predicted[0]) or None
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # sympy raises anything at all on what a model wrote
        return None


def _parsed(formula: str) -> list[Any]:
    """A formula as math-verify parses it, with its integrals, sums and limits computed; ``[]`` if it cannot.

    math-verify would take these to numbers at several precisions, which takes ten times as long as to solve them.
    """
    if any(word in formula.casefold() for word in SEARCHED_FOR):
        return []
    parsed = parse(
        f"$$ {formula} $$",
        WHOLE_FORMULA,
        fallback_mode="no_fallback",
        extraction_mode="first_match",
        parsing_timeout=None,  # it would need a signal, and the worker is stopped from outside anyway
        raise_on_error=True,
    )
    return [one.doit() if isinstance(one, Expr) and one.has(*TO_BE_COMPUTED) else one for one in parsed]


def _is_confirmed(gold: Any, predicted: Any) -> bool:
    """Whether two objects of sympy that math-verify takes for equal are equal.

    It takes two numbers for equal if they agree in 15 digits. A sum of 25 terms for one to infinity does, and is not
    equal.
    """
    if isinstance(gold, Equality) != isinstance(predicted, Equality):  # x = 5 and 5
        gold, predicted = (one.rhs.doit() if isinstance(one, Equality) else one for one in (gold, predicted))
    if isinstance(gold, Expr) and isinstance(predicted, Expr):
        return bool(simplify(gold - predicted) == 0)
    # sets, relations and matrices are not computed, so they must hold nothing that needs to be
    return not any(hasattr(one, "has") and one.has(*TO_BE_COMPUTED) for one in (gold, predicted))


def warm_up() -> None:
    """Compares a few formulas, so that parser and caches are ready before the time of the first pair is measured."""
    for answer, prediction in COMMON_PAIRS:
        decide(answer, prediction)
