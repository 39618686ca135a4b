"""The kinds of values that an answer can have once it is read, from numbers to formulas."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from grpo_rewards.answers.formulas.exact import NotExact, exact
from grpo_rewards.answers.formulas.formula import Formula, number

__all__ = [
    "INDEX",
    "WHOLE_NUMBERS_SET",
    "Approximated",
    "Based",
    "Bracketed",
    "Expression",
    "Family",
    "Infinity",
    "Matrix",
    "Named",
    "Number",
    "Relation",
    "Text",
    "Union",
    "Unordered",
    "Value",
    "as_expression",
    "as_formula",
    "as_value",
    "not_understood",
]


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number. ``places``: digits after the decimal point; ``None`` if it was not written as a decimal.

    In scientific notation they are those of the number that is meant: 5 for ``1.23e-3``, -1 for ``1.2e2``.
    """

    value: Fraction
    unit: str | None = None
    places: int | None = None


@dataclass(frozen=True, slots=True)
class Infinity:
    """Plus or minus infinity; ``sign`` is 1 or -1."""

    sign: int


@dataclass(frozen=True, slots=True)
class Based:
    """A numeral in another base than ten: ``2516_8``. ``base`` is as written, in digits or in words."""

    digits: str
    base: str


@dataclass(frozen=True, slots=True)
class Text:
    """Words, a choice letter, a time, or an equation that says nothing (``3 = 5``): equal if spelled alike."""

    spelled: str


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A tuple or an interval with its brackets: ``(1, 2)`` may be either, ``[1, 2)`` is an interval.

    Ratios and functions by cases are kept in this form too, with ``:`` or ``cases`` for brackets.
    """

    opening: str
    items: tuple[Value, ...]
    closing: str


@dataclass(frozen=True, slots=True)
class Unordered:
    r"""A set, or a list of answers: ``\pm 5`` is a list of two. ``braced``: whether it was written as a set."""

    items: tuple[Value, ...]
    braced: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Union:
    """Sets of numbers joined by ``\\cup``."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix or a vector, row by row."""

    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A value with a name: ``x = 5``, ``f(x) = 2x``; ``x > 2`` is an interval with the name x.

    Attributes:
        symbol: the name as a formula, if it is one.
        others: further names of the same value, y and z in ``x = y = z = 1``.
        computed: what the value was computed from, which only computer algebra can check: an integral, a sum.
    """

    name: str
    of: Value
    symbol: Formula | None = field(default=None, compare=False)
    others: tuple[str, ...] = field(default=(), compare=False)
    computed: tuple[Expression, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Relation:
    """An equation or inequality that does not give a value to a name: ``x + y = 2``, ``x < y``.

    Attributes:
        sign: ``=``, ``<``, ``\\le`` or ``\\ne``, which stands between ``difference`` and 0.
        difference: the left side minus the right side.
        total: 6 for ``m + n = 6``, which says what a sum or product of symbols is; ``None`` for other relations.
    """

    sign: str
    difference: Formula
    total: Value | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Family:
    """The values of a formula for all whole numbers: ``2k\\pi, k \\in \\mathbb{Z}``, ``1 \\pmod 6``.

    Attributes:
        of: the formula, or several, perhaps with a name; the index is the symbol ``INDEX``.
        domain: the whole numbers that the index stands for, as they are spelled: ``\\mathbb{Z}``.
    """

    of: Value
    domain: str


@dataclass(frozen=True, slots=True)
class Approximated:
    """An exact value together with a decimal that it rounds to: ``\\frac{1}{3} \\approx 0.33``."""

    exact: Value
    decimal: Number


@dataclass(frozen=True, slots=True)
class Expression:
    """A formula, or anything that could not be read, which is equal only if spelled alike.

    Attributes:
        formula: ``None`` if it could not be read.
        symbolic: whether it is mathematics that a computer algebra system could compare: an integral, a sum, a limit.
        measure: the amount with a unit that it may be as well: ten metres for ``10 m``, which may be 10 times m.
    """

    spelled: str
    formula: Formula | None = field(default=None, compare=False)
    unit: str | None = field(default=None, compare=False)
    symbolic: bool = field(default=False, compare=False)
    measure: Number | Expression | None = field(default=None, compare=False)


Value: TypeAlias = (
    Number
    | Infinity
    | Based
    | Text
    | Bracketed
    | Unordered
    | Union
    | Matrix
    | Named
    | Relation
    | Family
    | Approximated
    | Expression
)
INDEX = "k"  # the symbol that the index of a family gets, because its name does not matter
WHOLE_NUMBERS_SET = "\\mathbb{Z}"


def as_formula(quantity: Number | Expression) -> Formula | None:
    """A number or an expression as a formula, without its unit; ``None`` if the expression has no formula."""
    return number(quantity.value) if isinstance(quantity, Number) else quantity.formula


def as_value(formula: Formula) -> Number | Expression:
    """A formula as a value: a number if it is a rational one.

    Raises:
        Undefined, TooLarge: it has no value, or too large a one.
    """
    try:
        return Number(exact(formula, {}))
    except (NotExact, KeyError):
        return as_expression(formula)


def as_expression(formula: Formula) -> Expression:
    """A formula as a value that equals no other one by its spelling, since it was never written."""
    return Expression(str(formula), formula)


def not_understood(value: Value) -> str:
    """The first part of a value, as it is spelled, that could not be read; ``""`` if all of it was."""
    if isinstance(value, Expression):
        return "" if value.formula is not None or value.symbolic else value.spelled or "a part"
    if isinstance(value, Named | Family):
        return not_understood(value.of)
    if isinstance(value, Approximated):
        return not_understood(value.exact)
    if isinstance(value, Matrix):
        return next(filter(None, (not_understood(item) for row in value.rows for item in row)), "")
    items = value.items if isinstance(value, Bracketed | Unordered | Union) else ()
    return next(filter(None, map(not_understood, items)), "")
