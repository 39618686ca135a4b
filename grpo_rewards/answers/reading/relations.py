"""Reads equations, inequalities and chains of them: ``x = 5``, ``1 < x \\le 3``, ``x + y = 2``, ``1/3 \\approx 0.33``.

The result is a value with a name, an interval with a name, or a relation between two formulas.
"""

from __future__ import annotations

from collections.abc import Sequence

from grpo_rewards.answers.formulas.formula import Formula, difference, has_symbols
from grpo_rewards.answers.formulas.structure import symbols
from grpo_rewards.answers.latex.brackets import outside, split
from grpo_rewards.answers.latex.tree import Node, Nodes, render
from grpo_rewards.answers.reading.chains import ReadPart, is_computed_amount, read_chain
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.names import is_derivative, is_letter_tuple, is_name, is_quantity, names_in
from grpo_rewards.answers.reading.operators import is_computable
from grpo_rewards.answers.values.inequalities import GREATER, LESS, MIRRORED, as_condition, ray, solved
from grpo_rewards.answers.values.intervals import NotReal, intersection
from grpo_rewards.answers.values.kinds import (
    Bracketed,
    Expression,
    Named,
    Number,
    Relation,
    Text,
    Union,
    Unordered,
    Value,
)

__all__ = ["CONDITIONS", "RELATION_SIGNS", "ReadPart", "read_relation"]

EQUALS = ("=", "\\approx", "\\equiv")
RELATION_SIGNS = (*EQUALS, *LESS, *GREATER, "\\ne", "\\in")
CONDITIONS = (*LESS, *GREATER, "\\ne", "\\in")
LINKS = 12  # signs in the longest chain that is read


def read_relation(nodes: Nodes, read: ReadPart) -> Value | None:
    """What an equation or inequality says; ``None`` if ``nodes`` are not one that is understood.

    ``read`` reads its sides.
    """
    places = outside(nodes, RELATION_SIGNS)
    if not places:
        return _mapping(nodes, read)
    parts = split(nodes, RELATION_SIGNS)
    signs = [nodes[place].text for place in places]
    if not all(parts) or len(signs) > LINKS:
        return None
    if signs == ["\\in"]:
        return _member(parts, read)
    if all(sign in EQUALS for sign in signs):
        return (
            _equation(parts[0], parts[1], read)
            if len(signs) == 1 and signs[0] != "\\approx"
            else read_chain(parts, signs, read)
        )
    return _inequality(parts, signs, read)


def _mapping(nodes: Nodes, read: ReadPart) -> Value | None:
    """``f: x \\mapsto 2x`` as ``f(x) = 2x``, and ``x \\mapsto 2x`` as ``2x``; ``None`` for anything else."""
    parts = split(nodes, ("\\mapsto",))
    if len(parts) != 2 or not all(parts):
        return None
    before = split(parts[0], (":",))
    argument = before[-1]
    if len(before) > 2 or not argument or not is_name(argument):
        return None
    if len(before) == 1:
        return read(parts[1])
    named = (*before[0], Node("mark", "("), *argument, Node("mark", ")"))
    return Named(render(named), read(parts[1]), read_formula(named))


def _member(parts: Sequence[Nodes], read: ReadPart) -> Value | None:
    """``x \\in [1, 2]`` as a set with a name."""
    of = read(parts[1])
    if not is_name(parts[0]) or not isinstance(of, Bracketed | Unordered | Union | Expression):
        return None
    return Named(render(parts[0]), of)


def _equation(left: Nodes, right: Nodes, read: ReadPart) -> Value | None:
    """``x = 5`` as a value with a name, ``(x, y) = (1, 2)`` as several, ``x + y = 2`` as a relation."""
    if render(left) == render(right):
        return Text(f"{render(left)}={render(right)}")  # x = x says nothing
    if is_name(right) and not is_name(left):
        left, right = right, left
    if is_letter_tuple(left):
        values, names = read(right), names_in(left)
        if isinstance(values, Bracketed) and len(values.items) == len(names):
            return Unordered(tuple(Named(name, value) for name, value in zip(names, values.items, strict=True)))
    if is_name(left) and (":" not in (node.text for node in left) or ":" in (node.text for node in right)):
        value = read(right)
        if (equation := _of_shifted(left, value)) is not None:
            return equation
        if isinstance(value, Text) and len(value.spelled) == 1:
            return Text(f"{render(left)}={render(right)}")  # A = B names no choice
        return Named(render(left), value, None if is_derivative(left) else _as_symbol(left))
    one, other = read_formula(left), read_formula(right)
    if is_computable(left) or is_computed_amount(left, right, read):
        return read_chain((left, right), ["="], read)
    if (one is None or other is None) and is_quantity(left):
        return Named(render(left), read(right))
    if one is None or other is None:
        return None
    if not has_symbols(one) and not has_symbols(other):
        return read_chain((left, right), ["="], read)
    return Relation("=", difference(one, other), _total(left, right, read))


