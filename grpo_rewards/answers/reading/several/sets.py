r"""Reads what stands in brackets: tuples, intervals, sets, ``\{x \mid x > 2\}``; and unions and differences of sets.

Look here if an interval is taken for a tuple, or if ``]2, 5[`` or ``\mathbb{R} \setminus \{0\}`` is not read.
"""

from __future__ import annotations

from grpo_rewards.answers.latex.brackets import (
    CLOSING_BRACKETS,
    OPENING_BRACKETS,
    closing_index,
    outside,
    split,
)
from grpo_rewards.answers.latex.tree import Node, Nodes, render
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.relations import CONDITIONS, ReadPart
from grpo_rewards.answers.reading.several.families import as_family, whole_numbers, without_declarations
from grpo_rewards.answers.reading.several.signs import with_either_sign
from grpo_rewards.answers.values.families import whole_numbers_in
from grpo_rewards.answers.values.intervals import NotReal, intersection, union, without
from grpo_rewards.answers.values.kinds import (
    Bracketed,
    Expression,
    Family,
    Infinity,
    Matrix,
    Named,
    Number,
    Relation,
    Union,
    Unordered,
    Value,
)

__all__ = ["REALS", "read_bare_builder", "read_bracketed", "read_combined", "with_usual_brackets"]

CUP, CAP, MINUS = ("\\cup",), ("\\cap",), ("\\setminus", "-")
REALS = Bracketed("(", (Infinity(-1), Infinity(1)), ")")
DISTRIBUTIONS = ("N", "U")  # N(0, 1) is no point
BUILDER_BARS = ("|", ":", ";")


def read_combined(nodes: Nodes, read: ReadPart) -> Value | None:
    """A union, intersection or difference of sets of numbers; ``None`` for anything else."""
    for operator, combine in ((CUP, union), (CAP, intersection), (MINUS, lambda sets: without(*sets))):
        parts = split(nodes, operator)
        if len(parts) == 1:
            continue
        if not all(parts) or (operator == MINUS and (len(parts) > 2 or parts[1][0].text not in OPENING_BRACKETS)):
            return None
        sets = tuple(read(part) for part in parts)
        if not all(_is_set(one, part) for one, part in zip(sets, parts, strict=True)):
            return None  # 180 - (40 + 40) is a difference of numbers
        try:
            return combine(sets)
        except NotReal:
            return Union(sets) if operator == CUP else None
    return None


def _is_set(value: Value, nodes: Nodes) -> bool:
    """Whether a value may be a set: a number may only in braces, ``\\{0\\}``."""
    return not isinstance(value, Number | Expression) or nodes[0].text == "\\{"


def with_usual_brackets(nodes: Nodes) -> Nodes:
    """The nodes with French intervals, ``]2, 5[``, in the usual brackets, ``(2, 5)``; unchanged if they have none.

    All square brackets must stand in pairs around two bounds, so that nothing else is changed.
    """
    if not any(node.text in ("[", "]") for node in nodes):
        return nodes
    places = [index for index, node in enumerate(nodes) if node.text in ("[", "]", "(", ")")]
    pairs = list(zip(places[::2], places[1::2], strict=False))
    if len(places) % 2 or not pairs or nodes[places[0]].text == ")":
        return nodes
    usual = list(nodes)
    for opening, closing in pairs:
        if nodes[opening].text == ")" or nodes[closing].text == "(":
            return nodes
        if len(split(nodes[opening + 1 : closing], (",", ";"))) != 2:
            return nodes
        if nodes[opening].text == "]":
            usual[opening] = Node("mark", "(")
        if nodes[closing].text == "[":
            usual[closing] = Node("mark", ")")
    return tuple(usual)


