"""Evaluates a formula at a point to any number of digits. The size of every result is checked before it is computed."""

from __future__ import annotations

import hashlib
import math
import threading
from fractions import Fraction
from typing import Any

from grpo_rewards.answers.formulas.budget import TooLarge, spend
from grpo_rewards.answers.formulas.exact import EXACT_FUNCTIONS, Point, Undefined, indices
from grpo_rewards.answers.formulas.formula import Formula
from grpo_rewards.answers.latex.commands import HYPERBOLIC, INVERSE, TRIGONOMETRIC

__all__ = ["MOST_DIGITS", "SPARE_DIGITS", "digits_needed", "numeric", "size"]

SPARE_DIGITS = 50  # computed in addition to those that the numbers of a formula have
MOST_DIGITS = 4_000  # of a comparison; one that needs more is refused
MAGNITUDE_BITS = 60  # of an exponent, and of other arguments whose functions grow as fast
ANGLE_BITS = 2_000  # of an angle whose sine is computed
COMPLEX_BITS = 20_000  # before and behind the binary point of a complex number's parts


def digits_needed(formula: Formula) -> float:
    """About how many digits a comparison of this formula needs: those of its numbers, times their exponents."""
    if formula.kind == "number":
        return 0.302 * (formula.value.numerator.bit_length() + formula.value.denominator.bit_length())
    if formula.kind == "power":
        base, exponent = formula.args
        whole = exponent.value.numerator if exponent.kind == "number" and exponent.value.denominator == 1 else 1
        times = float(abs(whole)) if whole.bit_length() <= MAGNITUDE_BITS else math.inf
        return max(digits_needed(base), 0.1) * max(times, 1.0) + digits_needed(exponent)
    return sum(map(digits_needed, formula.args)) + 1


def size(formula: Formula) -> tuple[int, int]:
    """How many nodes a formula has, and how many of them are powers and function calls, which take longer."""
    nodes, called = 1, int(formula.kind in ("call", "power"))
    if formula.name.startswith("arc") or formula.name in ("ln", "log", "lg"):
        called = 3  # takes as long as three others
    for arg in formula.args:
        more_nodes, more_called = size(arg)
        nodes, called = nodes + more_nodes, called + more_called
    return nodes, called


class _Contexts(threading.local):
    """One mpmath context per thread, since a context holds the current precision."""

    def __init__(self) -> None:
        # imported only here, because most answers are plain numbers and do not need it
        import mpmath

        self.context = mpmath.MPContext()


_contexts: _Contexts | None = None


def numeric(formula: Formula, point: Point, digits: int) -> tuple[Any, bool]:
    """(value, is_real): the value of a formula at a point to ``digits`` digits, as an ``mpf`` or ``mpc``.

    ``is_real`` is ``False`` if any value on the way was not real, even if the result is. Draws on the budget.

    Raises:
        Undefined: the formula has no value there: a division by zero, the logarithm of zero.
        TooLarge: an exponential, an angle or the like is too large, or the budget is used up.
    """
    global _contexts
    if _contexts is None:
        _contexts = _Contexts()
    nodes, called = size(formula)
    spend((2 * nodes + 20 * called) * max(digits / 50, 1.0) ** 1.3)
    context = _contexts.context
    context.dps = digits
    evaluation = _Evaluation(context, point)
    try:
        value = evaluation.value(formula)
    except (ZeroDivisionError, ValueError) as error:
        raise Undefined(str(error)) from None
    except OverflowError as error:
        raise TooLarge(str(error)) from None
    if not context.isfinite(value):
        raise Undefined("not finite")
    return value, evaluation.real


