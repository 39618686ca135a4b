"""The kinds of values that an answer can have once it is read, from numbers to formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, TypeGuard

from grpo_rewards.answers.formulas.formula import Formula, number

__all__ = [
    "Approximated",
    "Based",
    "Bracketed",
    "Expression",
    "Infinity",
    "Matrix",
    "Named",
    "Number",
    "Relation",
    "Text",
    "Union",
    "Unordered",
    "Value",
    "are_named",
    "are_points",
    "as_formula",
    "by_name",
    "is_point",
]


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number. ``places``: digits after the decimal point; ``None`` if it was not written as a decimal."""

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

    ``symbol``: the name as a formula, if it is one.
    """

    name: str
    of: Value
    symbol: Formula | None = field(default=None, compare=False)


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
    """

    spelled: str
    formula: Formula | None = field(default=None, compare=False)
    unit: str | None = field(default=None, compare=False)
    symbolic: bool = field(default=False, compare=False)


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
    | Approximated
    | Expression
)


def as_formula(quantity: Number | Expression) -> Formula | None:
    """A number or an expression as a formula, without its unit; ``None`` if the expression has no formula."""
    return number(quantity.value) if isinstance(quantity, Number) else quantity.formula


def are_named(value: Value) -> bool:
    """Whether a value lists values of different unknowns, ``x = 1, y = 2``.

    ``x_{1} = 1, x_{2} = 2`` does not: it lists two values of the same unknown.
    """
    if not isinstance(value, Unordered):
        return False
    names = {item.name.partition("_")[0] for item in value.items if isinstance(item, Named)}
    return len(names) == len(value.items) > 1


def by_name(items: Sequence[Value]) -> Sequence[Value]:
    """The items in the alphabetical order of their names, if all have a name of one letter; else unchanged."""
    names = [item.name for item in items if isinstance(item, Named)]
    is_sortable = len(names) == len(items) and all(len(name) == 1 for name in names)
    return sorted(items, key=lambda item: getattr(item, "name", "")) if is_sortable else items


def are_points(items: Sequence[Value]) -> bool:
    """Whether every item is in parentheses and without infinity, so that nothing shows it to be an interval."""
    return all(
        isinstance(item, Bracketed)
        and (item.opening, item.closing) == ("(", ")")
        and not any(isinstance(one, Infinity) for one in item.items)
        for item in items
    )


def is_point(value: Value) -> TypeGuard[Bracketed | Unordered]:
    """Whether a value can be a point: ``(1, 2)``, or ``x = 1, y = 2``."""
    if isinstance(value, Unordered):
        return are_named(value)
    return isinstance(value, Bracketed) and (value.opening, value.closing) == ("(", ")")
