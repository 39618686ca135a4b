"""Puts values into the form of the other side: vectors into components, ratios to one scale, lists of equations.

Look here if the same answer in another form, a column or ``3\\mathbf{i} + 4\\mathbf{j}`` for ``(3, 4)``, is missed.
"""

from __future__ import annotations

from collections.abc import Sequence

from grpo_rewards.answers.formulas.budget import TooLarge
from grpo_rewards.answers.formulas.exact import Undefined
from grpo_rewards.answers.formulas.formula import Formula, has_symbols, number, power, product
from grpo_rewards.answers.formulas.vectors import components
from grpo_rewards.answers.values.kinds import (
    Bracketed,
    Expression,
    Matrix,
    Named,
    Number,
    Relation,
    Text,
    Union,
    Unordered,
    Value,
    as_formula,
    as_value,
)

__all__ = [
    "as_symbol",
    "components_of",
    "each_of",
    "flat",
    "has_units_of_its_own",
    "holds_relations",
    "in_proportion",
    "is_no_solution",
    "unit_vectors",
]

NO_SOLUTION = ("nosolution", "norealsolution", "none")  # as reading has them
NOTHING = number(0)


def in_proportion(gold: Sequence[Value], prediction: Sequence[Value]) -> tuple[Sequence[Value], Sequence[Value]]:
    """The parts of two ratios, each divided by its first if none has an unknown: ``14:6`` is ``7:3``."""
    sides = []
    for side in (gold, prediction):
        parts = [as_formula(part) for part in side if isinstance(part, Number | Expression) and part.unit is None]
        known = [part for part in parts if part is not None and part != NOTHING and not has_symbols(part)]
        if len(known) < len(side):
            return gold, prediction
        try:
            sides.append([as_value(product((part, power(known[0], number(-1))))) for part in known])
        except (TooLarge, Undefined):
            return gold, prediction
    return sides[0], sides[1]


def components_of(value: Value) -> Sequence[Value] | None:
    """The components of a tuple, a column or a row; ``None`` for other values."""
    if isinstance(value, Bracketed):
        return value.items if (value.opening, value.closing) == ("(", ")") else None
    if isinstance(value, Matrix) and (len(value.rows) == 1 or all(len(row) == 1 for row in value.rows)):
        return flat(value)
    return None


def unit_vectors(formula: Formula, size: int) -> Sequence[Value] | None:
    """The components of a sum of unit vectors; ``None`` if it is none."""
    found = components(formula, size)
    return None if found is None else list(map(as_value, found))


def as_symbol(value: Value) -> Value:
    """``C(10, 3)`` as a number of choices rather than a point; any other value as it is."""
    if isinstance(value, Named) and isinstance(value.of, Bracketed) and value.symbol is not None:
        return Expression(value.name, value.symbol)
    return value


def holds_relations(value: Unordered) -> bool:
    return any(isinstance(item, Relation | Named) for item in value.items)


def each_of(value: Value) -> Value:
    """A name with several values, ``y = \\pm x``, as a list of named values; any other value without its name."""
    if not isinstance(value, Named):
        return value
    if not isinstance(value.of, Unordered):
        return value.of
    return Unordered(tuple(Named(value.name, item, value.symbol) for item in value.of.items))


def is_no_solution(value: Value) -> bool:
    """Whether a value is the empty set, or says that there is no solution."""
    if isinstance(value, Text):
        return value.spelled in NO_SOLUTION
    return isinstance(value, Unordered) and not value.items


def flat(matrix: Matrix) -> list[Value]:
    """The entries of a matrix, row by row."""
    return [item for row in matrix.rows for item in row]


def has_units_of_its_own(labelled: Unordered | Union, bare: Unordered | Union) -> bool:
    """Whether the items of one list have different units, and those of the other are numbers without any."""
    units = {item.unit for item in labelled.items if isinstance(item, Number | Expression)}
    return len(units) > 1 and all(isinstance(item, Number | Expression) and item.unit is None for item in bare.items)
