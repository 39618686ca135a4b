"""The tree of a formula, functions that build one, and what a formula holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

# The tree of a formula, and functions that build one: numbers, constants, symbols, sums, products, powers, calls.


class Formula(NamedTuple):
    """A node of the tree. Which fields it uses depends on its ``kind``.

    ``number``: ``value`` · ``constant`` (``pi``, ``e``, ``i``) and ``symbol``: ``name`` · ``sum`` and ``product``:
    ``args`` · ``power``: ``args``, which are base and exponent · ``call``: ``name`` and ``args``. The name of an
    unknown function, such as f, starts with ``?``; ``x_{k}`` in a sum over k is one, too · ``repeated``: ``name`` is
    ``sum`` or ``product``, ``args`` are its index, its bounds and its term.

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


def quotient(above: Formula, below: Formula) -> Formula:
    """The quotient of two formulas. The quotient of two numbers is a number, unless it is too large."""
    if above.kind == below.kind == "number" and below.value:
        folded = above.value / below.value
        if max(folded.numerator.bit_length(), folded.denominator.bit_length()) <= NUMBER_BITS:
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


def in_radians(formula: Formula) -> Formula:
    """The formula with every angle in degrees turned into radians, which the trigonometric functions take."""
    degree = (number(Fraction(1, 180)), PI)
    return rewritten(formula, lambda part: product((*part.args, *degree)) if part.name == "degree" else part)
