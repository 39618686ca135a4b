"""Reads a tree of LaTeX: tries the readers in order, from numbers to formulas, and takes the first value found.

Start here if an answer is misread: the order of the readers decides what ``(1, 2)`` or ``x = 1, 2`` is taken for.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from grpo_rewards.answers.latex.brackets import (
    CLOSING_BRACKETS,
    OPENING_BRACKETS,
    closing_index,
    outside,
    split,
    spoken,
)
from grpo_rewards.answers.latex.tree import WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.environments import read_environment
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.numerals import CURRENCIES, read_number, read_unit
from grpo_rewards.answers.reading.operators import is_mathematics
from grpo_rewards.answers.reading.phrases import CHOICE, stripped, with_condition, without_declarations
from grpo_rewards.answers.reading.relations import RELATION_SIGNS, as_condition, read_relation
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

BRACKET_DEPTH = 8  # levels of brackets within brackets that are read; what nests deeper is compared as it is spelled
UNIT_NODES = 6  # in the longest unit that is looked for after a formula
CUP, CAP, MINUS = ("\\cup",), ("\\cap",), ("\\setminus", "\\backslash", "-")
SHORT_WORDS = ("yes", "no", "odd", "all", "one", "two", "six", "ten", "red", "day")
ALL_REALS = ("allrealnumbers", "allreals", "allrealnumbersx")
REALS = Bracketed("(", (Infinity(-1), Infinity(1)), ")")


def read(nodes: Nodes, depth: int = 0) -> Value:
    """The value that a tree says. What is not understood becomes an ``Expression``, which is compared as it is spelled.

    Raises:
        TooLarge: the links of a chain such as ``a = b = c``, or the bounds of a union, must not be computed.
    """
    nodes = with_condition(stripped(nodes))
    if depth > BRACKET_DEPTH:
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
    """A number, infinity, the empty set, the reals, a numeral in a base, a time or words; ``None`` for the rest."""
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
    """A formula, perhaps with a unit after it or a currency before it. Never fails.

    A ``Number`` if the formula is a number, as in ``-(2/3)``. If ``nodes`` are not a formula, an ``Expression``
    without one.
    """
    if len(nodes) > 1 and nodes[0].text in CURRENCIES and nodes[1].text not in CURRENCIES:
        amount = _formula(nodes[1:])
        return amount if amount.unit else replace(amount, unit=known_unit(nodes[0].text))
    ends = range(max(len(nodes) - UNIT_NODES, 1), len(nodes))
    is_sum = len(split(nodes, ("+", "-"))) > 1
    upright = [end for end in ends if nodes[end].kind in WORD_KINDS and not (is_sum and len(nodes[end].text) == 1)]
    # Upright letters after a formula are tried as a unit first and then as factors, italic ones the other way round.
    for end in (*upright, len(nodes), *reversed(ends)):
        unit = read_unit(nodes[end:]) if end < len(nodes) else None
        if end < len(nodes) and unit is None:
            continue
        formula = read_formula(nodes[:end])
        if formula is None:
            continue
        if formula.kind == "number" and not any(node.text == "[" for node in nodes):
            return Number(formula.value, unit)
        return Expression(render(nodes), formula, unit)
    return Expression(render(nodes), symbolic=is_mathematics(nodes))


def _based(nodes: Nodes) -> Value | None:
    """A numeral in a base: ``2516_8``, ``(2516)_{8}``."""
    if len(nodes) == 4 and (nodes[0].text, nodes[2].text) == ("(", ")"):
        nodes = (nodes[1], nodes[3])  # without the parentheses
    if len(nodes) == 2 and nodes[0].kind == "digits" and nodes[1].text == "_":
        base = nodes[1].args[0]
        if len(base) == 3 and base[0].text == "(":
            base = base[1:2]
        if len(base) == 1 and base[0].kind in ("digits", *WORD_KINDS):
            return Based(nodes[0].text.lstrip("0") or "0", base[0].text.casefold())
    return None


def _clock(nodes: Nodes) -> Value | None:
    """A time or a ratio of whole numbers as a ``Text``, which is compared as it is spelled: ``4:30 p.m.``, ``2:3``."""
    digits, colons = nodes[0:3:2], nodes[1:2]
    if len(nodes) >= 3 and colons[0].text == ":" and all(node.kind == "digits" for node in digits) and len(digits) == 2:
        rest = nodes[3:]
        if all(
            node.kind in ("letter", *WORD_KINDS) or node.text in (".", ":") or node.kind == "digits" for node in rest
        ):
            return Text(render(nodes).replace(".", "").casefold())
    return None


def _words(nodes: Nodes) -> Value | None:
    """Words, or one choice letter, as a ``Text``: ``\\text{yes}``, ``\\text{(B)}``, ``B``."""
    inner = nodes[1:-1] if len(nodes) == 3 and nodes[0].text == "(" and nodes[2].text == ")" else nodes
    if inner and all(node.kind in WORD_KINDS for node in inner):
        if len(inner) == 1 and (choice := CHOICE.fullmatch(inner[0].text.strip(" .()"))):
            return Text(choice.group(1).upper())
        spelled = render(inner).strip(".()")
        spelled = spelled if len(spelled) == 1 else spelled.casefold()
        if spelled in ALL_REALS:
            return REALS
        # up to three letters without \text may also be a product: abc is bca
        return Text(spelled) if len(spelled) > 3 or inner[0].kind == "text" or spelled in SHORT_WORDS else None
    if len(inner) == 1 and inner[0].kind == "letter" and inner[0].text in "ABCDEFGH":
        return Text(inner[0].text)
    return None


def _several(nodes: Nodes, depth: int) -> Value | None:
    """A list, with commas, semicolons, "and" or "or" between its items; or sets joined by ``\\cup`` and the like."""
    signs, separators = outside(nodes, RELATION_SIGNS), outside(nodes, (",", ";"), words=True)
    if len(signs) == 1 and (not separators or signs[0] < separators[0]):
        return None  # x = 1, 2 names all items at once, and is read as a relation
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
            return Text(render(nodes))  # x = 1 or y = 2 is not a point
        return as_condition(items, said) or Unordered(items)
    return None if signs else _of_sets(nodes, depth)


def _systems(nodes: Nodes, depth: int) -> Value | None:
    """Alternatives that each give values to several unknowns: ``x = 1, y = 2 or x = 2, y = 1``; else ``None``."""
    either = [index for index in outside(nodes, (), words=True) if spoken(nodes[index]) == "or"]
    if not either or len(outside(nodes, ("=",))) < 2:
        return None
    bounds = [-1, *either, len(nodes)]
    parts = tuple(read(nodes[start + 1 : end], depth + 1) for start, end in pairwise(bounds))
    return Unordered(parts) if all(are_named(part) for part in parts) else None


def _of_sets(nodes: Nodes, depth: int) -> Value | None:
    """A union, intersection or difference of sets of numbers; ``None`` for anything else."""
    for operator, combine in ((CUP, union), (CAP, intersection), (MINUS, lambda sets: without(*sets))):
        parts = split(nodes, operator)
        if len(parts) == 1:
            continue
        if not all(parts) or (operator == MINUS and (len(parts) > 2 or parts[1][0].text not in OPENING_BRACKETS)):
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
    """A ratio, ``\\sqrt{3} : 1``, as a ``Bracketed`` with colons for brackets; ``None`` without a colon."""
    parts = split(nodes, (":",))
    return (
        Bracketed(":", tuple(read(part, depth + 1) for part in parts), ":") if len(parts) > 1 and all(parts) else None
    )


def _either_sign(nodes: Nodes, depth: int) -> Value | None:
    """``1 \\pm \\sqrt{2}`` as two values; ``None`` without such a sign.

    ``None`` also for relations and for sets, whose sides and items are looked at one by one.
    """
    if outside(nodes, RELATION_SIGNS) or (nodes and nodes[0].text == "\\{"):
        return None
    both = _with_either_sign(nodes)
    return Unordered(tuple(read(one, depth + 1) for one in both)) if len(both) == 2 else None


def _with_either_sign(nodes: Nodes) -> list[Nodes]:
    """[nodes with ``\\pm`` as plus, nodes with ``\\pm`` as minus]; [nodes] if they have no such sign."""
    if not any(map(_has_either_sign, nodes)):
        return [nodes]
    return [_signed(nodes, "+", "-"), _signed(nodes, "-", "+")]


def _has_either_sign(node: Node) -> bool:
    """Whether a node or one of its arguments is ``\\pm`` or ``\\mp``."""
    return node.text in ("\\pm", "\\mp") or any(_has_either_sign(one) for arg in node.args for one in arg)


def _signed(nodes: Nodes, plus_minus: str, minus_plus: str) -> tuple[Node, ...]:
    """The nodes with ``\\pm`` replaced by the sign ``plus_minus``, and ``\\mp`` by ``minus_plus``."""
    signs = {"\\pm": plus_minus, "\\mp": minus_plus}
    return tuple(
        Node("mark", signs[node.text])
        if node.text in signs
        else node._replace(args=tuple(_signed(arg, plus_minus, minus_plus) for arg in node.args))
        for node in nodes
    )


def _bracketed(nodes: Nodes, depth: int) -> Value | None:
    """What stands in one pair of brackets: a tuple, an interval, a set, or one value in parentheses; else ``None``."""
    if (
        len(nodes) < 2
        or nodes[0].text not in OPENING_BRACKETS
        or nodes[-1].text not in CLOSING_BRACKETS
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
    """The set whose braces hold ``inner``; ``None`` if that cannot be read.

    ``1, 2, 2`` is the set of 1 and 2; ``x \\mid x > 2`` is the condition ``x > 2``.
    """
    bars = split(inner, ("|", ":"))
    if len(bars) == 2 and all(bars):
        condition = read(bars[1], depth + 1)
        return condition if isinstance(condition, Named) and bars[0][0].text == condition.name else None
    parts = split(inner, (",", ";"))
    if not all(parts):
        return None
    items = _distinct(tuple(read(one, depth + 1) for part in parts for one in _with_either_sign(part)))
    # a set with one solution is that solution; but the set that holds the empty set is not the empty set
    return items[0] if len(items) == 1 and not isinstance(items[0], Unordered) else Unordered(items, braced=True)


def _distinct(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """The items of a set without repetitions; ``1`` and ``1.0`` are the same item."""
    seen: dict[object, Value] = {}
    for item in items:
        seen.setdefault((item.value, item.unit) if isinstance(item, Number) else item, item)
    return tuple(seen.values())
