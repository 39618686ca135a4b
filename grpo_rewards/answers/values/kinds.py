"""The kinds of values that an answer can have, what their names say, and how a value is shown to a reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import chain, filterfalse
from operator import attrgetter
from typing import TypeAlias, TypeGuard

from grpo_rewards.answers.formulas.formula import (
    Formula,
    NotExact,
    Undefined,
    bits,
    exact,
    number,
    substituted,
    symbols,
)

# The kinds of values that an answer can have once it is read, from numbers to formulas.


@dataclass(frozen=True)
class Number:
    """An exact number. ``places``: digits after the decimal point; ``None`` if it was not written as a decimal.

    In scientific notation they are those of the number that is meant: 5 for ``1.23e-3``, -1 for ``1.2e2``.
    """

    value: Fraction
    unit: str | None = None
    places: int | None = None


@dataclass(frozen=True)
class Infinity:
    """Plus or minus infinity; ``sign`` is 1 or -1."""

    sign: int


@dataclass(frozen=True)
class Text:
    """Words, a choice letter, a time, a numeral in another base than ten (``2516_8``), or an equation that says nothing
    (``3 = 5``): equal if spelled alike.
    """

    spelled: str


@dataclass(frozen=True)
class Bracketed:
    """A tuple or an interval with its brackets: ``(1, 2)`` may be either, ``[1, 2)`` is an interval.

    Ratios and functions by cases are kept in this form too, with ``:`` or ``cases`` for brackets.
    """

    opening: str
    items: tuple[Value, ...]
    closing: str


@dataclass(frozen=True)
class Unordered:
    r"""A set, a union of intervals, or a list of answers: ``\pm 5`` is a list of two.

    Attributes:
        braced: whether it was written as a set.
        in_order: whether it may also be a tuple without brackets: three amounts or more that "or" does not join.
    """

    items: tuple[Value, ...]
    braced: bool = field(default=False, compare=False)
    in_order: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Matrix:
    """A matrix or a vector, row by row."""

    rows: tuple[tuple[Value, ...], ...]

    @property
    def items(self) -> tuple[Value, ...]:
        """The entries, row by row."""
        return tuple(chain.from_iterable(self.rows))


@dataclass(frozen=True)
class Named:
    """A value with a name: ``x = 5``, ``f(x) = 2x``; ``x > 2`` is an interval with the name x.

    Attributes:
        symbol: the name as a formula, if it is one.
        others: further names of the same value, y and z in ``x = y = z = 1``.
    """

    name: str
    of: Value
    symbol: Formula | None = field(default=None, compare=False)
    others: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All its names."""
        return (self.name, *self.others)


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Family:
    """The values of a formula for all whole numbers: ``2k\\pi, k \\in \\mathbb{Z}``, ``1 \\pmod 6``.

    Attributes:
        of: the formula, or several, perhaps with a name; the index is the symbol ``INDEX``.
        domain: the whole numbers that the index stands for, as they are spelled: ``\\mathbb{Z}``.
    """

    of: Value
    domain: str


@dataclass(frozen=True)
class Approximated:
    """An exact value together with a decimal that it rounds to: ``\\frac{1}{3} \\approx 0.33``."""

    exact: Value
    decimal: Number


@dataclass(frozen=True)
class Expression:
    """A formula, or anything that could not be read, which is equal only if spelled alike.

    Attributes:
        formula: ``None`` if it could not be read; then it has no unit either.
        symbolic: whether it is mathematics that a computer algebra system could compare: an integral, a sum, a limit.
        measure: the amount with a unit that it may be as well: ten metres for ``10 m``, which may be 10 times m.
    """

    spelled: str
    formula: Formula | None = field(default=None, compare=False)
    unit: str | None = field(default=None, compare=False)
    symbolic: bool = field(default=False, compare=False)
    measure: Quantity | None = field(default=None, compare=False)


Value: TypeAlias = (
    Number | Infinity | Text | Bracketed | Unordered | Matrix | Named | Relation | Family | Approximated | Expression
)
Quantity: TypeAlias = Number | Expression
INDEX = "k"  # the symbol that the index of a family gets, because its name does not matter
WHOLE_NUMBERS_SET = "\\mathbb{Z}"


def as_formula(value: Value) -> Formula | None:
    """A number or an expression as a formula, without its unit; ``None`` for other values and what is no formula."""
    if isinstance(value, Number):
        return number(value.value)
    return value.formula if isinstance(value, Expression) else None


