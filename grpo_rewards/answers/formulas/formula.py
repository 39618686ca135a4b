"""The tree of a formula, what it holds, and its value at a point: as a fraction or to any number of digits.

The size of every value is checked before it is computed, and all formulas of a pair of answers draw on one budget.
Also: whether a decimal is a rounding of a value.
"""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.answers.latex.tree import HYPERBOLIC, INVERSE, TRIGONOMETRIC

# The tree of a formula, and functions that build one: numbers, constants, symbols, sums, products, powers, calls.


class Formula(NamedTuple):
    """A node of the tree. Which fields it uses depends on its ``kind``.

    ``number``: ``value`` · ``constant`` (``pi``, ``e``, ``i``) and ``symbol``: ``name`` · ``sum`` and ``product``:
    ``args`` · ``power``: ``args``, which are base and exponent · ``call``: ``name`` and ``args``. The name of an
    unknown function, such as f, starts with ``?``; ``x_{k}`` in a sum over k is one, too · ``repeated``: ``name`` is
    ``sum`` or ``product``, ``args`` are its index, its bounds and its term · ``cases``: ``args`` are values, each with
    a condition behind it that is above 0 where it holds · ``positive``: whether all ``args`` are, or 0 where ``name``
    has ``=``.

    The index of a sum is a symbol whose name starts with ``#``, whatever letter was written.
    """

    kind: str
    name: str = ""
    args: tuple[Formula, ...] = ()
    value: Fraction = Fraction(0)


NUMBER_BITS = 8_000  # of a quotient that becomes one number; a larger one stays a product
TO_INFINITY = " to infinity"  # ends the name of a sum without a last index, which is a call of an unknown function
HALF = Formula("number", value=Fraction(1, 2))
ZERO = Formula("number")
PI, IMAGINARY_UNIT = Formula("constant", "pi"), Formula("constant", "i")
UNIT_VECTORS = ("i", "j", "k")


def number(value: int | Fraction) -> Formula:
    return Formula("number", value=value if type(value) is Fraction else Fraction(value))


def total(terms: Sequence[Formula]) -> Formula:
    return terms[0] if len(terms) == 1 else Formula("sum", args=tuple(terms))


def product(factors: Sequence[Formula]) -> Formula:
    return factors[0] if len(factors) == 1 else Formula("product", args=tuple(factors))


def power(base: Formula, exponent: Formula) -> Formula:
    return Formula("power", args=(base, exponent))


def call(name: str, *args: Formula) -> Formula:
    return Formula("call", name, args)


def repeated(name: str, index: str, low: Formula, high: Formula, term: Formula) -> Formula:
    """The ``sum`` or ``product`` of a term over the whole numbers from ``low`` to ``high``."""
    return Formula("repeated", name, (Formula("symbol", index), low, high, term))


def negative(formula: Formula) -> Formula:
    """The formula times -1. The negative of a number is a number, not a product."""
    return number(-formula.value) if formula.kind == "number" else product((number(-1), formula))


def bits(value: Fraction) -> int:
    """How many bits the larger one of a fraction's two numbers has."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def quotient(above: Formula, below: Formula) -> Formula:
    """The quotient of two formulas. The quotient of two numbers is a number, unless it is too large."""
    if above.kind == below.kind == "number" and below.value:
        folded = above.value / below.value
        if bits(folded) <= NUMBER_BITS:
            return number(folded)
    return product((above, power(below, number(-1))))


def difference(one: Formula, other: Formula) -> Formula:
    return total((one, negative(other)))


def has_symbols(formula: Formula) -> bool:
    """Whether a formula's value depends on symbols (x) or unknown functions (f), not only on the index of a sum."""
    if formula.kind == "symbol":
        return not formula.name.startswith("#")
    return formula.name.startswith("?") or any(map(has_symbols, formula.args))


# What a formula holds: its symbols, and formulas in it; and formulas rewritten.


def symbols(formula: Formula) -> set[str]:
    """The names of the symbols that a formula depends on."""
    if formula.kind == "symbol":
        return {formula.name}
    found: set[str] = set()
    for arg in formula.args:
        if arg.args or arg.kind == "symbol":
            found |= symbols(arg)
    return found - {formula.args[0].name} if formula.kind == "repeated" else found


def subformulas(formula: Formula) -> Iterator[Formula]:
    """A formula and all formulas in it."""
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(part.args)


def holds(formula: Formula, names: Collection[str]) -> bool:
    """Whether a formula holds a function with one of the names."""
    return any(part.name in names for part in subformulas(formula))


