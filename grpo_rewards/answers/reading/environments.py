"""Reads what stands between ``\\begin`` and ``\\end``: matrices, systems of equations, functions defined by cases."""

from __future__ import annotations

from collections.abc import Sequence

from grpo_rewards.answers.formulas.formula import NUMBER_BITS, Formula, number, product
from grpo_rewards.answers.latex.brackets import outside, split
from grpo_rewards.answers.latex.tree import COMMA, WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.relations import CONDITIONS, ReadPart
from grpo_rewards.answers.values.kinds import Bracketed, Expression, Matrix, Number, Value

__all__ = ["read_environment"]

MATRICES = frozenset("matrix pmatrix bmatrix Bmatrix smallmatrix array".split())
LIST_ENVIRONMENTS = frozenset("cases dcases rcases aligned align align* gathered gather gather* split".split())
CONDITIONAL_WORDS = frozenset("if when for where and otherwise".split())


def read_environment(nodes: Nodes, read: ReadPart) -> Value | None:
    """The matrix, list or function by cases that ``nodes`` as a whole are; ``None`` for anything else.

    A matrix may have a factor before it. ``read`` reads the parts.
    """
    start = next((index for index, node in enumerate(nodes) if node.text == "\\begin"), None)
    if start is None or not _is_one(nodes[start:]):
        return None
    before, name, inner = nodes[:start], render(nodes[start].args[0]), nodes[start + 1 : -1]
    rows = [row for row in split(inner, ("\\\\",)) if row]
    has_brace = len(before) == 1 and before[0].text == "\\{"
    if (name in LIST_ENVIRONMENTS and not before) or (name == "array" and has_brace):
        return _list(rows, read)
    if name not in MATRICES:
        return None
    matrix = Matrix(tuple(tuple(read(cell) for cell in split(row, ("&",))) for row in rows))
    return _scaled(before, matrix) if before else matrix


def _is_one(nodes: Nodes) -> bool:
    """Whether the environment that opens first ends at the last node, so that nothing follows it."""
    depth = 0
    for index, node in enumerate(nodes):
        depth += (node.text == "\\begin") - (node.text == "\\end")
        if depth == 0:
            return index == len(nodes) - 1
    return False


def _scaled(before: Nodes, matrix: Matrix) -> Value | None:
    """The matrix with each entry multiplied by the formula before it; ``None`` if that cannot be done."""
    factor = number(-1) if [node.text for node in before] == ["-"] else read_formula(before)
    if factor is None:
        return None
    rows = [[_times(factor, entry) for entry in row] for row in matrix.rows]
    if any(entry is None for row in rows for entry in row):
        return None
    return Matrix(tuple(tuple(entry for entry in row if entry is not None) for row in rows))


def _times(factor: Formula, entry: Value) -> Value | None:
    """One entry of a matrix times a factor; ``None`` if it is not a formula, or if the product is too large."""
    if isinstance(entry, Number):
        if factor.kind == "number":
            value = factor.value * entry.value
            is_small = max(value.numerator.bit_length(), value.denominator.bit_length()) <= NUMBER_BITS
            return Number(value, entry.unit) if is_small else None
        return Expression(f"{factor}*{entry.value}", product((factor, number(entry.value))), entry.unit)
    if isinstance(entry, Expression) and entry.formula is not None:
        return Expression(f"{factor}*{entry.spelled}", product((factor, entry.formula)), entry.unit)
    return None


def _list(rows: Sequence[Nodes], read: ReadPart) -> Value | None:
    """The rows of ``cases``, ``aligned`` and the like: a function by cases if every row has a condition, else a list.

    A function by cases is a ``Bracketed`` of (value, condition) pairs in order.
    """
    cases = [_case(row) for row in rows]
    if len(rows) > 1 and all(cases):
        pairs = [Bracketed("(", (read(value), read(condition)), ")") for value, condition in filter(None, cases)]
        return Bracketed("cases", tuple(pairs), "cases")
    joined: list[Node] = []
    for row in rows:
        bare = [node for node in row if node.text != "&"]
        continues = bool(bare) and bare[0].text == "="
        joined += [*([COMMA] if joined and not continues else []), *bare]
    return read(joined) if joined else None


def _case(row: Nodes) -> tuple[Nodes, Nodes] | None:
    """(value, condition) of a row such as ``x^2 & \\text{if } x > 0`` or ``x^2, x > 0``; ``None`` for other rows."""
    parts = split(row, ("&",))
    if len(parts) != 2 or not all(parts):
        parts = split(row, (",",))
    if len(parts) != 2 or not all(parts):
        return None
    value, condition = parts
    while value and value[-1].text in (",", ";"):
        value = value[:-1]
    words = [
        node for node in condition if node.kind in WORD_KINDS and node.text.casefold().strip() in CONDITIONAL_WORDS
    ]
    if not value or not (words or outside(condition, CONDITIONS)) or outside(value, ("=",)):
        return None
    kept = [node for node in condition if node not in words] or [Node("text", "otherwise")]
    return value, kept