def as_value(formula: Formula) -> Quantity:
    """A formula as a value: a number if it is a rational one. ``1/0`` stays a formula.

    Raises:
        TooLarge: its value is too large.
    """
    try:
        return Number(exact(formula, {}))
    except (NotExact, Undefined, KeyError):
        return as_expression(formula)


def as_expression(formula: Formula) -> Expression:
    """A formula as a value that equals no other one by its spelling, since it was never written."""
    return Expression(str(formula), formula)


def with_formulas(value: Value, change: Callable[[Formula], Formula]) -> Value:
    """A value, or a list of values, with ``change`` applied to each of its formulas."""
    if isinstance(value, Named):
        return replace(value, of=with_formulas(value.of, change))
    if isinstance(value, Unordered | Bracketed):
        return replace(value, items=tuple(with_formulas(item, change) for item in value.items))
    formula = as_formula(value)
    if formula is None or not isinstance(value, Quantity):
        return value
    changed = change(formula)
    return value if changed == formula else Expression(str(changed), changed, value.unit)


def not_understood(value: Value | None) -> str:
    """The first part of a value, as it is spelled, that could not be read; ``""`` if all of it was."""
    match value:
        case Expression():
            return "" if value.formula is not None or value.symbolic else value.spelled or "a part"
        case Named(of=part) | Family(of=part) | Approximated(exact=part):
            return not_understood(part)
        case Bracketed() | Unordered() | Matrix():
            return next(filter(None, map(not_understood, value.items)), "")
    return ""


# What the names of values say: which values are a point, which names mean the same, ``x_1 = 2`` and ``x = 2``.

OF_A_LETTER = re.compile(r"(?<=^[yuvsrxz])\([xtns]\)$")  # y(x), of which y = ... says the same
ARGUMENT = re.compile(r"(?<=[A-Za-z'])\([nr-tx-z]\)$")
INDEX_OF_NAME = re.compile(r"_(?!\{\\m).*")
FACES_OF_NAMES = re.compile(
    r"^\|(?:\\vec\{)?([A-Z]{2})\}?\|$|\\(?:vec|mathbb)\{(\w+)\}|\\angle |^the(?=[a-z])"
    r"|\w(?:\(\w\))?_\{\\(max|min) \}|(?<=max|min)imum(?:value)?"
)
DETERMINANT = re.compile(r"\\det \(?([A-Z])\)?$")
ANOTHER_SIGN = str.maketrans("[]", "()", "\\ ")

NAMES_OF_GRAPHS = frozenset(["y", "f(x)", "g(x)", "h(x)", "f^{-1}(x)", "hat{y}"])
NAMES_OF_RADII = frozenset(["r", "rho"])
COMBINED_SETS = re.compile(r"[A-Z](?:c[au]p[A-Z])+")
SIDE_OR_ANGLE = re.compile(r"(\\angle (?=...$)|(?=..$))([A-Z]+)")


def are_named(value: Value) -> bool:
    """Whether a value lists values of different unknowns, ``x = 1, y = 2``.

    ``x_{1} = 1, x_{2} = 2`` does not: it lists two values of the same unknown.
    """
    return isinstance(value, Unordered) and len(unindexed_names(value.items)) == len(value.items) > 1


def unindexed_names(items: Sequence[Value]) -> set[str]:
    """The names of some values, without an index: x of ``x_{1} = 1``. Of ``f_{\\max}``, that is none."""
    return {INDEX_OF_NAME.sub("", item.name, count=1) for item in items if isinstance(item, Named)}


def by_name(items: Sequence[Value]) -> Sequence[Value]:
    """The items in the order of their names, if all have one of as many characters that is no word; else unchanged."""
    named = [item for item in items if isinstance(item, Named) and not item.name[1:].islower()]
    are_alike = len(named) == len(items) and len({len(item.name) for item in named}) == 1
    return sorted(named, key=attrgetter("name")) if are_alike else items


def is_named(value: Named, name: str) -> bool:
    """Whether a name is among those of a value: y of ``y = k = 5``.

    A function may lack its argument, ``y`` for ``y(x)``; the y of a graph is also ``f(x)``, and the r of a polar curve
    ``\\rho``. The side AB is as long as BA, and the angle ABC is CBA. That ``1 < x`` says what ``A \\cap B`` is.
    """
    names = [_plain(one) for one in (name, *value.names)]
    spelled, *every = names
    bare = ARGUMENT.sub("", spelled)
    if any(one in (spelled, bare) or ARGUMENT.sub("", one) == spelled for one in every):
        return True
    is_graph = "y" in names and NAMES_OF_GRAPHS.issuperset(names)
    is_polar = "\\theta" in getattr(value.of, "spelled", "") and NAMES_OF_RADII.issuperset(names)
    amount = as_formula(value.of)
    side = None if amount is None or symbols(amount) else SIDE_OR_ANGLE.fullmatch(name)
    is_set = {*filterfalse(COMBINED_SETS.fullmatch, names)} == {"x"} and isinstance(value.of, Bracketed | Unordered)
    return is_graph or is_polar or is_set or (side is not None and side[1] + side[2][::-1] in value.names)