def read_bracketed(nodes: Nodes, read: ReadPart) -> Value | None:
    """What stands in one pair of brackets: a tuple, an interval, a set, or one value in parentheses; else ``None``."""
    if (
        len(nodes) < 2
        or nodes[0].text not in OPENING_BRACKETS
        or nodes[-1].text not in CLOSING_BRACKETS
        or closing_index(nodes) != len(nodes) - 1
    ):
        return _labelled_point(nodes, read)
    inner = nodes[1:-1]
    opening, closing = nodes[0].text, nodes[-1].text
    if opening == "\\{" and closing == "\\}":
        return _set(inner, read)
    parts = split(inner, (",",)) if outside(inner, (",",)) else split(inner, (";",))
    if not all(parts):
        return None
    if opening == "(" and closing == ")" and len(parts) == 1:
        return read(inner)
    items = tuple(read(part) for part in parts)
    if len(items) == 1 and isinstance(items[0], Matrix):
        return items[0]
    if "\\{" in (opening, closing) or "\\}" in (opening, closing) or len(items) == 1:
        return None
    return Bracketed(opening, items, closing)


def _labelled_point(nodes: Nodes, read: ReadPart) -> Value | None:
    """A point with its name, ``A(0, 1)``; ``None`` for anything else, as for ``f(0, 1)``."""
    is_labelled = (
        len(nodes) > 4
        and nodes[0].kind == "letter"
        and nodes[0].text.isupper()
        and nodes[0].text not in DISTRIBUTIONS
        and nodes[1].text == "("
        and closing_index(nodes[1:]) == len(nodes) - 2
    )
    point = read(nodes[1:]) if is_labelled else None
    if not isinstance(point, Bracketed) or not all(isinstance(item, Number | Expression) for item in point.items):
        return None
    return Named(nodes[0].text, point, read_formula(nodes))  # C(10, 3) is a point or a binomial


def _set(inner: Nodes, read: ReadPart) -> Value | None:
    """The set whose braces hold ``inner``; ``None`` if that cannot be read.

    ``1, 2, 2`` is the set of 1 and 2; ``x \\mid x > 2`` is the condition ``x > 2``.
    """
    built = _built(inner, read)
    if built is not None:
        return built
    if outside(inner, BUILDER_BARS[:2]):
        return None
    parts = split(inner, (",", ";"))
    if not all(parts):
        return None
    items = _distinct(tuple(read(one) for part in parts for one in with_either_sign(part)))
    # a set with one solution is that solution; but the set that holds a set is not that set
    single = len(parts) == len(items) == 1 and not isinstance(items[0], Unordered) and parts[0][0].text != "\\{"
    return items[0] if single else Unordered(items, braced=True)


def read_bare_builder(nodes: Nodes, read: ReadPart) -> Value | None:
    """A set-builder that lost its braces: ``x \\mid x > 1``; ``None`` for anything else."""
    bars = split(nodes, ("|",))
    if len(bars) != 2 or len(bars[0]) != 1 or bars[0][0].kind != "letter" or not outside(bars[1], CONDITIONS):
        return None
    return _built(nodes, read)


def _built(inner: Nodes, read: ReadPart) -> Value | None:
    """The set that a set-builder describes: ``x \\mid x > 2``, ``x \\in \\mathbb{Z} : 1 < x < 5``; else ``None``."""
    for bar in BUILDER_BARS:
        parts = split(inner, (bar,))
        if len(parts) == 2 and all(parts):
            break
    else:
        return None
    declared, stated = parts
    membership = outside(declared, ("\\in",))
    name = declared[: membership[0]] if membership else declared
    domain = declared[membership[0] + 1 :] if membership else ()
    kept, index_domain = ([], None) if membership else without_declarations([declared, stated])
    if index_domain is not None and len(kept) == 1:
        return as_family(read(kept[0]), index_domain)  # 2k \\mid k \\in \\mathbb{Z}
    condition = read(stated)
    if isinstance(condition, Family) and isinstance(condition.of, Relation):
        return condition  # x \\ne k\\pi for all whole k
    if not isinstance(condition, Named) or render(name) != condition.name:
        return None
    if not domain:
        return condition
    whole = whole_numbers(domain)
    if whole is not None:
        return whole_numbers_in(condition.of, whole) or Named(condition.name, Family(condition.of, whole))
    of = read(domain)
    try:
        return Named(condition.name, intersection([of, condition.of]))
    except NotReal:
        return None


def _distinct(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """The items of a set without repetitions; ``1`` and ``1.0`` are the same item."""
    seen: dict[object, Value] = {}
    for item in items:
        seen.setdefault((item.value, item.unit) if isinstance(item, Number) else item, item)
    return tuple(seen.values())
