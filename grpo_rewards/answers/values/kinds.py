"""The kinds of answers, as they are read."""

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
    """An exact number. ``places``: digits behind the point of a decimal, ``None`` for other spellings."""

    value: Fraction
    unit: str | None = None
    places: int | None = None


@dataclass(frozen=True, slots=True)
class Infinity:
    sign: int


@dataclass(frozen=True, slots=True)
class Based:
    """A numeral in a base: ``2516_8``."""

    digits: str
    base: str


@dataclass(frozen=True, slots=True)
class Text:
    """Words, a choice letter, a time, a ratio, or an equation that does not hold: equal if spelled alike."""

    spelled: str


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A tuple or an interval, with its delimiters: ``(1, 2)`` may be either, ``[1, 2)`` is an interval."""

    opening: str
    items: tuple[Value, ...]
    closing: str


@dataclass(frozen=True, slots=True)
class Unordered:
    r"""A set, or a list of several answers; ``\pm 5`` is one of two. ``braced``: it is written as a set."""

    items: tuple[Value, ...]
    braced: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Union:
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A value that was given a name: ``x = 5``, ``x > 2``, ``f(x) = 2x``. ``symbol``: the name as a formula."""

    name: str
    of: Value
    symbol: Formula | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Relation:
    """An equation or inequality that names no value: ``sign`` is ``=``, ``<``, ``\\le`` or ``\\ne``, between
    ``difference`` and zero. ``total``: what ``m + n`` is, where it says only that."""

    sign: str
    difference: Formula
    total: Value | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Approximated:
    """An exact value with a rounding of it: ``\\frac{1}{3} \\approx 0.33``."""

    exact: Value
    decimal: Number


@dataclass(frozen=True, slots=True)
class Expression:
    """A formula, or what is none and equal only if spelled alike.

    Attributes:
        formula: ``None`` where it cannot be computed here.
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
    """A number or an expression as a formula, without its unit; ``None`` where it cannot be computed."""
    return number(quantity.value) if isinstance(quantity, Number) else quantity.formula


def are_named(value: Value) -> bool:
    """Whether it lists the values of different unknowns; ``x_{1}`` and ``x_{2}`` are two values of one."""
    if not isinstance(value, Unordered):
        return False
    names = {item.name.partition("_")[0] for item in value.items if isinstance(item, Named)}
    return len(names) == len(value.items) > 1


def by_name(items: Sequence[Value]) -> Sequence[Value]:
    """Values of unknowns in the order of their letters; others as they stand."""
    names = [item.name for item in items if isinstance(item, Named)]
    is_sortable = len(names) == len(items) and all(len(name) == 1 for name in names)
    return sorted(items, key=lambda item: getattr(item, "name", "")) if is_sortable else items


def are_points(items: Sequence[Value]) -> bool:
    """Whether all are tuples with nothing of an interval: no square bracket, no infinity."""
    return all(
        isinstance(item, Bracketed)
        and (item.opening, item.closing) == ("(", ")")
        and not any(isinstance(one, Infinity) for one in item.items)
        for item in items
    )


def is_point(value: Value) -> TypeGuard[Bracketed | Unordered]:
    if isinstance(value, Unordered):
        return are_named(value)
    return isinstance(value, Bracketed) and (value.opening, value.closing) == ("(", ")")