def _of_shifted(left: Nodes, value: Value) -> Relation | None:
    """``f(x + 1) = 2x`` as an equation, for it does not say what f is; ``None`` for ``f(x) = 2x`` and ``f(2) = 5``."""
    name = read_formula(left)
    if name is None or not name.name.startswith("?") or not isinstance(value, Expression) or value.formula is None:
        return None
    is_shifted = any(arg.kind in ("sum", "product", "power") for arg in name.args)
    return (
        Relation("=", difference(name, value.formula))
        if is_shifted and symbols(name) & symbols(value.formula)
        else None
    )


def _as_symbol(name: Nodes) -> Formula | None:
    """A name as a formula; ``None`` for one such as P(1), which looks like a product."""
    formula = read_formula(name)
    return formula if formula is not None and formula.kind in ("symbol", "call") else None


def _total(left: Nodes, right: Nodes, read: ReadPart) -> Value | None:
    """What a quantity equals, 6 of ``m + n = 6``; ``None`` for an equation that is still to be solved.

    Anything that equals 0 is one.
    """
    value = read(right)
    if isinstance(value, Number):
        return value if value.value and is_quantity(left) else None
    formula = value.formula if isinstance(value, Expression) else None
    return value if formula is not None and not has_symbols(formula) and is_quantity(left) else None


def _inequality(parts: Sequence[Nodes], signs: Sequence[str], read: ReadPart) -> Value | None:
    """``x > 2`` as an interval with a name, ``x < y`` as a relation, ``1 < 2`` as a ``Text``."""
    if len(signs) == 2 and (set(signs) <= set(LESS) or set(signs) <= set(GREATER)):
        return _between(parts, signs, read)
    if len(signs) != 1 or signs[0] not in MIRRORED:
        return None
    (left, right), sign = parts, signs[0]
    if is_name(right) and not is_name(left):
        left, right, sign = right, left, MIRRORED[sign]
    one, other = read_formula(left), read_formula(right)
    if is_name(left) and (other is None or not has_symbols(other)) and (one is None or one.name != "abs"):
        bound = read(right)
        if sign == "\\ne" and isinstance(bound, Unordered):  # x \\ne \\pm 1
            return as_condition([Named(render(left), ray(sign, one)) for one in bound.items], ["and"])
        return Named(render(left), ray(sign, bound))
    if one is None or other is None:
        return None
    if not has_symbols(one) and not has_symbols(other):
        return Text("".join((render(left), sign, render(right))))  # 1 < 2 answers nothing
    found = solved(one, sign, other)
    if found is not None:
        return Named(*found)
    if sign in GREATER:
        one, other, sign = other, one, MIRRORED[sign]
    return Relation(sign, difference(one, other))


def _between(parts: Sequence[Nodes], signs: Sequence[str], read: ReadPart) -> Value | None:
    """``1 < x \\le 3``, the same written as ``3 \\ge x > 1``, or ``1 < 2x - 1 < 5``, as an interval with a name."""
    if not is_name(parts[1]) or parts[1][0].text == "|":
        return _both(parts, signs)
    low, high = read(parts[0]), read(parts[2])
    first, second = signs
    if first in GREATER:
        low, high, first, second = high, low, MIRRORED[second], MIRRORED[first]
    interval = Bracketed("(" if first == "<" else "[", (low, high), ")" if second == "<" else "]")
    return Named(render(parts[1]), interval)


def _both(parts: Sequence[Nodes], signs: Sequence[str]) -> Value | None:
    """A chain of two inequalities in one unknown as what both say of it; ``None`` if it is not solved."""
    formulas = [read_formula(part) for part in parts]
    low, middle, high = formulas
    if low is None or middle is None or high is None:
        return None
    found = [solved(low, signs[0], middle), solved(middle, signs[1], high)]
    if found[0] is None or found[1] is None or found[0][0] != found[1][0]:
        return None
    try:
        return Named(found[0][0], intersection([found[0][1], found[1][1]]))
    except NotReal:
        return None