class _Evaluation:
    """Evaluates one formula at one point. ``real`` becomes ``False`` once any value on the way is not real."""

    def __init__(self, context: Any, point: Point) -> None:
        self.context = context
        self.point = point
        self.real = True

    def value(self, formula: Formula) -> Any:
        kind = formula.kind
        if kind == "number":
            return self.fraction(formula.value)
        if kind == "symbol":
            if formula.name not in self.point:
                raise Undefined("the index of a sum that is not read")
            return self.fraction(self.point[formula.name])
        if kind == "constant":
            return self.constant(formula.name)
        if kind == "power":
            return self.noted(self.power(*formula.args))
        if kind == "repeated":
            return self.repeated(formula)
        values = [self.value(arg) for arg in formula.args]
        if kind == "unread":
            return self.unread(formula.name, values)
        if kind == "call":
            return self.noted(self.call(formula.name, values))
        return self.combined(kind, values)

    def combined(self, kind: str, values: list[Any]) -> Any:
        """The ``sum`` or ``product`` of values; of none, 0 or 1."""
        result = values[0] if values else self.context.mpf(int(kind == "product"))
        for value in values[1:]:
            result = self.checked(result + value if kind == "sum" else result * value)
        return result

    def repeated(self, formula: Formula) -> Any:
        """The sum or product of a term over an index. Draws on the budget for each term."""
        index, low, high, term = formula.args
        bounds = self.value(low), self.value(high)
        if not all(map(self.is_whole, bounds)):
            raise Undefined("a bound that is not whole")
        nodes, called = size(term)
        outer, values = self.point, []
        for at in indices(*(Fraction(int(bound)) for bound in bounds)):
            spend((2 * nodes + 20 * called) * max(self.context.dps / 50, 1.0) ** 1.3)
            self.point = {**outer, index.name: Fraction(at)}
            values.append(self.value(term))
        self.point = outer
        return self.combined(formula.name, values)

    def checked(self, value: Any) -> Any:
        """The value itself. Raises ``TooLarge`` for a complex number with a part so large or so small that mpmath would
        need very many digits for it.
        """
        if isinstance(value, self.context.mpc):
            for _, mantissa, exponent, bits in value._mpc_:
                if mantissa and abs(exponent) + bits > COMPLEX_BITS:
                    raise TooLarge("a complex number of too many digits")
        return value

    def fraction(self, value: Fraction) -> Any:
        return self.context.mpf(value.numerator) / value.denominator

    def constant(self, name: str) -> Any:
        if name == "i":
            self.real = False
            return self.context.j
        return +self.context.pi if name == "pi" else +self.context.e

    def noted(self, value: Any) -> Any:
        """The value, as a real number if its imaginary part is 0. Sets ``real`` to ``False`` if it is not."""
        if isinstance(value, self.context.mpc):
            if value.imag == 0:
                return value.real
            self.real = False
        return self.checked(value)

    def power(self, base: Formula, exponent: Formula) -> Any:
        low = self.value(base)
        if exponent.kind == "number" and exponent.value.denominator == 1:
            whole = exponent.value.numerator
            if low == 0 and whole <= 0:
                raise Undefined("a power of zero")
            if whole.bit_length() > MAGNITUDE_BITS:
                raise TooLarge("an exponent of too many digits")
            return low**whole
        high = self.value(exponent)
        if low == 0:
            if self.context.re(high) > 0:
                return self.context.zero
            raise Undefined("a power of zero")
        if exponent.kind == "number" and exponent.value == Fraction(1, 2):
            return self.context.sqrt(low)
        if exponent.kind == "number" and exponent.value.denominator % 2 and self.is_real(low) and low < 0:
            # an odd root of a negative number is real, as taught at school
            return -((-low) ** high) if exponent.value.numerator % 2 else (-low) ** high
        return self.exponential(high * self.context.log(low))

    def is_real(self, value: Any) -> bool:
        return not isinstance(value, self.context.mpc)

    def is_whole(self, value: Any) -> bool:
        """Whether a value is a whole number of a size that an index can have."""
        return self.is_real(value) and self.context.isint(value) and self.context.mag(value) <= MAGNITUDE_BITS

    def exponential(self, value: Any) -> Any:
        if self.context.mag(value) > MAGNITUDE_BITS:
            raise TooLarge("an exponential of too many digits")
        return self.context.exp(value)

    def call(self, name: str, values: list[Any]) -> Any:
        if name.startswith("?"):
            indexed = f"{name[1:]}{{{int(values[0])}}}" if name.endswith("_") and self.is_whole(values[0]) else ""
            return self.fraction(self.point[indexed]) if indexed in self.point else self.unknown(name, values)
        if name in HYPERBOLIC and self.context.mag(values[0]) > MAGNITUDE_BITS:
            raise TooLarge("an exponential of too many digits")
        if name in PERIODIC and self.context.mag(values[0]) > (
            ANGLE_BITS if self.is_real(values[0]) else MAGNITUDE_BITS
        ):
            raise TooLarge("an angle of too many digits")
        if name in EXACT_FUNCTIONS:
            return self.whole(name, values)
        if name in ("ln", "log", "lg"):
            return self.logarithm(name, values)
        if name == "exp":
            return self.exponential(values[0])
        function = getattr(self.context, MPMATH.get(name, name))
        if len(values) != 1:
            raise Undefined(f"'{name}' takes one argument")
        return function(values[0])

    def logarithm(self, name: str, values: list[Any]) -> Any:
        logarithm = self.context.log(values[0])
        if name == "lg":
            return logarithm / self.context.log(10)
        return logarithm if len(values) == 1 else logarithm / self.context.log(values[1])

    def whole(self, name: str, values: list[Any]) -> Any:
        """The value of one of the ``EXACT_FUNCTIONS``; most of them want whole numbers."""
        if name == "degree":
            return values[0]
        if name == "abs":
            return abs(values[0])
        if not all(map(self.is_real, values)):
            raise Undefined(f"'{name}' of a number that is not real")
        if name in ("floor", "ceil"):
            return getattr(self.context, name)(values[0])
        if name in ("min", "max", "sgn"):
            return {"min": min, "max": max}[name](values) if name != "sgn" else self.context.sign(values[0])
        if any(self.context.mag(value) > MAGNITUDE_BITS for value in values):
            raise TooLarge("a whole number of too many digits")
        if not all(map(self.context.isint, values)):
            raise Undefined(f"'{name}' of a number that is not whole")
        return self.fraction(EXACT_FUNCTIONS[name](*(Fraction(int(value)) for value in values)))

    def unread(self, name: str, values: list[Any]) -> Any:
        """The value of an operator that is not read: each name stands for a polynomial of its own in its parts."""
        weights = [self.fraction(_drawn(name, bytes([index]))) for index in range(len(values) + 1)]
        inner = sum((value * weight for value, weight in zip(values, weights, strict=False)), weights[-1])
        return self.checked(inner**3 + weights[0] * inner)

    def unknown(self, name: str, values: list[Any]) -> Any:
        """The value of an unknown function, such as f: each name stands for a smooth function of its own."""
        waves = []
        for wave, function in ((b"1", self.context.sin), (b"2", self.context.cos)):
            weights = [self.fraction(_drawn(name, wave + bytes([index]))) for index in range(len(values) + 1)]
            angle = sum((value * weight for value, weight in zip(values, weights, strict=False)), weights[-1])
            if self.context.mag(angle) > MAGNITUDE_BITS:
                raise TooLarge("an argument of too many digits")
            waves.append(function(angle))
        return sum(waves, self.fraction(_drawn(name, b"0")))


def _drawn(name: str, what: bytes) -> Fraction:
    """A number between 1 and 5 that depends on the name of an unknown function, and on what it is drawn for."""
    key = hashlib.blake2b(name.encode("utf-8", "backslashreplace"), digest_size=16).digest()
    return 1 + Fraction(int.from_bytes(hashlib.blake2b(what, key=key, digest_size=4).digest(), "big"), 2**30)


PERIODIC = frozenset(TRIGONOMETRIC)
MPMATH = {inverse: f"a{name}" for name, inverse in INVERSE.items()}
