"""Finds closing brackets in a row of nodes, and splits nodes at the separators that are not inside brackets."""

from __future__ import annotations

from collections.abc import Collection

from grpo_rewards.answers.latex.tree import WORD_KINDS, Node, Nodes

__all__ = ["CLOSING_BRACKETS", "CONJUNCTIONS", "OPENING_BRACKETS", "closing_index", "outside", "split", "spoken"]

OPENING_BRACKETS, CLOSING_BRACKETS = ("(", "[", "\\{"), (")", "]", "\\}")
CONJUNCTIONS = ("and", "or")
# These join conditions, as in x = 1 \\vee x = 2; between anything else they belong to a formula of logic.
SIGNS_OF_LOGIC = {"\\vee": "or", "\\wedge": "and"}
SIGNS_OF_CONDITIONS = frozenset(["=", "<", ">", "\\le", "\\ge", "\\ne", "\\in"])


def closing_index(nodes: Nodes) -> int:
    """The index of the bracket that closes the first one; -1 if none does.

    The two may be of different kinds, as in the interval ``[1, 2)``.
    """
    depth = 0
    for index, node in enumerate(nodes):
        if node.text in OPENING_BRACKETS:
            depth += 1
        elif node.text in CLOSING_BRACKETS:
            depth -= 1
            if depth == 0:
                return index
    return -1


def outside(nodes: Nodes, texts: Collection[str], *, words: bool = False) -> list[int]:
    """The indices of the nodes that have one of ``texts`` and are not inside brackets or environments.

    With ``words``, the indices of "and" and "or" as well.
    """
    found = []
    depth = 0
    joins_conditions = words and any(node.text in SIGNS_OF_CONDITIONS for node in nodes)
    for index, node in enumerate(nodes):
        if node.text in OPENING_BRACKETS or node.text == "\\begin":
            depth += 1
        elif node.text in CLOSING_BRACKETS or node.text == "\\end":
            depth -= 1
        elif depth == 0 and (
            node.text in texts
            or (words and is_conjunction(node) and (joins_conditions or node.text not in SIGNS_OF_LOGIC))
        ):
            found.append(index)
    return found


def is_conjunction(node: Node) -> bool:
    """Whether a node is "and" or "or", as a word or as a sign of logic such as ``\\wedge``."""
    return node.text in SIGNS_OF_LOGIC or (node.kind in WORD_KINDS and spoken(node) in CONJUNCTIONS)


def spoken(node: Node) -> str:
    """The plain name of a separator: ``and`` (for ``\\wedge`` too), ``or``, ``,`` or ``;``."""
    return SIGNS_OF_LOGIC.get(node.text) or node.text.strip(" ,").casefold() or ","


def split(nodes: Nodes, separators: Collection[str], *, words: bool = False) -> list[Nodes]:
    """The parts of ``nodes`` between the separators that are not inside brackets.

    With ``words``, "and" and "or" separate as well. ``1, (2, 3)`` split at commas is ``1`` and ``(2, 3)``.
    """
    parts: list[Nodes] = []
    start = 0
    for index in outside(nodes, separators, words=words):
        if start == index and parts and is_conjunction(nodes[index]):
            start = index + 1  # in ", and" the comma has already separated the two
            continue
        parts.append(nodes[start:index])
        start = index + 1
    return [*parts, nodes[start:]]
