"""Evaluates a formula at a point to a fraction, within a budget; every size is checked first."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from grpo_rewards.answers.formulas.formula import Formula

# Limits how much is computed for one pair of answers.
#
# All formulas of a pair draw on one budget, so that many small ones cannot stall a training either.

BUDGET_STEPS = 200_000  # of about a microsecond each


class TooLarge(ArithmeticError):
    """Raised for what would take too long, or too much memory, to compute."""


class _Budget(threading.local):
    remaining: float = BUDGET_STEPS


_budget = _Budget()


def start(steps: float = BUDGET_STEPS) -> None:
    """Gives the next pair of answers a full budget, in this thread, or what is ``left`` of one."""
    _budget.remaining = steps


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


# Evaluates a formula at a point to a fraction. The size of every result is checked before it is computed.

EXACT_BITS = 120_000  # of a fraction, some 36,000 digits, as 10000! has; a larger one is not computed
COSTLY_BITS = 500  # a fraction of more bits draws on the budget
FACTORIAL = 10_000  # the largest n of an n! that is computed; 10000! has 35,660 digits
TERMS = 10_000  # of one sum or product over an index

Point: TypeAlias = Mapping[str, Fraction]


class Undefined(ArithmeticError):
    """Raised if a formula has no value at a point: a division by zero, the logarithm of zero."""


class NotExact(ArithmeticError):
    """Raised if a value is not a fraction, or not known to be one."""


def exact(formula: Formula, point: Point) -> Fraction:
    """The value of a formula at a point, as a fraction.

    Raises:
        NotExact: the formula has a root, a constant such as pi, or a function whose values are not fractions.
        Undefined: it has no value there, for example because of a division by zero.
        TooLarge: the fraction would have more than ``EXACT_BITS`` bits, or the budget is used up.
    """
    value: Fraction = Evaluation(point).value(formula)
    return value


class Evaluation:
    """Evaluates formulas at a point, here to fractions; a subclass says how one computes with other numbers."""

    def __init__(self, point: Point) -> None:
        self.point = point

    def value(self, formula: Formula) -> Any:
        kind = formula.kind
        if kind == "number":
            return self.fraction(formula.value)
        if kind == "symbol":
            return self.fraction(self.point[formula.name])
        if kind in ("sum", "product"):
            return self.combined(kind, [self.value(arg) for arg in formula.args])
        if kind == "repeated":
            return self.repeated(formula)
        return self.noted(getattr(self, kind)(formula))

    def combined(self, kind: str, values: Sequence[Any]) -> Any:
        """The ``sum`` or ``product`` of values; of none, 0 or 1."""
        result = values[0] if values else self.fraction(Fraction(int(kind == "product")))
        for value in values[1:]:
            result = self.checked(result + value if kind == "sum" else result * value)
        return result

    def repeated(self, formula: Formula) -> Any:
        """The sum or product of a term over an index; it has none if it ends one before it begins.

        Draws on the budget for each term.
        """
        index, low, high, term = formula.args
        first, last = (_whole(self.bound(self.value(bound))) for bound in (low, high))
        if last < first - 1:
            raise Undefined("a sum that goes backwards")
        if last - first >= TERMS:
            raise TooLarge("a sum of too many terms")
        spend((last - first + 1) * self.cost(term))
        outer, values = self.point, []
        for at in range(first, last + 1):
            self.point = {**outer, index.name: Fraction(at)}
            values.append(self.value(term))
        self.point = outer
        return self.combined(formula.name, values)

    def fraction(self, value: Fraction) -> Any:
        return value

    def constant(self, formula: Formula) -> Any:
        raise NotExact(formula.name)

    def power(self, formula: Formula) -> Any:
        return _exact_power(*map(self.value, formula.args))

    def call(self, formula: Formula) -> Any:
        if formula.name not in EXACT_FUNCTIONS:
            raise NotExact(formula.name)
        return EXACT_FUNCTIONS[formula.name](*map(self.value, formula.args))

    def bound(self, value: Any) -> Any:
        """A bound of a sum over an index, as a fraction."""
        return value

    def cost(self, term: Formula) -> float:
        """How many steps of the budget a term of a sum over an index takes."""
        return 5

    def checked(self, value: Any) -> Any:
        """The value itself, of a sum or product. Raises ``TooLarge`` for one that takes too much to compute with."""
        _pay_for(value.denominator.bit_length() + value.numerator.bit_length())
        return value

    def noted(self, value: Any) -> Any:
        """The value itself, of a constant, power or call."""
        return value


def _pay_for(bits: int) -> None:
    """Takes what a fraction of so many bits costs off the budget. Raises ``TooLarge`` for one of too many bits."""
    if bits > EXACT_BITS:
        raise TooLarge("a number of too many digits")
    if bits > COSTLY_BITS:
        spend(bits * bits / 1_000_000)


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction:
    """``base ** exponent``: ``4^{1/2}`` is 2. Raises ``NotExact`` for all roots but rational square roots."""
    if exponent.denominator == 2 and base >= 0:
        above, below = map(math.isqrt, base.as_integer_ratio())
        if (above**2, below**2) == base.as_integer_ratio():
            return _exact_power(Fraction(above, below), Fraction(exponent.numerator))
    if exponent.denominator != 1:
        raise NotExact("a root")
    if base == 0 and exponent <= 0:
        raise Undefined("a power of zero")
    if abs(base) in (0, 1):
        return base if exponent.numerator % 2 else abs(base)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(exponent.numerator)
    _pay_for(bits)
    return base**exponent.numerator


def _whole(value: Fraction) -> int:
    """The fraction as an int. Raises ``Undefined`` if it is not whole."""
    if value.denominator != 1:
        raise Undefined("not a whole number")
    return value.numerator


def _factors(value: Fraction) -> int:
    """The n of an n! as an int. Raises ``Undefined`` if there is no n!, ``TooLarge`` above ``FACTORIAL``."""
    whole = _whole(value)
    if whole < 0:
        raise Undefined("the factorial of a negative number")
    if whole > FACTORIAL:
        raise TooLarge("too many factors")
    spend(whole / 4)
    return whole


def _binomial(above: Fraction, below: Fraction) -> Fraction:
    n, k = _factors(above), _whole(below)
    return Fraction(math.comb(n, k) if k >= 0 else 0)


# Functions that turn fractions into a fraction.
EXACT_FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "degree": lambda value: value,
    "abs": abs,
    "floor": lambda value: Fraction(math.floor(value)),
    "ceil": lambda value: Fraction(math.ceil(value)),
    "sgn": lambda value: Fraction((value > 0) - (value < 0)),
    "factorial": lambda value: Fraction(math.factorial(_factors(value))),
    "double factorial": lambda value: Fraction(math.prod(range(_factors(value), 0, -2))),
    "binom": _binomial,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "gcd": lambda *values: Fraction(math.gcd(*map(_whole, values))),
    "lcm": lambda *values: Fraction(math.lcm(*map(_whole, values))),
}
