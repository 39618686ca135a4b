r"""Reads formulas of logic, ``p \land \neg q``, as their truth tables, so that equivalent ones are the same answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from grpo_rewards.answers.latex.tree import Nodes
from grpo_rewards.answers.values.kinds import Text

__all__ = ["LOGIC_SIGNS", "read_logic"]

PROPOSITIONS = frozenset("pqrstPQRST")  # a and b may be vectors, and a \\wedge b their product
MOST_PROPOSITIONS = 6
LOGIC_NODES = 80
Proposition = Callable[[Mapping[str, bool]], bool]
NEGATIONS = ("\\neg", "\\sim")
# From the loosest to the tightest; all but "implies" do not care for the order.
CONNECTIVE_LEVELS: tuple[tuple[tuple[str, ...], Callable[[bool, bool], bool]], ...] = (
    (("\\leftrightarrow", "\\Leftrightarrow", "\\iff"), lambda one, other: one == other),
    (("\\to", "\\Rightarrow", "\\implies", "\\Longrightarrow"), lambda one, other: not one or other),
    (("\\vee",), lambda one, other: one or other),
    (("\\wedge",), lambda one, other: one and other),
)
LOGIC_SIGNS = frozenset(sign for signs, _ in CONNECTIVE_LEVELS for sign in signs) | frozenset(NEGATIONS)


def read_logic(nodes: Nodes) -> Text | None:
    """The truth table of a formula of logic as a ``Text``; ``None`` for anything else."""
    if len(nodes) > LOGIC_NODES or not any(node.text in LOGIC_SIGNS for node in nodes):
        return None
    names = sorted({node.text for node in nodes if node.kind == "letter"})
    if not names or len(names) > MOST_PROPOSITIONS or not PROPOSITIONS.issuperset(names):
        return None
    formula = _read(nodes, 0)
    if formula is None:
        return None
    rows = (dict(zip(names, values, strict=True)) for values in product((False, True), repeat=len(names)))
    return Text(f"{','.join(names)}: {''.join('FT'[formula(row)] for row in rows)}")


def _read(nodes: Nodes, level: int) -> Proposition | None:
    """The formula that ``nodes`` spell with connectives from ``level`` on; ``None`` if they are none."""
    if not nodes:
        return None
    if level == len(CONNECTIVE_LEVELS):
        return _simple(nodes)
    signs, join = CONNECTIVE_LEVELS[level]
    at = _first_outside(nodes, signs)
    if at is None:
        return _read(nodes, level + 1)
    left, right = _read(nodes[:at], level + 1), _read(nodes[at + 1 :], level)
    if left is None or right is None:
        return None
    return lambda row: join(left(row), right(row))


def _simple(nodes: Nodes) -> Proposition | None:
    """A letter, a negation, or a formula in parentheses; ``None`` for anything else."""
    first = nodes[0]
    if first.text in NEGATIONS:
        inner = _read(nodes[1:], len(CONNECTIVE_LEVELS))
        return None if inner is None else lambda row: not inner(row)
    if first.text == "(" and nodes[-1].text == ")":
        return _read(nodes[1:-1], 0)
    return (lambda row: row[first.text]) if len(nodes) == 1 and first.kind == "letter" else None


def _first_outside(nodes: Nodes, signs: tuple[str, ...]) -> int | None:
    """The index of the first of ``signs`` that is not in parentheses; ``None`` without one."""
    depth = 0
    for index, node in enumerate(nodes):
        depth += (node.text == "(") - (node.text == ")")
        if depth == 0 and node.text in signs:
            return index
    return None
