"""Reads equations, inequalities and chains of them: ``x = 5``, ``1 < x \\le 3``, ``x + y = 2``, ``1/3 \\approx 0.33``.

The result is a value with a name, an interval with a name, or a relation between two formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import TypeAlias

from grpo_rewards.answers.formulas.formula import Formula, difference, has_symbols
from grpo_rewards.answers.formulas.identity import same
from grpo_rewards.answers.formulas.rounding import is_rounding
from grpo_rewards.answers.latex.brackets import outside, split
from grpo_rewards.answers.latex.tree import Nodes, render
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.names import is_combination, is_derivative, is_letter_tuple, is_name
from grpo_rewards.answers.values.intervals import NotReal, intersection, union
from grpo_rewards.answers.values.kinds import (
    Approximated,
    Bracketed,
    Expression,
    Infinity,
    Named,
    Number,
    Relation,
    Text,
    Union,
    Unordered,
    Value,
)

__all__ = ["CONDITIONS", "RELATION_SIGNS", "ReadPart", "as_condition", "read_relation"]

EQUALS = ("=", "\\approx")
LESS, GREATER = ("<", "\\le"), (">", "\\ge")
MIRRORED = {">": "<", "\\ge": "\\le", "<": ">", "\\le": "\\ge", "\\ne": "\\ne"}
RELATION_SIGNS = (*EQUALS, *LESS, *GREATER, "\\ne", "\\in")
CONDITIONS = (*LESS, *GREATER, "\\ne", "\\in")
LINKS = 12  # signs in the longest chain that is read
INFINITY = Infinity(1)
ReadPart: TypeAlias = Callable[[Nodes], Value]  # reads a side of a relation, or a cell of a matrix


def read_relation(nodes: Nodes, read: ReadPart) -> Value | None:
    """What an equation or inequality says; ``None`` if ``nodes`` are not one that is understood.

    ``read`` reads its sides.
    """
    places = outside(nodes, RELATION_SIGNS)
    if not places:
        return None
    parts = split(nodes, RELATION_SIGNS)
    signs = [nodes[place].text for place in places]
    if not all(parts) or len(signs) > LINKS:
        return None
    if signs == ["\\in"]:
        return _member(parts, read)
    if all(sign in EQUALS for sign in signs):
        return _equation(parts[0], parts[1], read) if signs == ["="] else _chain(parts, signs, read)
    return _inequality(parts, signs, read)


def as_condition(items: Sequence[Value], separators: Collection[str]) -> Value | None:
    """Several conditions on one name as one: ``x < -1 or x > 2``, ``x > 2 and x < 5``; ``None`` for other lists.

    With only commas between them, all must hold if that is possible (``x > 2, x < 5``); if not, they are alternatives
    (``x < -1, x > 2``).
    """
    named = [item for item in items if isinstance(item, Named)]
    if len(named) < len(items) or len({item.name for item in named}) != 1:
        return None
    if not any(isinstance(item.of, Bracketed | Union) for item in named):
        return None  # x = 1 or x = 2 is a list
    sets = [item.of for item in named]
    try:
        together = intersection(sets)
        either = "or" in separators or ("and" not in separators and together == Unordered(()))
        return Named(named[0].name, union(sets) if either else together)
    except NotReal:
        return None


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
    if (
        is_letter_tuple(left)
        and isinstance(values := read(right), Bracketed)
        and len(values.items) == len(left[1:-1:2])
    ):
        pairs = zip(left[1:-1:2], values.items, strict=True)
        return Unordered(tuple(Named(render([letter]), value) for letter, value in pairs))
    if is_name(left) and (":" not in (node.text for node in left) or ":" in (node.text for node in right)):
        return Named(render(left), read(right), None if is_derivative(left) else read_formula(left))
    one, other = read_formula(left), read_formula(right)
    if one is None or other is None:
        return None
    if not has_symbols(one) and not has_symbols(other):
        return _chain((left, right), ["="], read)
    total = read(right) if is_combination(one) and not has_symbols(other) else None
    return Relation("=", difference(one, other), total)


def _chain(parts: Sequence[Nodes], signs: Sequence[str], read: ReadPart) -> Value | None:
    """The value of a chain such as ``x = 2 + 3 = 5`` or ``1/3 \\approx 0.33``.

    If a link does not hold, as in ``3 = 5``, a ``Text``, which equals no number. ``None`` if a part is not a formula.
    """
    name = render(parts[0]) if is_name(parts[0]) else None
    if name is not None:
        parts, signs = parts[1:], signs[1:]
    first = read_formula(parts[0])
    if name is None and first is not None and is_combination(first):  # m + n = 2 + 4 = 6
        total = _chain(parts[1:], signs[1:], read) if len(parts) > 2 else read(parts[1])
        last = read_formula(parts[-1])
        return None if last is None or total is None else Relation("=", difference(first, last), total)
    formulas = [read_formula(part) for part in parts]
    value: Value = read(parts[0])
    for index, (before, after) in enumerate(pairwise(formulas)):
        if before is None or after is None:
            return None
        decimal = read(parts[index + 1])
        if same(formulas[0] or before, after):
            value = decimal if signs[index] == "=" else value
        elif isinstance(decimal, Number) and _is_rounding_of(formulas[0] or before, decimal):
            value = Approximated(value, decimal)
        else:
            return Text("=".join(map(render, parts)))
    return value if name is None else Named(name, value)


def _is_rounding_of(formula: Formula, decimal: Number) -> bool:
    """Whether a number is a decimal to which the value of a formula rounds."""
    return (
        decimal.places is not None and not has_symbols(formula) and is_rounding(formula, decimal.value, decimal.places)
    )


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
    if one is not None and one.name == "abs" and one.args[0].kind == "symbol" and other is not None:
        return _within(one.args[0].name, sign, read(right))
    if is_name(left) and (other is None or not has_symbols(other)):
        bound = read(right)
        if sign == "\\ne" and isinstance(bound, Unordered):  # x \\ne \\pm 1
            return as_condition([Named(render(left), _ray(sign, one)) for one in bound.items], ["and"])
        return Named(render(left), _ray(sign, bound))
    if one is None or other is None:
        return None
    if not has_symbols(one) and not has_symbols(other):
        return Text("".join((render(left), sign, render(right))))  # 1 < 2 answers nothing
    if sign in GREATER:
        one, other, sign = other, one, MIRRORED[sign]
    return Relation(sign, difference(one, other))


def _within(name: str, sign: str, bound: Value) -> Value | None:
    """What ``|x| < 5`` or ``|x| \\ge 5`` says of x; ``None`` if the bound is not a number or is negative."""
    if not isinstance(bound, Number) or bound.value < 0 or sign == "\\ne":
        return None
    below = Number(-bound.value)
    if sign in LESS:
        return Named(name, intersection([_ray(sign, bound), _ray(MIRRORED[sign], below)]))
    return Named(name, union([_ray(sign, bound), _ray(MIRRORED[sign], below)]))


def _ray(sign: str, bound: Value) -> Value:
    """The interval of the numbers below or above a bound; both intervals for ``\\ne``."""
    if sign == "\\ne":
        return Union((Bracketed("(", (Infinity(-1), bound), ")"), Bracketed("(", (bound, INFINITY), ")")))
    if sign in LESS:
        return Bracketed("(", (Infinity(-1), bound), ")" if sign == "<" else "]")
    return Bracketed("(" if sign == ">" else "[", (bound, INFINITY), ")")


def _between(parts: Sequence[Nodes], signs: Sequence[str], read: ReadPart) -> Value | None:
    """``1 < x \\le 3``, or the same written as ``3 \\ge x > 1``, as an interval with a name."""
    if not is_name(parts[1]):
        return None
    low, high = read(parts[0]), read(parts[2])
    first, second = signs
    if first in GREATER:
        low, high, first, second = high, low, MIRRORED[second], MIRRORED[first]
    interval = Bracketed("(" if first == "<" else "[", (low, high), ")" if second == "<" else "]")
    return Named(render(parts[1]), interval)
