r"""Reads matrices, systems and cases, ``\begin{pmatrix} … \end{pmatrix}``, and sums and multiples of tuples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from grpo_rewards.answers.formulas.exact import TooLarge, Undefined
from grpo_rewards.answers.formulas.formula import Formula, number, product
from grpo_rewards.answers.latex.tree import COMMA, Node, Nodes, closing_index, outside, render, split
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.relations import CONDITIONS, ReadPart
from grpo_rewards.answers.values.kinds import Bracketed, Matrix, Value, as_formula, as_value

# Reads what stands between ``\begin`` and ``\end``: matrices, systems of equations, functions defined by cases.

MATRICES = frozenset("matrix pmatrix bmatrix Bmatrix smallmatrix array".split())
LIST_ENVIRONMENTS = frozenset("cases dcases rcases aligned align align* gathered gather gather* split".split())
CASE_SIGNS = (*CONDITIONS, "=")
ALIGNED_SIGNS = (*CASE_SIGNS, "\\approx", "\\equiv", "+", "-", ",")  # which only an & before them puts under others
TRANSPOSES = ("T", "\\top", "\\intercal", "t")
WORDS_OF_CONDITIONS = ("当", "若", "if", "If", "when", "When", "for", "For")
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
    if (name in LIST_ENVIRONMENTS and not before) or (name == "array" and [one.text for one in before] == ["\\{"]):
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
    factor = number(-1) if [node.text for node in before] == ["-"] else read_formula(before)
    rows = [_products(factor, row) for row in matrix.rows]
    return Matrix(tuple(tuple(map(as_value, row)) for row in rows if row)) if all(rows) else None


def _products(factor: Formula | None, items: Sequence[Value]) -> list[Formula] | None:
    """Each item times a factor; ``None`` if one of them is no formula."""
    formulas = [as_formula(item) for item in items]
    found = [product((factor, formula)) for formula in formulas if factor is not None and formula is not None]
    return found if len(found) == len(items) else None


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
            for node, after in zip(row, (*row[1:], COMMA), strict=True)
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
    cases = [case for case in map(_case, rows) if case is not None]
    pairs = tuple(Bracketed("(", tuple(map(read, case)), ")") for case in cases)
    return Bracketed("cases", pairs, "cases") if len(cases) == len(rows) else None


def _case(row: Nodes) -> tuple[Nodes, Nodes] | None:
    """(value, condition) of a row such as ``x^2 & \\text{if } x > 0`` or ``x^2, x > 0``; ``None`` for other rows."""
    has_mark = len(split(row, ("&",))) == 2
    parts = split(row, ("&",) if has_mark else (",",))
    if len(parts) != 2 or not all(parts):
        return None
    value, condition = (parts[1], parts[0][1:]) if parts[0][0].text in WORDS_OF_CONDITIONS else parts
    if not condition or (value is parts[0] and outside(value, CASE_SIGNS)) or condition[0].text in CASE_SIGNS:
        return None  # a sign at the beginning is aligned
    worded = [node for node in condition if node.is_words]
    kept = [node for node in condition if node not in worded or node.text.casefold() not in CONDITIONAL_WORDS]
    if not outside(condition, CASE_SIGNS) and len(kept) == len(condition) and not (has_mark and worded):
        return None
    value = value[:-1] if value[-1].text in (",", ";") else value
    return value, kept or [Node("text", "otherwise")]


# Reads sums and multiples of tuples, ``(1, 0) + t(2, 3)``, ``-(1, 2)``, as one tuple.
#
# Look here if a line in space is not read.

VECTOR_TERMS = 8
ZERO_NODE = Node("digits", "0")


def read_vector_sum(nodes: Nodes, read: ReadPart) -> Value | None:
    """The tuple that a sum of multiples of tuples or columns comes to; ``None`` for anything else.

    A single tuple without a factor is none, nor is one with a letter before it: ``A(0, 1)`` is a point. Each component
    is read as the formula that has it in place of every tuple.
    """
    signs = outside(nodes, ("+", "-"))
    is_point = nodes[0].kind == "letter" and nodes[1].text == "("
    if len(signs) > VECTOR_TERMS or (not signs and (is_point or nodes[0].text in ("(", "\\begin"))):
        return None
    starts = signs if signs[:1] == [0] else [0, *signs]
    terms = [_term(nodes[start:end]) for start, end in pairwise([*starts, len(nodes)])]
    if len(set(map(len, terms))) != 1 or not terms[0]:
        return None
    formulas = [read_formula([*chain(*parts)] or [ZERO_NODE]) for parts in zip(*terms, strict=True)]
    if None in formulas:
        return None
    try:
        return Bracketed("(", tuple(as_value(formula) for formula in formulas if formula is not None), ")")
    except (TooLarge, Undefined):
        return None


def _term(nodes: Nodes) -> list[Nodes]:
    """A term with each component of its tuple or column in place of that; ``[]`` for anything else.

    Of a component 0 nothing is left: 0 times a parameter is a number.
    """
    start = next((at for at in range(len(nodes)) if _is_vector(nodes[at:])), None)
    if start is None:
        return []
    before = [*nodes[:start], Node("mark", "(")]
    if start and nodes[start - 1].text not in ("+", "-", "\\cdot"):
        before.insert(-1, Node("command", "\\cdot"))
    parts = split(nodes[start + 1 : -1], (",",) if nodes[start].text == "(" else ("\\\\",))
    return [[*before, *part, Node("mark", ")")] if render(part) != "0" else [] for part in parts if part]


def _is_vector(nodes: Nodes) -> bool:
    """Whether nodes are one tuple or one environment."""
    is_tuple = nodes[0].text == "(" and bool(outside(nodes[1:-1], (",",)))
    return (is_tuple or nodes[0].text == "\\begin") and closing_index(nodes) == len(nodes) - 1
