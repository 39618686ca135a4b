"""The tree of a formula, and functions that build one: numbers, constants, symbols, sums, products, powers, calls."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

__all__ = [
    "HALF",
    "NUMBER_BITS",
    "TO_INFINITY",
    "Formula",
    "call",
    "difference",
    "has_symbols",
    "in_radians",
    "negative",
    "number",
    "power",
    "product",
    "quotient",
    "repeated",
    "total",
    "unread",
]


class Formula(NamedTuple):
    """A node of the tree. Which fields it uses depends on its ``kind``.

    ``number``: ``value`` · ``constant`` (``pi``, ``e``, ``i``) and ``symbol``: ``name`` · ``sum`` and ``product``:
    ``args`` · ``power``: ``args``, which are base and exponent · ``call``: ``name`` and ``args``. The name of an
    unknown function, such as f, starts with ``?``; if it ends in ``_``, its argument is the index of a symbol, as in
    ``x_{k}`` · ``repeated``: ``name`` is ``sum`` or ``product``, ``args`` are its index, its bounds and its term ·
    ``unread``: an operator of which only the spelling is known, with its parts; ``name`` says which and over what.

    The index of a sum is a symbol whose name starts with ``#``, whatever letter was written.
    """

    kind: str
    name: str = ""
    args: tuple[Formula, ...] = ()
    value: Fraction = Fraction(0)


NUMBER_BITS = 8_000  # of a quotient that becomes one number; a larger one stays a product
HALF = Formula("number", value=Fraction(1, 2))
TO_INFINITY = " to infinity"  # ends the name of an unread sum that has a first index and no last one


def number(value: int | Fraction) -> Formula:
    return Formula("number", value=Fraction(value))


def total(terms: Sequence[Formula]) -> Formula:
    return terms[0] if len(terms) == 1 else Formula("sum", args=tuple(terms))


def product(factors: Sequence[Formula]) -> Formula:
    return factors[0] if len(factors) == 1 else Formula("product", args=tuple(factors))


def power(base: Formula, exponent: Formula) -> Formula:
    """A power; of a power of a positive number, its power: ``(\\sqrt{2})^{4000}`` is ``2^{2000}``."""
    if base.kind == "power" and exponent.kind == "number":
        inner, outer = base.args
        if inner.kind == outer.kind == "number" and inner.value > 0:
            return Formula("power", args=(inner, number(outer.value * exponent.value)))
    return Formula("power", args=(base, exponent))


def call(name: str, *args: Formula) -> Formula:
    return Formula("call", name, args)


def repeated(name: str, index: str, low: Formula, high: Formula, term: Formula) -> Formula:
    """The ``sum`` or ``product`` of a term over the whole numbers from ``low`` to ``high``."""
    return Formula("repeated", name, (Formula("symbol", index), low, high, term))


def unread(name: str, *parts: Formula) -> Formula:
    """An operator that cannot be computed: two are the same if they have the same name and the same parts."""
    return Formula("unread", name, parts)


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


def in_radians(formula: Formula) -> Formula:
    """The formula with every angle in degrees turned into radians, which the trigonometric functions take."""
    args = tuple(map(in_radians, formula.args))
    if formula.kind == "call" and formula.name == "degree":
        return product((*args, number(Fraction(1, 180)), Formula("constant", "pi")))
    return formula._replace(args=args) if args else formula
