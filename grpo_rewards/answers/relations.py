"""Equations, inequalities and chains of them: a value with a name, an interval, or a relation between formulas."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import TypeAlias

from grpo_rewards.answers.formula import Formula, difference, has_symbols
from grpo_rewards.answers.grammar import read_formula
from grpo_rewards.answers.identity import same
from grpo_rewards.answers.intervals import NotReal, intersection, union
from grpo_rewards.answers.latex import WORD_KINDS, Node, render
from grpo_rewards.answers.rounding import is_rounding
from grpo_rewards.answers.splitting import closing_index, outside, split
from grpo_rewards.answers.units import denies
from grpo_rewards.answers.values import (
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
from grpo_rewards.answers.vocabulary import GREEK, TRIGONOMETRIC

__all__ = ["CONDITIONS", "SIGNS", "as_condition", "read_relation"]

EQUALS = ("=", "\\approx")
LESS, GREATER = ("<", "\\le"), (">", "\\ge")
MIRRORED = {">": "<", "\\ge": "\\le", "<": ">", "\\le": "\\ge", "\\ne": "\\ne"}
SIGNS = (*EQUALS, *LESS, *GREATER, "\\ne", "\\in")
CONDITIONS = (*LESS, *GREATER, "\\ne", "\\in")
SHAPES = ("\\angle", "\\triangle", "\\measuredangle")
LINKS = 12  # of a chain
INFINITY = Infinity(1)
Nodes: TypeAlias = Sequence[Node]
Read: TypeAlias = Callable[[Nodes], Value]


def read_relation(nodes: Nodes, read: Read) -> Value | None:
    """What an equation or inequality says; ``None`` where ``nodes`` are none. ``read`` reads its sides."""
    places = outside(nodes, SIGNS)
    if not places:
        return None
    parts = split(nodes, SIGNS)
    signs = [nodes[place].text for place in places]
    if not all(parts) or len(signs) > LINKS:
        return None
    if signs == ["\\in"]:
        return _member(parts, read)
    if all(sign in EQUALS for sign in signs):
        return _equation(parts[0], parts[1], read) if signs == ["="] else _chain(parts, signs, read)
    return _inequality(parts, signs, read)


def as_condition(items: Sequence[Value], separators: Collection[str]) -> Value | None:
    """Conditions on one name as one: ``x < -1 or x > 2``, ``x > 2 and x < 5``; ``None`` for other lists.

    With commas, conditions that can hold together must, as in ``x > 2, x < 5``; others are alternatives.
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


def _member(parts: Sequence[Nodes], read: Read) -> Value | None:
    of = read(parts[1])
    if not _is_name(parts[0]) or not isinstance(of, Bracketed | Unordered | Union | Expression):
        return None
    return Named(render(parts[0]), of)


def _equation(left: Nodes, right: Nodes, read: Read) -> Value | None:
    if render(left) == render(right):
        return Text(f"{render(left)}={render(right)}")  # x = x says nothing
    if _is_name(right) and not _is_name(left):
        left, right = right, left
    if _is_point(left) and isinstance(values := read(right), Bracketed) and len(values.items) == len(left[1:-1:2]):
        pairs = zip(left[1:-1:2], values.items, strict=True)
        return Unordered(tuple(Named(render([letter]), value) for letter, value in pairs))
    if _is_name(left) and (":" not in (node.text for node in left) or ":" in (node.text for node in right)):
        return Named(render(left), read(right), None if _is_derivative(left) else read_formula(left))
    one, other = read_formula(left), read_formula(right)
    if one is None or other is None:
        return None
    if not has_symbols(one) and not has_symbols(other):
        return _chain((left, right), ["="], read)
    total = read(right) if _is_combination(one) and not has_symbols(other) else None
    return Relation("=", difference(one, other), total)


def _chain(parts: Sequence[Nodes], signs: Sequence[str], read: Read) -> Value | None:
    """``x = 2 + 3 = 5`` and ``1/3 \\approx 0.33``: their value, if every link holds."""
    name = render(parts[0]) if _is_name(parts[0]) else None
    if name is not None:
        parts, signs = parts[1:], signs[1:]
    first = read_formula(parts[0])
    if name is None and first is not None and _is_combination(first):  # m + n = 2 + 4 = 6
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
            return Text("=".join(map(render, parts)))  # 3 = 5 is no answer to anything
    return value if name is None else Named(name, value)


def _is_rounding_of(formula: Formula, decimal: Number) -> bool:
    return (
        decimal.places is not None and not has_symbols(formula) and is_rounding(formula, decimal.value, decimal.places)
    )


