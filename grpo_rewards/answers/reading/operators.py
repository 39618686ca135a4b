"""Recognises sums and products over an index, and integrals and limits, which only computer algebra can compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from grpo_rewards.answers.latex.commands import FUNCTIONS, GREEK
from grpo_rewards.answers.latex.tree import Node, Nodes, render

__all__ = ["REPEATED", "Over", "is_computable", "is_mathematics", "read_over"]

OPERATORS = ("\\int", "\\sum", "\\prod", "\\lim")
# All that may stand in such a formula. Words may not, because the computer algebra would skip them.
MATHEMATICS = GREEK | frozenset(
    [
        *OPERATORS,
        *"()[]|+-/.!'^_=,",
        *r"\cdot \pi \frac \sqrt \root \binom \to \infty \lfloor \rfloor \lceil \rceil".split(),
    ]
)


REPEATED = {"\\sum": "sum", "\\prod": "product"}
KNOWN_LETTERS = frozenset("dei")
INFINITE = ("\\infty", "+\\infty")


class Over(NamedTuple):
    """What a sum or product goes over.

    ``letter``: its index. ``first``, ``last``: its bounds; ``last`` is ``None`` for a sum to infinity. ``condition``:
    in place of the bounds, the condition on the index, with ``#`` for its letter: ``#|n`` for ``d \\mid n``.
    """

    letter: str
    first: Nodes | None
    last: Nodes | None
    condition: str


def read_over(below: Nodes, above: Nodes | None) -> Over | None:
    """What a sum or product goes over, which stands below and above its sign; ``None`` if that is not understood."""
    letter = next((node.text for node in below if node.kind == "letter" or node.text in GREEK), None)
    if letter is None:
        return None
    if len(below) > 2 and (below[0].text, below[1].text) == (letter, "="):
        if above is None or any(node.text in ("=", ",", "\\le", "<") for node in below[2:]):
            return None
        return Over(letter, below[2:], None if render(above).strip() in INFINITE else above, "")
    if above is not None:
        return None
    return Over(
        letter, None, None, render([node._replace(text="#") if node.text == letter else node for node in below])
    )


def is_mathematics(nodes: Nodes) -> bool:
    """Whether ``nodes`` hold an integral, a sum, a product or a limit, and besides that only formulas: no words."""
    flat = list(_flattened(nodes))
    return any(node.text in OPERATORS for node in flat) and all(
        node.kind in ("digits", "letter", "space") or node.text in MATHEMATICS or node.text[1:] in FUNCTIONS
        for node in flat
    )


def is_computable(nodes: Nodes) -> bool:
    """Whether ``nodes`` begin with an integral, a sum or a limit whose value is known, since all its letters are bound.

    ``\\int_0^1 x^2 dx`` is; ``\\int_0^1 f(x) dx`` is a quantity that an answer may say.
    """
    if len(nodes) < 2 or nodes[0].text not in OPERATORS or nodes[1].text not in ("_", "^") or not is_mathematics(nodes):
        return False
    flat = [node for node in _flattened(nodes) if node.kind != "space"]
    after = zip(flat, [*flat[1:], None], strict=True)
    bound = {next.text for node, next in after if node.text == "d" and next is not None}
    for place, node in enumerate(nodes):
        if node.text == "_" and place and nodes[place - 1].text in OPERATORS[1:] and node.args[0]:
            bound.add(node.args[0][0].text)
    names = {node.text for node in flat if node.kind == "letter" or node.text in GREEK}
    return bool(bound) and names <= bound | KNOWN_LETTERS


def _flattened(nodes: Nodes) -> Iterator[Node]:
    """All nodes of a tree, each followed by those of its arguments."""
    for node in nodes:
        yield node
        for arg in node.args:
            yield from _flattened(arg)
