"""Where brackets open and close in a row of nodes, and the parts between separators that stand in none of them."""

from __future__ import annotations

from collections.abc import Collection

from grpo_rewards.answers.latex.tree import WORD_KINDS, Node, Nodes

__all__ = ["CLOSING", "OPENING", "closing_index", "outside", "split", "spoken"]

OPENING, CLOSING = ("(", "[", "\\{"), (")", "]", "\\}")
CONJUNCTIONS = ("and", "or")
SIGNS_OF_LOGIC = {"\\vee": "or", "\\lor": "or", "\\wedge": "and"}


def closing_index(nodes: Nodes) -> int:
    """Where the first bracket closes; an interval may close with another kind than it opened with."""
    depth = 0
    for index, node in enumerate(nodes):
        if node.text in OPENING:
            depth += 1
        elif node.text in CLOSING:
            depth -= 1
            if depth == 0:
                return index
    return -1


def outside(nodes: Nodes, texts: Collection[str], *, words: bool = False) -> list[int]:
    """Where ``texts``, and with ``words`` the words and/or, stand outside of brackets and environments."""
    found = []
    depth = 0
    for index, node in enumerate(nodes):
        if node.text in OPENING or node.text == "\\begin":
            depth += 1
        elif node.text in CLOSING or node.text == "\\end":
            depth -= 1
        elif depth == 0 and (node.text in texts or (words and is_conjunction(node))):
            found.append(index)
    return found


def is_conjunction(node: Node) -> bool:
    return node.text in SIGNS_OF_LOGIC or (node.kind in WORD_KINDS and spoken(node) in CONJUNCTIONS)


def spoken(node: Node) -> str:
    """A separator as it is said: ``and``, ``or``, ``,``."""
    return SIGNS_OF_LOGIC.get(node.text) or node.text.strip(" ,").casefold() or ","


def split(nodes: Nodes, separators: Collection[str], *, words: bool = False) -> list[Nodes]:
    """The parts between separators that stand in no bracket."""
    parts: list[Nodes] = []
    start = 0
    for index in outside(nodes, separators, words=words):
        if start == index and parts and is_conjunction(nodes[index]):
            start = index + 1  # the comma of ", and" has already separated
            continue
        parts.append(nodes[start:index])
        start = index + 1
    return [*parts, nodes[start:]]
