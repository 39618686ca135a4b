r"""Reads matrices, systems and cases, ``\begin{pmatrix} … \end{pmatrix}``, and sums and multiples of tuples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from grpo_rewards.answers.formulas.exact import TooLarge, Undefined
from grpo_rewards.answers.formulas.formula import number, product
from grpo_rewards.answers.latex.tree import (
    COMMA,
    CONDITIONS_AND_EQUALS,
    Node,
    Nodes,
    closing_index,
    outside,
    render,
    split,
    texts,
)
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.relations import ReadPart
from grpo_rewards.answers.reading.several import PLUS_SIGN
from grpo_rewards.answers.values.kinds import Bracketed, Matrix, Value, as_formula, as_value

MATRICES = frozenset("matrix pmatrix bmatrix Bmatrix smallmatrix array".split())
LIST_ENVIRONMENTS = frozenset("cases dcases rcases aligned align align* gathered gather gather* split".split())
# Which only an & before them puts under others.
ALIGNED_SIGNS = (*CONDITIONS_AND_EQUALS, "\\approx", "\\equiv", "+", "-", ",")
TRANSPOSES = ("T", "\\top", "\\intercal", "t")
WORDS_OF_CONDITIONS = "当 若 if If when When for For".split()
CONDITIONAL_WORDS = frozenset("if when for where and otherwise else elsewhere".split())


def read_environment(nodes: Nodes, read: ReadPart) -> Value | None:
    """The matrix, list or function by cases that ``nodes`` as a whole are; ``None`` for anything else.

    A matrix may have a factor before it. ``read`` reads the parts.
    """
    if len(nodes) > 1 and nodes[-1].text == "^" and render(nodes[-1].args[0]).strip() in TRANSPOSES:
        return _transposed(nodes[:-1], read)
    start = next((index for index, node in enumerate(nodes) if node.text == "\\begin"), None)
    if start is None or closing_index(nodes[start:]) != len(nodes) - 1 - start:
        return None
    before, name, inner = nodes[:start], render(nodes[start].args[0]), nodes[start + 1 : -1]
    rows = [row for row in split(inner, ("\\\\",)) if row]
    if (name in LIST_ENVIRONMENTS and not before) or (name == "array" and texts(before) == ["\\{"]):
        return _list(rows, read)
    if name not in MATRICES:
        return None
    matrix = Matrix(tuple(tuple(map(read, split(row, ("&",)))) for row in rows))
    return _scaled(before, matrix) if before else matrix


def _transposed(nodes: Nodes, read: ReadPart) -> Value | None:
    """The transpose of a matrix, or the column that a tuple becomes; ``None`` for other values."""
    value = read(nodes) if nodes[-1].text in (")", "]", "\\end") else None
    if isinstance(value, Bracketed):
        return Matrix(tuple((item,) for item in value.items))
    if not isinstance(value, Matrix) or len({len(row) for row in value.rows}) != 1:
        return None
    return Matrix(tuple(zip(*value.rows, strict=True)))


def _scaled(before: Nodes, matrix: Matrix) -> Value | None:
    """The matrix with each entry multiplied by the formula before it; ``None`` if that cannot be done."""
    factor = number(-1) if texts(before) == ["-"] else read_formula(before)
    rows = []
    for row in matrix.rows:
        formulas = [as_formula(item) for item in row]
        scaled = [as_value(product((factor, one))) for one in formulas if factor is not None and one is not None]
        if len(scaled) < len(row):
            return None
        rows.append(tuple(scaled))
    return Matrix(tuple(rows))


def _list(rows: Sequence[Nodes], read: ReadPart) -> Value | None:
    """The rows of ``cases``, ``aligned`` and the like: a function by cases if every row has a condition, else a list.

    A function by cases is a ``Bracketed`` of (value, condition) pairs in order.
    """
    if len(rows) > 1 and any(map(_case, rows)):
        return _cases(rows, read)
    joined: list[Node] = []
    for row in rows:
        bare = [
            COMMA if node.text == "&" else node
            for node, after in pairwise((*row, COMMA))
            if node.text != "&" or after.text not in ALIGNED_SIGNS
        ]
        joined += bare if not joined or bare[0].text == "=" else [COMMA, *bare]
    return read(joined) if joined else None


def read_cases(nodes: Nodes, read: ReadPart) -> Value | None:
    """A function by cases in one line, ``x, x > 0; -x, x < 0``; ``None`` for anything else."""
    rows = split(nodes, (";",))
    return _cases(rows, read) if len(rows) > 1 else None


def _cases(rows: Sequence[Nodes], read: ReadPart) -> Value | None:
    """The (value, condition) pairs of rows; ``None`` if one is none."""
    cases = list(filter(None, map(_case, rows)))
    pairs = tuple(Bracketed("(", tuple(map(read, case)), ")") for case in cases)
    return Bracketed("cases", pairs, "cases") if len(cases) == len(rows) else None


def _case(row: Nodes) -> tuple[Nodes, Nodes] | None:
    """(value, condition) of a row such as ``x^2 & \\text{if } x > 0`` or ``x^2, x > 0``; ``None`` for other rows."""
    has_mark = len(outside(row, ("&",))) == 1
    parts = split(row, ("&",) if has_mark else (",",))
    if len(parts) != 2 or not all(parts):
        return None
    value, condition = (parts[1], parts[0][1:]) if parts[0][0].text in WORDS_OF_CONDITIONS else parts
    signs = outside(condition, CONDITIONS_AND_EQUALS)
    if not condition or 0 in signs or (value is parts[0] and outside(value, CONDITIONS_AND_EQUALS)):
        return None  # a sign at the beginning is aligned
    worded = [node for node in condition if node.is_words]
    kept = [node for node in condition if node not in worded or node.text.casefold() not in CONDITIONAL_WORDS]
    if not signs and len(kept) == len(condition) and not (has_mark and worded):
        return None
    value = value[:-1] if value[-1].text in (",", ";") else value
    return value, kept or [Node("text", "otherwise")]


# Reads sums and multiples of tuples, ``(1, 0) + t(2, 3)``, ``-(1, 2)``, as one tuple. Look here if a line is not read.

VECTOR_TERMS = 8
TIMES_SIGN, ZERO_DIGIT = Node("command", "\\cdot"), Node("digits", "0")
LEFT_PARENTHESIS, RIGHT_PARENTHESIS = Node("mark", "("), Node("mark", ")")


def read_vector_sum(nodes: Nodes, read: ReadPart) -> Value | None:
    """The tuple that a sum of multiples of tuples or columns comes to; ``None`` for anything else.

    Each of its components is read as the formula that has the components of the parts in their places. A single tuple
    without a factor is no sum, nor is one with a letter before it: ``A(0, 1)`` is a point.
    """
    signs = [nodes[at] for at in outside(nodes, ("+", "-"))]
    terms = split(nodes, ("+", "-"))
    if len(terms) > VECTOR_TERMS:
        return None
    is_signed = not terms[0]
    terms, signs = (terms[1:], signs) if is_signed else (terms, [PLUS_SIGN, *signs])
    vectors = [_multiple(term) for term in terms]
    factor = vectors[0][0]
    is_bare = not factor or (len(factor) == 2 and factor[0].kind == "letter")
    is_point = len(terms) == 1 and not is_signed and is_bare
    if is_point or len({len(parts) for _, parts in vectors}) != 1:
        return None
    items = []
    for parts in zip(*(parts for _, parts in vectors), strict=True):
        component = [ZERO_DIGIT]
        for sign, (factor, _), part in zip(signs, vectors, parts, strict=True):
            if render(part) != "0":  # no parameter is left of 0t
                component += [sign, *factor, LEFT_PARENTHESIS, *part, RIGHT_PARENTHESIS]
        formula = read_formula(component)
        if formula is None:
            return None
        items.append(formula)
    try:
        return Bracketed("(", tuple(map(as_value, items)), ")") if items else None
    except (TooLarge, Undefined):
        return None


def _multiple(term: Nodes) -> tuple[Nodes, list[Nodes]]:
    """(factor and times sign, components) of a tuple or column; no components for anything else."""
    for start, node in enumerate(term):
        if node.text not in ("(", "\\begin") or closing_index(term[start:]) != len(term) - 1 - start:
            continue
        parts = [part for part in split(term[start + 1 : -1], (",", "\\\\")) if part]
        if len(parts) > 1:
            before = term[: start - (start > 0 and term[start - 1] == TIMES_SIGN)]
            return [*before, TIMES_SIGN] if before else (), parts
    return (), []
