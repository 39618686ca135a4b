"""Recognises integrals, sums, products and limits: mathematics that only a computer algebra system can compare."""

from __future__ import annotations

from collections.abc import Iterator

from grpo_rewards.answers.latex.commands import FUNCTIONS, GREEK
from grpo_rewards.answers.latex.tree import Node, Nodes

__all__ = ["is_mathematics"]

OPERATORS = ("\\int", "\\sum", "\\prod", "\\lim")
# All that may stand in such a formula. Words may not, because the computer algebra would skip them.
MATHEMATICS = GREEK | frozenset(
    [
        *OPERATORS,
        *"()[]|+-/.!'^_=,",
        *r"\cdot \pi \frac \sqrt \root \binom \to \infty \lfloor \rfloor \lceil \rceil".split(),
    ]
)


def is_mathematics(nodes: Nodes) -> bool:
    """Whether ``nodes`` hold an integral, a sum, a product or a limit, and besides that only formulas: no words."""
    flat = list(_flattened(nodes))
    return any(node.text in OPERATORS for node in flat) and all(
        node.kind in ("digits", "letter", "space") or node.text in MATHEMATICS or node.text[1:] in FUNCTIONS
        for node in flat
    )


def _flattened(nodes: Nodes) -> Iterator[Node]:
    """All nodes of a tree, each followed by those of its arguments."""
    for node in nodes:
        yield node
        for arg in node.args:
            yield from _flattened(arg)
