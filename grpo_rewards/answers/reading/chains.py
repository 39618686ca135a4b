"""Reads chains of equal things: ``x = 2 + 3 = 5``, ``F = ma = 10 N``, ``3/5 = 60 %``, ``1/3 \\approx 0.33``.

The last part is the value, if every link before it holds. Look here if a true chain is refused, or a false one is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from grpo_rewards.answers.formulas.formula import Formula, difference, has_symbols, number, product, quotient
from grpo_rewards.answers.formulas.identity import same
from grpo_rewards.answers.formulas.rounding import is_rounding
from grpo_rewards.answers.formulas.structure import symbols
from grpo_rewards.answers.latex.brackets import outside, split
from grpo_rewards.answers.latex.tree import Nodes, render
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.names import is_name, is_quantity
from grpo_rewards.answers.reading.operators import is_computable
from grpo_rewards.answers.reading.quantities.conversions import Ratio, ratio
from grpo_rewards.answers.values.kinds import (
    Approximated,
    Expression,
    Named,
    Number,
    Relation,
    Text,
    Value,
    as_formula,
)

__all__ = ["ReadPart", "is_computed_amount", "read_chain"]

ReadPart: TypeAlias = Callable[[Nodes], Value]  # reads a side of a relation, or a cell of a matrix
IN_DEGREES = quotient(number(180), Formula("constant", "pi"))


class _Part(NamedTuple):
    """A part of a chain: what it says, and that as a formula without its unit, ``None`` if it is none."""

    value: Value
    formula: Formula | None

    @property
    def unit(self) -> str | None:
        """The unit behind an amount."""
        return self.value.unit if isinstance(self.value, Number | Expression) else None


def read_chain(parts: Sequence[Nodes], signs: Sequence[str], read: ReadPart) -> Value:
    """The value of a chain such as ``x = 2 + 3 = 5`` or ``1/3 \\approx 0.33``.

    If a link does not hold, as in ``3 = 5``, a ``Text``, which equals no number; if it cannot be decided whether it
    does, an ``Expression`` that is not understood. What only computer algebra can decide goes into the value.
    """
    read_parts = [_part(part, read) for part in parts]
    named = _named_parts(parts, read_parts)
    value = _links(read_parts[named:], signs[named:])
    if value is None:
        return Expression("=".join(map(render, parts)))
    if isinstance(value, Text) or (not named and not isinstance(value, Named)):
        return Text("=".join(map(render, parts))) if isinstance(value, Text) else value
    first, *others = parts[:named] or parts[:1]
    formula = read_formula(first)
    if is_name(first) or formula is None or not named:
        names = tuple(render(other) for other in others if is_name(other))
        shown = value if isinstance(value, Named) else Named("", value)
        return Named(render(first), shown.of, formula if named else None, names, shown.computed)
    if isinstance(value, Named):
        return Expression("=".join(map(render, parts)))
    last = read_parts[-1].formula
    return Text(render(parts[-1])) if last is None else Relation("=", difference(formula, last), value)


def is_computed_amount(left: Nodes, right: Nodes, read: ReadPart) -> bool:
    """Whether an amount with a unit stands for what can be computed: ``3/5 = 60 %``, ``2 \\cdot 3 = 6 cm``."""
    amount = _part(right, read)
    if amount.unit is None or amount.formula is None or has_symbols(amount.formula):
        return False
    computed = _part(left, read).formula
    return computed is not None and not has_symbols(computed)


def _part(nodes: Nodes, read: ReadPart) -> _Part:
    """A part of a chain as it is read. An integral or a sum without unknowns is left to computer algebra."""
    value = _sum_of_amounts(nodes, read) or read(nodes)
    if is_computable(nodes):
        return _Part(Expression(render(nodes), symbolic=True), None)
    formula = as_formula(value) if isinstance(value, Number | Expression) else read_formula(nodes)
    return _Part(value, formula)


def _sum_of_amounts(nodes: Nodes, read: ReadPart) -> Number | None:
    """``100\\% - 55\\%`` or ``\\$20 + \\$25`` as one amount; ``None`` unless all terms are in one unit."""
    terms, places = split(nodes, ("+", "-")), outside(nodes, ("+", "-"))
    if len(terms) < 2 or not all(terms):
        return None
    amounts = [read(term) for term in terms]
    total, unit = Fraction(0), None
    for amount, sign in zip(amounts, ["+", *(nodes[place].text for place in places)], strict=True):
        if not isinstance(amount, Number) or amount.unit is None or amount.unit != (unit or amount.unit):
            return None
        total, unit = total + (amount.value if sign == "+" else -amount.value), amount.unit
    return Number(total, unit)


def _named_parts(parts: Sequence[Nodes], read_parts: Sequence[_Part]) -> int:
    """How many parts of a chain only name its value: 2 in ``x = y = 1``, and in ``A = \\pi r^2 = 9\\pi``."""
    last = read_parts[-1].formula
    is_constant = last is None or not has_symbols(last)
    known: set[str] = set()
    for index, part in enumerate(parts[:-1]):
        if is_name(part):
            known.add(render(part))
            continue
        if is_computable(part) or isinstance(read_parts[index].value, Number):
            return index
        formula = read_formula(part)
        is_of_others = formula is not None and bool(known) and has_symbols(formula) and not symbols(formula) & known
        if not is_constant or not (is_quantity(part) or is_of_others):
            return index
    return len(parts) - 1


def _links(parts: Sequence[_Part], signs: Sequence[str]) -> Value | None:
    """The value of the computed part of a chain, which may be only its last part.

    A ``Text`` if a link does not hold, ``None`` if one is undecided, a ``Named`` if it needs computer algebra.
    """
    first, value = parts[0], parts[0].value
    computed: list[Expression] = []
    for sign, part in zip(signs, parts[1:], strict=True):
        if isinstance(first.value, Expression) and first.formula is None and first.value.symbolic:
            computed.append(first.value)
            first, value = part, part.value
            continue
        holds = _is_equal(first, part)
        if holds:
            value = part.value if sign != "\\approx" else value
        elif isinstance(part.value, Number) and _rounds_to(first, part.value):
            value = Approximated(value, part.value)
        else:
            return holds if holds is None else Text("")
    if computed and first.formula is None:
        return None
    return Named("", value, computed=tuple(computed)) if computed else value


def _is_equal(one: _Part, other: _Part) -> bool | None:
    """Whether a link holds. What has unknowns on one side is no false statement, but an equation: undecided."""
    if one.formula is None and one.value == other.value and not isinstance(one.value, Expression):
        return True  # sets, points and matrices
    if one.formula is None or other.formula is None or not _meant(one, other):
        return None
    if any(same(formula, other.formula) for formula in _meant(one, other)):
        return True
    if has_symbols(one.formula) or has_symbols(other.formula):
        return None
    return False if same(one.formula, other.formula) is False else None  # 10 = 10 % is a slip


def _meant(one: _Part, other: _Part) -> list[Formula]:
    """A formula in the unit of the next part of its chain, in each way in which it may be meant; ``[]`` if unknown."""
    assert one.formula is not None
    if one.formula is None or one.unit == other.unit:
        return [] if one.formula is None else [one.formula]
    if one.unit == "percent" or other.unit == "percent":
        factor = Fraction(100) if other.unit == "percent" else Fraction(1, 100)
        return [] if one.unit and other.unit else [product((number(factor), one.formula))]
    if one.unit and other.unit:
        known = ratio(one.unit, other.unit)
        return [product((number(known.factor), one.formula))] if isinstance(known, Ratio) and not known.pi else []
    if one.unit == "degree":
        return [one.formula, quotient(one.formula, IN_DEGREES)]
    return [one.formula, product((one.formula, IN_DEGREES))] if other.unit == "degree" else [one.formula]


def _rounds_to(part: _Part, decimal: Number) -> bool:
    """Whether a number is a decimal to which the value of a part rounds."""
    if part.formula is None or decimal.places is None or has_symbols(part.formula):
        return False
    places, worth = decimal.places, decimal.value
    return any(is_rounding(formula, worth, places) for formula in _meant(part, _Part(decimal, None)))
