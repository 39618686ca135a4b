"""What a tree of LaTeX says: a number, a tuple, a set, an interval, a matrix, words, a relation, or a formula."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from grpo_rewards.answers.latex.brackets import CLOSING, OPENING, closing_index, outside, split, spoken
from grpo_rewards.answers.latex.tree import WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.environments import read_environment
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.numerals import CURRENCIES, read_number, read_unit
from grpo_rewards.answers.reading.operators import is_mathematics
from grpo_rewards.answers.reading.phrases import CHOICE, stripped, with_condition, without_declarations
from grpo_rewards.answers.reading.relations import SIGNS, as_condition, read_relation
from grpo_rewards.answers.reading.units import known_unit
from grpo_rewards.answers.values.intervals import NotReal, intersection, union, without
from grpo_rewards.answers.values.kinds import (
    Based,
    Bracketed,
    Expression,
    Infinity,
    Matrix,
    Named,
    Number,
    Text,
    Union,
    Unordered,
    Value,
    are_named,
)

__all__ = ["read"]

DEPTH = 8  # brackets within brackets that are read; deeper ones are an expression
UNIT_NODES = 6
CUP, CAP, MINUS = ("\\cup",), ("\\cap",), ("\\setminus", "\\backslash", "-")
SHORT_WORDS = ("yes", "no", "odd", "all", "one", "two", "six", "ten", "red", "day")
ALL_REALS = ("allrealnumbers", "allreals", "allrealnumbersx")
REALS = Bracketed("(", (Infinity(-1), Infinity(1)), ")")


def read(nodes: Nodes, depth: int = 0) -> Value:
    """The value of a tree. What is not understood is an Expression; nothing raises."""
    nodes = with_condition(stripped(nodes))
    if depth > DEPTH:
        return Expression(render(nodes))
    return (
        _simple(nodes)
        or read_environment(nodes, lambda part: read(part, depth + 1))
        or _several(nodes, depth)
        or _either_sign(nodes, depth)
        or read_relation(nodes, lambda part: read(part, depth + 1))
        or _ratio(nodes, depth)
        or _bracketed(nodes, depth)
        or _formula(nodes)
    )


def _simple(nodes: Nodes) -> Value | None:
    number = read_number(nodes)
    if number is not None:
        return number
    if len(nodes) <= 2:
        spelled = render(nodes).strip()
        if spelled in ("\\infty", "+\\infty", "-\\infty"):
            return Infinity(-1 if spelled[0] == "-" else 1)
        if spelled == "\\emptyset":
            return Unordered(())
        if spelled == "\\mathbb{R}":
            return REALS
    return _based(nodes) or _clock(nodes) or _words(nodes)


def _formula(nodes: Nodes) -> Expression | Number:
    """A formula, perhaps with a unit behind it or a currency before; or what is none."""
    if len(nodes) > 1 and nodes[0].text in CURRENCIES and nodes[1].text not in CURRENCIES:
        amount = _formula(nodes[1:])
        return amount if amount.unit else replace(amount, unit=known_unit(nodes[0].text))
    ends = range(max(len(nodes) - UNIT_NODES, 1), len(nodes))
    is_sum = len(split(nodes, ("+", "-"))) > 1
    upright = [end for end in ends if nodes[end].kind in WORD_KINDS and not (is_sum and len(nodes[end].text) == 1)]
    # Upright letters behind a formula are a unit rather than a factor; others are a factor rather than a unit.
    for end in (*upright, len(nodes), *reversed(ends)):
        unit = read_unit(nodes[end:]) if end < len(nodes) else None
        if end < len(nodes) and unit is None:
            continue
        formula = read_formula(nodes[:end])
        if formula is None:
            continue
        if formula.kind == "number" and not any(node.text == "[" for node in nodes):
            return Number(formula.value, unit)  # -(2/3)
        return Expression(render(nodes), formula, unit)
    return Expression(render(nodes), symbolic=is_mathematics(nodes))


def _based(nodes: Nodes) -> Value | None:
    if len(nodes) == 4 and (nodes[0].text, nodes[2].text) == ("(", ")"):
        nodes = (nodes[1], nodes[3])  # (2516)_8
    if len(nodes) == 2 and nodes[0].kind == "digits" and nodes[1].text == "_":
        base = nodes[1].args[0]
        if len(base) == 3 and base[0].text == "(":
            base = base[1:2]
        if len(base) == 1 and base[0].kind in ("digits", *WORD_KINDS):
            return Based(nodes[0].text.lstrip("0") or "0", base[0].text.casefold())
    return None


def _clock(nodes: Nodes) -> Value | None:
    """A time or a ratio, ``4:30 p.m.``, ``2:3``: compared as it is spelled."""
    digits, colons = nodes[0:3:2], nodes[1:2]
    if len(nodes) >= 3 and colons[0].text == ":" and all(node.kind == "digits" for node in digits) and len(digits) == 2:
        rest = nodes[3:]
        if all(
            node.kind in ("letter", *WORD_KINDS) or node.text in (".", ":") or node.kind == "digits" for node in rest
        ):
            return Text(render(nodes).replace(".", "").casefold())
    return None


def _words(nodes: Nodes) -> Value | None:
    """Words, or one choice letter, also in parentheses or with a full stop: ``\\text{(B)}``, ``B.``"""
    inner = nodes[1:-1] if len(nodes) == 3 and nodes[0].text == "(" and nodes[2].text == ")" else nodes
    if inner and all(node.kind in WORD_KINDS for node in inner):
        if len(inner) == 1 and (choice := CHOICE.fullmatch(inner[0].text.strip(" .()"))):
            return Text(choice.group(1).upper())
        spelled = render(inner).strip(".()")
        spelled = spelled if len(spelled) == 1 else spelled.casefold()
        if spelled in ALL_REALS:
            return REALS
        # three bare letters may also be a product: abc is bca
        return Text(spelled) if len(spelled) > 3 or inner[0].kind == "text" or spelled in SHORT_WORDS else None
    if len(inner) == 1 and inner[0].kind == "letter" and inner[0].text in "ABCDEFGH":
        return Text(inner[0].text)
    return None


def _several(nodes: Nodes, depth: int) -> Value | None:
    """Items with commas or the words and/or between them; intervals with unions between them."""
    signs, separators = outside(nodes, SIGNS), outside(nodes, (",", ";"), words=True)
    if len(signs) == 1 and (not separators or signs[0] < separators[0]):
        return None  # a name for all of them: x = 1, 2
    if separators:
        systems = _systems(nodes, depth)
        if systems is not None:
            return systems
        said = {spoken(nodes[index]) for index in separators}
        parts = without_declarations(split(nodes, (",", ";"), words=True))
        if not parts or not all(parts):
            return None
        if len(parts) == 1:
            return read(parts[0], depth + 1)
        items = tuple(read(one, depth + 1) for part in parts for one in _with_either_sign(part))
        if "or" in said and are_named(Unordered(items)):
            return Text(render(nodes))  # x = 1 or y = 2 is no point
        return as_condition(items, said) or Unordered(items)
    return None if signs else _of_sets(nodes, depth)


def _systems(nodes: Nodes, depth: int) -> Value | None:
    """``x = 1, y = 2 or x = 2, y = 1``: alternatives of several unknowns each."""
    either = [index for index in outside(nodes, (), words=True) if spoken(nodes[index]) == "or"]
    if not either or len(outside(nodes, ("=",))) < 2:
        return None
    bounds = [-1, *either, len(nodes)]
    parts = tuple(read(nodes[start + 1 : end], depth + 1) for start, end in pairwise(bounds))
    return Unordered(parts) if all(are_named(part) for part in parts) else None


def _of_sets(nodes: Nodes, depth: int) -> Value | None:
    """Unions, intersections and differences of sets of numbers."""
    for operator, combine in ((CUP, union), (CAP, intersection), (MINUS, lambda sets: without(*sets))):
        parts = split(nodes, operator)
        if len(parts) == 1:
            continue
        if not all(parts) or (operator == MINUS and (len(parts) > 2 or parts[1][0].text not in OPENING)):
            return None
        sets = tuple(read(part, depth + 1) for part in parts)
        if operator == MINUS and any(isinstance(one, Number | Expression) for one in sets):
            return None  # 180 - (40 + 40) is a difference of numbers
        try:
            return combine(sets)
        except NotReal:
            return Union(sets) if operator == CUP else None
    return None


def _ratio(nodes: Nodes, depth: int) -> Value | None:
    """``\\sqrt{3} : 1``"""
    parts = split(nodes, (":",))
    return (
        Bracketed(":", tuple(read(part, depth + 1) for part in parts), ":") if len(parts) > 1 and all(parts) else None
    )


def _either_sign(nodes: Nodes, depth: int) -> Value | None:
    """``1 \\pm \\sqrt{2}`` is two values; in a set every item is by itself."""
    if outside(nodes, SIGNS) or (nodes and nodes[0].text == "\\{"):
        return None
    both = _with_either_sign(nodes)
    return Unordered(tuple(read(one, depth + 1) for one in both)) if len(both) == 2 else None


def _with_either_sign(nodes: Nodes) -> list[Nodes]:
    """The nodes with their plus-minus signs read as plus, and as minus; themselves where there is none."""
    if not any(map(_has_either_sign, nodes)):
        return [nodes]
    return [_signed(nodes, "+", "-"), _signed(nodes, "-", "+")]


def _has_either_sign(node: Node) -> bool:
    return node.text in ("\\pm", "\\mp") or any(_has_either_sign(one) for arg in node.args for one in arg)


def _signed(nodes: Nodes, plus_minus: str, minus_plus: str) -> tuple[Node, ...]:
    signs = {"\\pm": plus_minus, "\\mp": minus_plus}
    return tuple(
        Node("mark", signs[node.text])
        if node.text in signs
        else node._replace(args=tuple(_signed(arg, plus_minus, minus_plus) for arg in node.args))
        for node in nodes
    )


def _bracketed(nodes: Nodes, depth: int) -> Value | None:
    if (
        len(nodes) < 2
        or nodes[0].text not in OPENING
        or nodes[-1].text not in CLOSING
        or closing_index(nodes) != len(nodes) - 1
    ):
        return None
    inner = nodes[1:-1]
    opening, closing = nodes[0].text, nodes[-1].text
    if opening == "\\{" and closing == "\\}":
        return _set(inner, depth)
    parts = split(inner, (",",)) if outside(inner, (",",)) else split(inner, (";",))
    if not all(parts):
        return None
    if opening == "(" and closing == ")" and len(parts) == 1:
        return read(inner, depth + 1)
    items = tuple(read(part, depth + 1) for part in parts)
    if len(items) == 1 and isinstance(items[0], Matrix):
        return items[0]
    if "\\{" in (opening, closing) or "\\}" in (opening, closing) or len(items) == 1:
        return None
    return Bracketed(opening, items, closing)


def _set(inner: Nodes, depth: int) -> Value | None:
    """Items in braces, each once, or ``\\{x \\mid x > 2\\}``, which is the interval."""
    bars = split(inner, ("|", ":"))
    if len(bars) == 2 and all(bars):
        condition = read(bars[1], depth + 1)
        return condition if isinstance(condition, Named) and bars[0][0].text == condition.name else None
    parts = split(inner, (",", ";"))
    if not all(parts):
        return None
    items = _distinct(tuple(read(one, depth + 1) for part in parts for one in _with_either_sign(part)))
    # a solution set of one is that solution; the set of the empty set is none
    return items[0] if len(items) == 1 and not isinstance(items[0], Unordered) else Unordered(items, braced=True)


def _distinct(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """A set's items, each once; ``1`` and ``1.0`` are one."""
    seen: dict[object, Value] = {}
    for item in items:
        seen.setdefault((item.value, item.unit) if isinstance(item, Number) else item, item)
    return tuple(seen.values())