def _plain(name: str) -> str:
    """A name without what only sets it: ``\\cos \\angle A`` and ``cos∠A`` are one, and so are ``\\mathbb{E}[X]`` and
    ``E(X)``, ``\\vec{v}`` and v, ``\\angle A`` and A, ``f_{\\max}``, maximum and max, ``\\det A`` and ``|A|``,
    ``|AB|`` and AB.
    """
    plain = FACES_OF_NAMES.sub(r"\1\2\3", DETERMINANT.sub(r"|\1|", name))
    return OF_A_LETTER.sub("", plain.translate(ANOTHER_SIGN), count=1)


def with_argument_of(one: Named, other: Named) -> Value | None:
    """What a function ``other`` is, with the argument of ``one``: 2x for ``f(x)`` and ``f(y) = 2y``; ``None`` if they
    are no functions of one argument with the same name.
    """
    match one.symbol, other.symbol, other.of:
        case (
            Formula(name=name, args=(Formula("symbol") as ours,)),
            Formula(name=other_name, args=(Formula("symbol") as theirs,)),
            Expression(formula=Formula() as formula),
        ) if name == other_name and name[:1] == "?" and symbols(formula) & {ours.name, theirs.name} == {theirs.name}:
            return with_formulas(other.of, lambda of: substituted(of, {theirs: ours}))
    return None


def without_indices(one: Sequence[Value], other: Sequence[Value]) -> tuple[Sequence[Value], Sequence[Value]]:
    """Two lists of named values, without the indices of the names if one of them has none: ``x_1 = 2`` is ``x = 2``."""
    stems = unindexed_names([*one, *other])
    names = [{item.name for item in side if isinstance(item, Named)} for side in (one, other)]
    if len(stems) != 1 or stems not in names:
        return one, other
    (stem,) = stems
    first, second = (
        [replace(item, name=stem) if isinstance(item, Named) else item for item in side] for side in (one, other)
    )
    return first, second


def is_tuple(value: Value) -> TypeGuard[Bracketed]:
    """Whether a value is in parentheses: a tuple, or an open interval."""
    return isinstance(value, Bracketed) and (value.opening, value.closing) == ("(", ")")


def components_of(value: Value) -> Sequence[Value]:
    """The components of a tuple, with or without brackets, of a column or a row; none for other values."""
    if isinstance(value, Matrix) and (len(value.rows) == 1 or set(map(len, value.rows)) <= {1}):
        return value.items
    return value.items if is_tuple(value) or (isinstance(value, Unordered) and value.in_order) else ()


def is_point(value: Value) -> TypeGuard[Bracketed | Unordered]:
    """Whether a value can be a point: ``(1, 2)``, or ``x = 1, y = 2``."""
    return is_tuple(value) or are_named(value)


# Writes an amount as a reader would say it, so that it shows how an answer was read: ``5pct`` is not ``5 percent``.

SHOWN_CHARACTERS = 500  # of a value; the rest is cut off
SHOWN_BITS = 240  # of a number; a longer one is not written out


def shown(value: Value, spelled: str = "") -> str:
    """A number or a formula with its unit and name: ``5 percent``, ``x = 2y``; at most 500 characters.

    Any other value is shown as it is ``spelled``.
    """
    amount = value.of if isinstance(value, Named) else value
    if not isinstance(amount, Quantity):
        return spelled
    text = amount.spelled if isinstance(amount, Expression) else _in_digits(amount.value, amount.places or 0)
    text = text if amount.unit is None else f"{text} {amount.unit}"
    if isinstance(value, Named):
        text = " = ".join((value.name.strip(), *value.others, text))
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _in_digits(value: Fraction, places: int) -> str:
    if bits(value) > SHOWN_BITS:
        return "a number of many digits"
    scaled = value * 10**places if places > 0 else value
    return f"{Decimal(int(scaled)).scaleb(-places):f}" if places > 0 and scaled == int(scaled) else str(value)