def has_endless_sum(formula: Formula) -> bool:
    """Whether a formula holds a sum to infinity, of which only the terms are compared; it may have another value."""
    return any(part.name.endswith(TO_INFINITY) for part in subformulas(formula))


def has_power_of_i(formula: Formula) -> bool:
    """Whether a formula has a power of the imaginary unit that could be carried out: ``i^3`` is -i."""
    powers = (part.args for part in subformulas(formula) if part.kind == "power")
    return any(base == IMAGINARY_UNIT and exponent.kind == "number" for base, exponent in powers)


def rewritten(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with ``change`` applied to every formula in it, from the inside out."""
    args = tuple([rewritten(arg, change) for arg in formula.args])
    return change(formula if args == formula.args else formula._replace(args=args))


def substituted(formula: Formula, values: Mapping[Formula, Formula]) -> Formula:
    """The formula with some of its symbols, or other formulas in it, replaced."""
    return rewritten(formula, lambda part: values.get(part, part))


def in_order(formula: Formula) -> Formula:
    """The formula with the terms of its sums and the factors of its products in one order."""
    ordered = sorted if formula.kind in ("sum", "product") else list
    return formula._replace(args=tuple(ordered(map(in_order, formula.args))))


def in_radians(formula: Formula) -> Formula:
    """The formula with every angle in degrees turned into radians, which the trigonometric functions take."""
    degree = (number(Fraction(1, 180)), PI)
    return rewritten(formula, lambda part: product((*part.args, *degree)) if part.name == "degree" else part)


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


@dataclass
class Evaluation:
    """Evaluates formulas at a point, here to fractions; a subclass says how one computes with other numbers."""

    point: Point

    def value(self, formula: Formula) -> Any:
        kind = formula.kind
        if kind == "number":
            return self.fraction(formula.value)
        if kind == "symbol":
            return self.fraction(self.point[formula.name])
        if kind in ("sum", "product"):
            return self.combined(kind, [self.value(arg) for arg in formula.args])
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

    def cases(self, formula: Formula) -> Any:
        """The value of the first case that holds and is defined."""
        for value, condition in zip(formula.args[::2], formula.args[1::2], strict=True):
            with suppress(Undefined, ZeroDivisionError, ValueError, TypeError):  # complex numbers have no order
                if self.value(condition) > 0 and (found := self.value(value)) - found == 0:  # and is not infinite
                    return found
        raise Undefined("no case holds")

    def positive(self, formula: Formula) -> Any:
        """1 if the values are positive, or not negative where that will do; else 0."""
        signed = zip(map(self.value, formula.args), formula.name, strict=True)
        return self.fraction(Fraction(all(value > 0 or (value == 0 and sign == "=") for value, sign in signed)))

    def fraction(self, value: Fraction) -> Any:
        return value

    def constant(self, formula: Formula) -> Any:
        raise NotExact(formula.name)

    def power(self, formula: Formula) -> Any:
        return _exact_power(*map(self.value, formula.args))

    def call(self, formula: Formula) -> Any:
        if formula.name not in EXACT_FUNCTIONS:
            raise NotExact(formula.name)
        return Fraction(EXACT_FUNCTIONS[formula.name](*map(self.value, formula.args)))

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
        """The value itself, of a formula that is no number, symbol, sum or product."""
        return value


def _pay_for(size: int) -> None:
    """Takes what a fraction of so many bits costs off the budget. Raises ``TooLarge`` for one of too many bits."""
    if size > EXACT_BITS:
        raise TooLarge("a number of too many digits")
    if size > COSTLY_BITS:
        spend(size * size / 1_000_000)


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction:
    """``base ** exponent``: ``4^{1/2}`` is 2. Raises ``NotExact`` for all roots but rational square roots."""
    if exponent.denominator == 2 and base >= 0:
        root = Fraction(*map(math.isqrt, base.as_integer_ratio()))
        if root**2 == base:
            return _exact_power(root, Fraction(exponent.numerator))
    if exponent.denominator != 1:
        raise NotExact("a root")
    if base == 0 and exponent <= 0:
        raise Undefined("a power of zero")
    if abs(base) in (0, 1):
        return base if exponent.numerator % 2 else abs(base)
    _pay_for(bits(base) * abs(exponent.numerator))
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


def _binomial(above: Fraction, below: Fraction) -> int:
    n, k = _factors(above), _whole(below)
    return math.comb(n, k) if k >= 0 else 0


# Functions that turn fractions into a fraction or a whole number.
EXACT_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "degree": lambda value: value,
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "sgn": lambda value: (value > 0) - (value < 0),
    "factorial": lambda value: math.factorial(_factors(value)),
    "double factorial": lambda value: math.prod(range(_factors(value), 0, -2)),
    "binom": _binomial,
    "min": min,  # of several values, as is max
    "max": max,
    "gcd": lambda *values: math.gcd(*map(_whole, values)),
    "lcm": lambda *values: math.lcm(*map(_whole, values)),
}


# Evaluates a formula at a point to any number of digits. The size of every result is checked before it is computed.

SPARE_DIGITS = 50  # computed in addition to those that the numbers of a formula have
DIGITS_PER_BIT = 0.302
MOST_DIGITS = 10_000  # of a comparison; one that needs more is refused
MAGNITUDE_BITS = 60  # of an exponent, and of other arguments whose functions grow as fast
WRITTEN_BITS = 10_000  # before and behind the binary point, of what is written out in full
ANGLE_BITS = 2_000  # of an angle whose sine is computed
COMPUTED_DIGITS = 30  # of an irrational number; more may be lost on the way
LARGEST_FLOAT = 1e150  # and its inverse is the smallest
MOST_ERROR_GROWTH = 2**28  # of the relative error of a float, which is then still below 1e-7
FLOAT_DIFFERENCE = 1e-4  # of two values that differ, relative to the larger one
COMPLEX_BITS = 20_000  # before and behind the binary point of a complex number's parts


def digits_needed(formula: Formula) -> float:
    """About how many digits a comparison of this formula needs: those of its numbers, times their exponents."""
    if formula.kind == "number":
        return DIGITS_PER_BIT * (formula.value.numerator.bit_length() + formula.value.denominator.bit_length())
    if formula.kind == "power":
        base, exponent = formula.args
        whole = exponent.value.numerator if exponent.value.denominator == 1 else 1
        times = float(abs(whole)) if whole.bit_length() <= MAGNITUDE_BITS else math.inf
        return max(digits_needed(base), 0.1) * max(times, 1.0) + digits_needed(exponent)
    return sum(map(digits_needed, formula.args)) + 1


def steps_needed(formula: Formula, digits: int) -> float:
    """How many steps of the budget it takes to compute a formula to so many digits; powers and functions take more."""
    steps = 0
    for part in subformulas(formula):
        takes_long = part.name.startswith("arc") or part.name in ("ln", "log", "lg")  # as long as three others
        steps += 2 + 20 * (3 if takes_long else part.kind in ("call", "power"))
    return steps * math.pow(max(digits / 50, 1.0), 1.3)


class _Contexts(threading.local):
    """The context of mpmath for each thread, since it holds the current precision."""

    @cached_property
    def of_digits(self) -> Any:
        import mpmath  # only here, because most answers are plain numbers and do not need it

        return mpmath.MPContext()


_contexts = _Contexts()


def numeric(formula: Formula, point: Point, digits: int) -> tuple[Any, bool]:
    """(value, is_real): the value of a formula at a point to ``digits`` digits, as an ``mpf`` or ``mpc``.

    ``is_real`` is ``False`` if any value on the way was not real, even if the result is. Draws on the budget.

    Raises:
        Undefined: the formula has no value there: a division by zero, the logarithm of zero.
        TooLarge: an exponential, an angle or the like is too large, or the budget is used up.
    """
    spend(steps_needed(formula, digits))
    context = _contexts.of_digits
    context.dps = digits
    evaluation = _Evaluation(point, context)
    try:
        value = evaluation.value(formula)
    except (ZeroDivisionError, ValueError) as error:
        raise Undefined(str(error)) from None
    except OverflowError as error:
        raise TooLarge(str(error)) from None
    if not context.isfinite(value):
        raise Undefined("not finite")
    return value, evaluation.real


def computed(formula: Formula) -> Fraction | None:
    """The value of a formula, rounded to 30 digits if it is irrational; ``None`` if it is not one real number.

    Draws on the budget.

    Raises:
        TooLarge: computing it would take too much.
    """
    if has_symbols(formula):
        return None
    try:
        with suppress(NotExact):
            return exact(formula, {})
        value, is_real = numeric(formula, {}, SPARE_DIGITS)
    except Undefined:
        return None
    magnitude = value.context.mag(value) if value else 0
    if not is_real or abs(magnitude) > WRITTEN_BITS:
        return None
    return round(_in_full(value), COMPUTED_DIGITS - int(magnitude * DIGITS_PER_BIT))


@dataclass
class _Evaluation(Evaluation):
    """Evaluates one formula at one point. ``real`` becomes ``False`` once any value on the way is not real."""

    context: Any
    real: bool = True

    def constant(self, formula: Formula) -> Any:
        return +getattr(self.context, MPMATH.get(formula.name, formula.name))

    def bound(self, value: Any) -> Fraction:
        if not (self.is_real(value) and self.context.isint(value) and self.context.mag(value) <= MAGNITUDE_BITS):
            raise Undefined("a bound that is not whole")
        return Fraction(int(value))

    def cost(self, term: Formula) -> float:
        return steps_needed(term, self.context.dps)

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
        return self.context.convert(value.numerator if value.denominator == 1 else value)

    def noted(self, value: Any) -> Any:
        """The value, as a real number if its imaginary part is 0. Sets ``real`` to ``False`` if it is not."""
        if isinstance(value, self.context.mpc):
            if value.imag == 0:
                return value.real
            self.real = False
        return self.checked(value)

    def power(self, formula: Formula) -> Any:
        base, exponent = formula.args
        low, high = self.value(base), self.value(exponent)
        if low == 0:
            if self.context.re(high) > 0:
                return self.context.zero
            raise Undefined("a power of zero")
        if exponent.value.denominator == 1 and exponent.value.numerator.bit_length() > MAGNITUDE_BITS:
            raise TooLarge("an exponent of too many digits")
        if exponent == HALF:
            return self.context.sqrt(low)
        if exponent.kind == "number" and exponent.value.denominator % 2 and self.is_real(low) and low < 0:
            # a negative number has real powers: the whole ones and, as taught at school, odd roots
            result = self.raised(-low, high)
            return -result if exponent.value.numerator % 2 else result
        return self.raised(low, high)

    def raised(self, low: Any, high: Any) -> Any:
        """``low`` to a power that may be any number."""
        if self.context.isint(high) and self.context.mag(high) <= MAGNITUDE_BITS:
            return low**high  # which is real, also for a negative number
        return self.exponential(high * self.context.log(low))

    def is_real(self, value: Any) -> bool:
        return not isinstance(value, self.context.mpc)

    def exponential(self, value: Any) -> Any:
        if self.context.mag(value) > MAGNITUDE_BITS:
            raise TooLarge("an exponential of too many digits")
        return self.context.exp(value)

    def call(self, formula: Formula) -> Any:
        return self.called(formula.name, list(map(self.value, formula.args)))

    def called(self, name: str, values: list[Any]) -> Any:
        """The value of a function at some values."""
        if name.startswith("?"):
            return self.unknown(name, values)
        if name in EXACT_FUNCTIONS:
            return self.whole(name, values)
        size = self.context.mag(values[0])
        is_angle = name in TRIGONOMETRIC and self.is_real(values[0])
        if name in FAST_GROWING and size > (ANGLE_BITS if is_angle else MAGNITUDE_BITS):
            raise TooLarge("an angle or an exponential of too many digits")
        return getattr(self.context, MPMATH.get(name, name))(*values)

    def whole(self, name: str, values: list[Any]) -> Any:
        """The value of one of the ``EXACT_FUNCTIONS``, of which most want whole numbers."""
        if name in ("degree", "abs"):
            return EXACT_FUNCTIONS[name](*values)
        if not all(map(self.is_real, values)):
            raise Undefined(f"'{name}' of a number that is not real")
        if any(value and not -WRITTEN_BITS < self.context.mag(value) <= MAGNITUDE_BITS for value in values):
            raise TooLarge("a number of too many digits")
        return self.fraction(EXACT_FUNCTIONS[name](*map(_in_full, values)))

    def unknown(self, name: str, values: list[Any]) -> Any:
        """The value of an unknown function, such as f. Each name stands for a wave of its own."""
        draw = random.Random(ascii(name))
        angle = sum((value * draw.uniform(1, 5) for value in values), draw.uniform(1, 5))
        if self.context.mag(angle) > MAGNITUDE_BITS:
            raise TooLarge("an argument of too many digits")
        return self.context.sin(angle) + draw.uniform(1, 5)


def _in_full(value: Any) -> Fraction:
    """A real number of mpmath as the fraction that it is."""
    from mpmath.libmp import to_rational  # as above

    return Fraction(*map(int, to_rational(value._mpf_)))


@dataclass
class _FloatEvaluation(_Evaluation):
    """Evaluates in floats. Gives up with an ``ArithmeticError`` where a value is not real, very large or very small, or
    where the errors of floats may have grown too much.

    ``growth``: by how much the relative error of the last value may be larger than that of a float.
    """

    growth: float = 1.0

    def value(self, formula: Formula) -> Any:
        others, self.growth = self.growth, 1.0
        value = super().value(formula)
        self.growth = max(self.growth, others)
        return value

    def grown(self, value: Any, times: float) -> Any:
        """The value itself, whose relative error may be so many times that of what it was computed from."""
        self.growth *= max(times, 1.0)
        if self.growth > MOST_ERROR_GROWTH:
            raise ArithmeticError("floats may not be exact enough")
        return value

    def fraction(self, value: Fraction) -> Any:
        above, below = value.as_integer_ratio()  # dividing them takes less time than float(value)
        return self.checked(above / below) if above else 0.0

    def checked(self, value: Any) -> Any:
        if isinstance(value, complex) or not 1 / LARGEST_FLOAT < abs(value) < LARGEST_FLOAT:
            raise ArithmeticError("floats may not be exact enough")
        return value

    def combined(self, kind: str, values: Sequence[Any]) -> Any:
        result = super().combined(kind, values)
        return self.grown(result, sum(map(abs, values)) / abs(result)) if kind == "sum" else result

    def raised(self, low: Any, high: Any) -> Any:
        return self.grown(super().raised(low, high), abs(high))

    def exponential(self, value: Any) -> Any:
        return self.grown(super().exponential(value), abs(value))

    def called(self, name: str, values: list[Any]) -> Any:
        """Gives up for functions that jump or are steep at an end, for endless sums, and for logarithms to a base."""
        if name in EXACT_FUNCTIONS or name.endswith(TO_INFINITY) or name == "log" or name in STEEP:
            raise ArithmeticError("floats do not tell what the function is")
        result = super().called(name, values)
        return self.grown(result, max(1.0, *map(abs, values)) * max(abs(result), 1 / abs(result)))


def surely_differ(one: Formula, other: Formula, point: Point) -> bool:
    """Whether a quick look, in floats, shows that two formulas have different real values at a point."""
    import mpmath  # as above

    try:
        values = [_FloatEvaluation(point, mpmath.fp).value(formula) for formula in (one, other)]
    except (ArithmeticError, AttributeError, ValueError, TypeError):  # mpmath has not all functions for floats
        return False
    return bool(abs(values[0] - values[1]) > FLOAT_DIFFERENCE * max(map(abs, values)))


STEEP = frozenset(INVERSE.values()) - {"arctan"}
FAST_GROWING = frozenset((*TRIGONOMETRIC, *HYPERBOLIC, "exp"))
MPMATH = {"i": "j", "lg": "log10"} | {inverse: f"a{name}" for name, inverse in INVERSE.items()}


# Decides whether a decimal is a correct rounding of an exact value, and how exactly a float is known.

FLOAT_DIGITS = 15  # a float is known to so many significant digits: its printed digits beyond them are its own
FEWEST_DIGITS = 13  # that are printed of one which stands for a fraction
EXACT_WHOLE = 2**53  # below it a float holds every whole number


def half_unit(places: int) -> Fraction:
    """Half a unit of the last digit of a decimal with ``places`` digits behind the point; -1 rounds to tens."""
    return Fraction(10) ** -places / 2


def is_near(formula: Formula, number: Fraction, distance: Fraction) -> bool:
    """Whether a formula without symbols is at most a distance away from a number. Draws on the budget.

    Raises:
        TooLarge: computing the formula would take too much.
    """
    value = computed(formula)
    return value is not None and abs(value - number) <= distance + abs(value) / 10 ** (COMPUTED_DIGITS - 1)


def float_error(value: Fraction) -> Fraction:
    """How far a number may be from what it stands for, if it is a float that was printed; else 0.

    A float is printed with the fewest digits that give it back, and one that stands for 1/3 or 0.1 + 0.2 needs at least
    15 of them, or by chance 13 or 14. It is known to 15 digits. A whole number that a float holds exactly is known
    exactly.

    >>> float_error(Fraction("0.30000000000000004")) > 4e-17, float_error(Fraction("0.3"))
    (True, Fraction(0, 1))
    """
    try:
        printed = Decimal(repr(float(value))).normalize()
    except OverflowError:  # no float is as large
        return Fraction(0)
    is_exact = value.denominator == 1 and abs(value) <= EXACT_WHOLE
    if is_exact or len(printed.as_tuple().digits) < FEWEST_DIGITS or Fraction(printed) != value:
        return Fraction(0)
    return half_unit(FLOAT_DIGITS - 1 - printed.adjusted())


def terminates(value: Fraction) -> bool:
    """Whether the decimal expansion of a value ends, that is, its denominator divides a power of ten."""
    return pow(10, value.denominator.bit_length(), value.denominator) == 0