def _inequality(parts: Sequence[Nodes], signs: Sequence[str], read: Read) -> Value | None:
    if len(signs) == 2 and (set(signs) <= set(LESS) or set(signs) <= set(GREATER)):
        return _between(parts, signs, read)
    if len(signs) != 1 or signs[0] not in MIRRORED:
        return None
    (left, right), sign = parts, signs[0]
    if _is_name(right) and not _is_name(left):
        left, right, sign = right, left, MIRRORED[sign]
    one, other = read_formula(left), read_formula(right)
    if one is not None and one.name == "abs" and one.args[0].kind == "symbol" and other is not None:
        return _within(one.args[0].name, sign, read(right))
    if _is_name(left) and (other is None or not has_symbols(other)):
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
    """``|x| < 5`` and ``|x| \\ge 5``"""
    if not isinstance(bound, Number) or bound.value < 0 or sign == "\\ne":
        return None
    below = Number(-bound.value)
    if sign in LESS:
        return Named(name, intersection([_ray(sign, bound), _ray(MIRRORED[sign], below)]))
    return Named(name, union([_ray(sign, bound), _ray(MIRRORED[sign], below)]))


def _ray(sign: str, bound: Value) -> Value:
    """The numbers on one side of a bound, or on both: ``x \\ne 1``."""
    if sign == "\\ne":
        return Union((Bracketed("(", (Infinity(-1), bound), ")"), Bracketed("(", (bound, INFINITY), ")")))
    if sign in LESS:
        return Bracketed("(", (Infinity(-1), bound), ")" if sign == "<" else "]")
    return Bracketed("(" if sign == ">" else "[", (bound, INFINITY), ")")


def _between(parts: Sequence[Nodes], signs: Sequence[str], read: Read) -> Value | None:
    """``1 < x \\le 3``, and mirrored ``3 \\ge x > 1``."""
    if not _is_name(parts[1]):
        return None
    low, high = read(parts[0]), read(parts[2])
    first, second = signs
    if first in GREATER:
        low, high, first, second = high, low, MIRRORED[second], MIRRORED[first]
    interval = Bracketed("(" if first == "<" else "[", (low, high), ")" if second == "<" else "]")
    return Named(render(parts[1]), interval)


def _is_name(nodes: Nodes) -> bool:
    """Whether nodes name something: ``x``, ``x_{1}``, ``f(x)``, ``AB``, ``\\text{Area}``, ``S_1 : S_2``, ``dy/dx``."""
    if len(nodes) == 1 and nodes[0].kind in WORD_KINDS:
        return not any(map(denies, nodes[0].text.split()))
    if len(nodes) == 1 and nodes[0].kind == "letter":
        return True
    if nodes[0].text in SHAPES or any(node.text == ":" for node in nodes):
        return all(node.kind in ("letter", "word", "apply") or node.text in (*SHAPES, ":") for node in nodes)
    if all(node.kind == "letter" and node.text.isupper() for node in nodes):
        return True  # a segment
    if _is_applied_letter(nodes) or _is_derivative(nodes) or _is_point(nodes):
        return True
    formula = read_formula(nodes)
    return formula is not None and (formula.kind == "symbol" or _is_call_name(formula) or _is_bracketed_name(nodes))


def _is_call_name(formula: Formula) -> bool:
    """``f(2)``, ``\\cos A``, ``|AB|``, ``\\gcd(a, b)``: the name of a value, not an equation still to be solved."""
    if formula.name.startswith("?") or (formula.name in ("gcd", "lcm") and has_symbols(formula)):
        return True
    if formula.name not in (*TRIGONOMETRIC, "abs"):
        return False
    inner = formula.args[0]
    parts = inner.args if inner.kind == "product" else (inner,)
    return all(part.kind == "symbol" and (part.name[0].isupper() or part.name[0] == "\\") for part in parts)


def _is_combination(formula: Formula) -> bool:
    """A sum or product of different symbols and nothing else: ``a + b``, ``m n``, of which a problem asks the value."""
    return (
        formula.kind in ("sum", "product")
        and all(arg.kind == "symbol" for arg in formula.args)
        and len({arg.name for arg in formula.args}) == len(formula.args)
    )


def _is_applied_letter(nodes: Nodes) -> bool:
    """``p(x)``, ``P(X = 1)``: a letter before letters in parentheses, which is no product."""
    return (
        len(nodes) > 3
        and nodes[0].kind == "letter"
        and nodes[1].text == "("
        and closing_index(nodes[1:]) == len(nodes) - 2
        and all(node.kind in ("letter", "digits") or node.text in ",=|" for node in nodes[2:-1])
        and any(node.kind == "letter" for node in nodes[2:-1])
    )


def _is_point(nodes: Nodes) -> bool:
    """``(x, y)``: letters in parentheses."""
    letters = nodes[1:-1:2]
    return (
        len(nodes) > 4
        and (nodes[0].text, nodes[-1].text) == ("(", ")")
        and all(node.kind == "letter" or node.text in GREEK for node in letters)
        and all(node.text == "," for node in nodes[2:-1:2])
    )


def _is_bracketed_name(nodes: Nodes) -> bool:
    """``E[X]``"""
    return len(nodes) == 4 and nodes[0].text == "E" and (nodes[1].text, nodes[3].text) == ("[", "]")


def _is_derivative(nodes: Nodes) -> bool:
    if len(nodes) != 1 or nodes[0].text != "\\frac":
        return False
    return all(len(arg) > 1 and arg[0].text in ("d", "\\partial") for arg in nodes[0].args)
