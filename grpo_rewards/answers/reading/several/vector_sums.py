r"""Reads sums and multiples of tuples, ``(1, 0) + t(2, 3)``, ``-(1, 2)``, as one tuple.

Look here if a line in space is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from grpo_rewards.answers.formulas.budget import TooLarge
from grpo_rewards.answers.formulas.exact import Undefined
from grpo_rewards.answers.formulas.formula import Formula, number, product, total
from grpo_rewards.answers.latex.brackets import closing_index, outside
from grpo_rewards.answers.latex.tree import Nodes
from grpo_rewards.answers.reading.grammar import read_formula
from grpo_rewards.answers.reading.relations import ReadPart
from grpo_rewards.answers.values.kinds import Bracketed, Expression, Matrix, Number, Value, as_formula, as_value

__all__ = ["read_vector_sum"]

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
