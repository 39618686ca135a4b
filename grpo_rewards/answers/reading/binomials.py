r"""Reads binomials and permutations in every notation: ``C_{10}^{3}``, ``C(10, 3)``, ``{}_{10}C_3``, ``A_{10}^{3}``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from grpo_rewards.answers.formulas.formula import Formula, call, has_symbols, product
from grpo_rewards.answers.formulas.structure import symbols
from grpo_rewards.answers.latex.brackets import closing_index, split
from grpo_rewards.answers.latex.tree import Nodes

__all__ = ["Leading", "read_binomial", "read_prefixed_binomial"]

CHOICE_SIGNS = ("C", "A", "P")  # C without order; A and P, permutations, in order
IN_PARENTHESES_TOO = ("C", "P")
COUNTING_LETTERS = frozenset("nmkrp")
LONGEST_IN_PARENTHESES = 40  # nodes
ReadFormula = Callable[[Nodes], Formula | None]


class Leading(NamedTuple):
    """A formula at the start of some nodes, and how many nodes it takes."""

    formula: Formula
    nodes: int


def read_binomial(nodes: Nodes, letter: str, read: ReadFormula) -> Leading | None:
    """The binomial that begins with a letter, ``C_{10}^{3}`` or ``C(10, 3)``; ``None`` for a power of C_1."""
    if letter not in CHOICE_SIGNS or len(nodes) < 3:
        return None
    if (nodes[1].text, nodes[2].text) == ("_", "^"):
        return _of(letter, nodes[1].args[0], nodes[2].args[0], 3, read)
    end = closing_index(nodes[1 : LONGEST_IN_PARENTHESES + 1]) if nodes[1].text == "(" else -1
    if letter not in IN_PARENTHESES_TOO or end < 0:
        return None
    parts = split(nodes[2 : end + 1], (",",))
    return _of(letter, parts[0], parts[1], end + 2, read) if len(parts) == 2 and all(parts) else None


def read_prefixed_binomial(nodes: Nodes, read: ReadFormula) -> Leading | None:
    """The binomial that begins with an index, ``{}_{10}C_{3}`` or ``{}^{10}C_{3}``; ``None`` for anything else."""
    if len(nodes) < 3 or nodes[1].text not in CHOICE_SIGNS or nodes[2].text != "_":
        return None
    return _of(nodes[1].text, nodes[0].args[0], nodes[2].args[0], 3, read)


def _of(letter: str, among: Nodes, chosen: Nodes, nodes: int, read: ReadFormula) -> Leading | None:
    """The number of choices of ``chosen`` things ``among`` others; ``None`` if the two cannot be that."""
    n, k = read(among), read(chosen)
    if n is None or k is None or not _can_be_chosen(n, k):
        return None
    found = call("binom", n, k)
    return Leading(found if letter == "C" else product((found, call("factorial", k))), nodes)


def _can_be_chosen(among: Formula, chosen: Formula) -> bool:
    """Whether two indices are those of a binomial: C_{10}^{3} and C_n^k, but not C_1^2, the square of a constant."""
    if among.kind == chosen.kind == "number":
        whole = among.value.denominator == chosen.value.denominator == 1
        return whole and among.value >= 2 and 0 <= chosen.value <= among.value
    return has_symbols(among) and (symbols(chosen) | symbols(among)) <= COUNTING_LETTERS
