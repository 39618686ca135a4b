r"""Reads matrices, systems and cases, ``\begin{pmatrix} … \end{pmatrix}``, and sums and multiples of tuples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from grpo_rewards.answers.formulas.exact import TooLarge, Undefined
from grpo_rewards.answers.formulas.formula import NUMBER_BITS, Formula, number, product, total
from grpo_rewards.answers.latex.tree import COMMA, WORD_KINDS, Node, Nodes, closing_index, outside, render, split
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.relations import CONDITIONS, ReadPart
from grpo_rewards.answers.values.kinds import Bracketed, Expression, Matrix, Number, Value, as_formula, as_value

# Reads what stands between ``\begin`` and ``\end``: matrices, systems of equations, functions defined by cases.

MATRICES = frozenset("matrix pmatrix bmatrix Bmatrix smallmatrix array".split())
LIST_ENVIRONMENTS = frozenset("cases dcases rcases aligned align align* gathered gather gather* split".split())
CASE_SIGNS = (*CONDITIONS, "=")
ALIGNED_SIGNS = (*CASE_SIGNS, "\\approx", "\\equiv", "+", "-", ",")  # which only an & before them puts under others
TRANSPOSES = ("T", "\\top", "\\intercal", "t")
CONDITIONAL_WORDS = frozenset("if when for where and otherwise".split())


def read_environment(nodes: Nodes, read: ReadPart) -> Value | None:
    """The matrix, list or function by cases that ``nodes`` as a whole are; ``None`` for anything else.

    A matrix may have a factor before it. ``read`` reads the parts.
    """
    if is_transposed(nodes):
        return transposed(read(nodes[:-1]))
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


def is_transposed(nodes: Nodes) -> bool:
    """Whether a matrix or a tuple is followed by the sign of its transpose, as in ``(1, 2)^T``."""
    if len(nodes) < 4 or nodes[-1].text != "^" or nodes[-2].text not in (")", "]", "\\end"):
        return False
    is_compound = nodes[-2].text == "\\end" or any(node.text == "," for node in nodes)
    return is_compound and render(nodes[-1].args[0]).strip() in TRANSPOSES


def transposed(value: Value) -> Value | None:
    """The transpose of a matrix, or the column that a tuple becomes; ``None`` for other values."""
    if isinstance(value, Bracketed):
        return Matrix(tuple((item,) for item in value.items))
    if not isinstance(value, Matrix) or len({len(row) for row in value.rows}) != 1:
        return None
    return Matrix(tuple(zip(*value.rows, strict=True)))


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
    if len(rows) > 1 and any(cases) and not all(cases):
        return None
    if len(rows) > 1 and all(cases):
        pairs = [Bracketed("(", (read(value), read(condition)), ")") for value, condition in filter(None, cases)]
        return Bracketed("cases", tuple(pairs), "cases")
    joined: list[Node] = []
    for row in rows:
        bare = [
            COMMA if node.text == "&" else node
            for node, after in zip(row, (*row[1:], COMMA), strict=True)
            if node.text != "&" or after.text not in ALIGNED_SIGNS
        ]
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
    has_mark = len(split(row, ("&",))) == 2
    words = [
        node for node in condition if node.kind in WORD_KINDS and node.text.casefold().strip() in CONDITIONAL_WORDS
    ]
    if (condition[0].text, condition[-1].text) == ("(", ")"):
        condition = condition[1:-1]
    if condition[0].text in CASE_SIGNS:
        return None  # aligned at the sign
    is_worded = has_mark and any(node.kind in WORD_KINDS for node in condition)  # x even
    if not value or not (words or is_worded or outside(condition, CASE_SIGNS)) or outside(value, CASE_SIGNS):
        return None
    kept = [node for node in condition if node not in words] or [Node("text", "otherwise")]
    return value, kept


# Reads sums and multiples of tuples, ``(1, 0) + t(2, 3)``, ``-(1, 2)``, as one tuple.
#
# Look here if a line in space is not read.

VECTOR_TERMS = 8
VECTOR_SIGNS = ("+", "-")


def read_vector_sum(nodes: Nodes, read: ReadPart) -> Value | None:
    """The tuple that a sum of multiples of tuples or columns comes to; ``None`` for anything else.

    A single tuple without a factor is none, nor is one with a letter before it: ``A(0, 1)`` is a point.
    """
    if not any(node.text in (",", "\\begin") for node in nodes):
        return None
    signs = outside(nodes, VECTOR_SIGNS)
    starts_alone = nodes[0].kind == "letter" and nodes[1].text == "("
    if not signs and (starts_alone or nodes[0].text in ("(", "\\begin")):
        return None
    bounds = [*([] if signs[:1] == [0] else [-1]), *signs, len(nodes)]
    if len(bounds) - 1 > VECTOR_TERMS:
        return None
    terms = []
    for start, end in pairwise(bounds):
        sign = -1 if start >= 0 and nodes[start].text == "-" else 1
        term = _term(nodes[start + 1 : end], sign, read)
        if term is None:
            return None
        terms.append(term)
    if len({len(term) for term in terms}) != 1:
        return None
    try:
        return Bracketed("(", tuple(as_value(_sum(parts)) for parts in zip(*terms, strict=True)), ")")
    except (TooLarge, Undefined):
        return None


def _sum(parts: Sequence[Formula]) -> Formula:
    """The sum of some components; none of 0 times a parameter, for a number is expected there."""
    kept = [part for part in parts if not (part.kind == "product" and number(0) in part.args)]
    return total(kept) if kept else number(0)


def _term(nodes: Nodes, sign: int, read: ReadPart) -> list[Formula] | None:
    """The components of a tuple or column with a factor before it; ``None`` for anything else."""
    start = next((index for index, node in enumerate(nodes) if _begins_vector(nodes, index)), None)
    if start is None:
        return None
    before = nodes[:start]
    while before and before[-1].text == "\\cdot":
        before = before[:-1]
    factor = read_formula(before) if before else number(1)
    vector = read(nodes[start:])
    items = vector.items if isinstance(vector, Bracketed) and vector.opening == "(" else None
    if isinstance(vector, Matrix) and all(len(row) == 1 for row in vector.rows):
        items = tuple(row[0] for row in vector.rows)
    if factor is None or items is None or len(items) < 2:
        return None
    formulas = [as_formula(item) if isinstance(item, Number | Expression) else None for item in items]
    found = [product((number(sign), factor, formula)) for formula in formulas if formula is not None]
    return found if len(found) == len(formulas) else None


def _begins_vector(nodes: Nodes, index: int) -> bool:
    """Whether the rest of the nodes from ``index`` on is one tuple or one environment."""
    if nodes[index].text == "\\begin":
        return nodes[-1].text == "\\end"
    if nodes[index].text != "(" or closing_index(nodes[index:]) != len(nodes) - index - 1:
        return False
    inner = nodes[index + 1 : -1]
    commas = sum(node.text == "," for node in inner)  # none of them in brackets: tuples of tuples are no vectors
    return 0 < commas == len(outside(inner, (",",)))
