"""Removes what stands around an answer and is not part of it: "the answer is", punctuation, ``k \\in \\mathbb{Z}``.

Look here if words around an answer are read as part of it, or if a choice such as ``(C) 5`` is not recognised.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.latex.brackets import outside
from grpo_rewards.answers.latex.tree import COMMA, WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.relations import CONDITIONS, RELATION_SIGNS
from grpo_rewards.answers.reading.words import changes_what_is_said

__all__ = ["CHOICE", "choice_letter", "stripped", "with_condition", "without_declarations"]

CHOICE = re.compile(r"(?:option|choice|answer)\s*([a-z])", re.IGNORECASE)
# The only words that an announcement may have: "so the final answer is", "total:".
ANNOUNCING = frozenset(
    """
    the a an final correct answer answers value values result results solution solutions is are equals equal to so thus
    hence therefore then there we get have obtain that which gives total number sum product area volume length perimeter
    probability distance of my our it this minimum maximum largest smallest choice option ways required desired x y n
    """.split()
)
ENDS_ANNOUNCEMENT = ("is", "are", "equals", "to", "get", "have", "obtain", "gives", "answer", "choice", "option")
CONNECTIVES = ("so", "thus", "hence", "therefore", "then")
EMPTY_SET = (Node("command", "\\emptyset"),)
BOUND = "k"  # the name that a letter gets if it is declared to be a whole number
INTRODUCING = ("for", "where", "with", "for all", "for any", "when", "if")
DECLARED_LETTERS = tuple("klmnpqj")
LABEL_LETTERS = "ABCDEFGHIJ"
LABEL = re.compile(r"\(?([A-J])\s*[).:](?:\s+(.*))?", re.DOTALL)
# Words that leave open which choice is meant.
UNDECIDED = frozenset("option choice both know neither any all none".split())


def stripped(nodes: Nodes) -> Nodes:
    """The nodes without "the answer is" before them and without the punctuation that ends a sentence.

    Also drops the ``&`` of ``x &= 4``, makes ``<1, 2>`` a tuple and ``\\{\\}`` the empty set.
    """
    while len(nodes) > 1 and (nodes[0].kind == "space" or _leads(nodes)):
        nodes = nodes[1:]
    while nodes and nodes[-1].kind == "mark" and nodes[-1].text in (".", ",", ";", "\\\\"):
        nodes = nodes[:-1]
    if (
        nodes
        and nodes[-1].kind in WORD_KINDS
        and nodes[-1].text.endswith((".", ","))
        and nodes[-1].text.count(".") <= 1
    ):
        nodes = (*nodes[:-1], nodes[-1]._replace(text=nodes[-1].text.rstrip(".,")))
    if any(node.text == "&" for node in nodes) and not any(node.text == "\\begin" for node in nodes):
        nodes = [node for node, after in zip(nodes, (*nodes[1:], COMMA), strict=True) if not _aligns(node, after)]
    if len(nodes) > 2 and (nodes[0].text, nodes[-1].text) == ("<", ">"):
        nodes = (Node("mark", "("), *nodes[1:-1], Node("mark", ")"))
    return EMPTY_SET if [node.text for node in nodes] == ["\\{", "\\}"] else nodes


def _aligns(node: Node, after: Node) -> bool:
    """Whether a node is the ``&`` that aligns a sign of relation: ``x &= 4``."""
    return node.text == "&" and after.text in RELATION_SIGNS


def _leads(nodes: Nodes) -> bool:
    """Whether the first node only announces the answer: words such as "so x is", or the sign after them."""
    first, after = nodes[0], nodes[1].text
    if first.kind not in WORD_KINDS:
        return first.text in (":", "=", ",", "\\\\")
    words = first.text.casefold().strip(" .,").split()
    if not words or not ANNOUNCING.issuperset(words):
        return False
    return words[-1] in ENDS_ANNOUNCEMENT or after == ":" or (len(words) == 1 and words[0] in CONNECTIVES)


def with_condition(nodes: Nodes) -> Nodes:
    """The nodes with a comma before their condition, in place of a word or parentheses; unchanged if they have none.

    ``y = 2x for x > 0`` becomes ``y = 2x, x > 0``, and ``x = k\\pi \\ (k \\in \\mathbb{Z})`` becomes
    ``x = k\\pi, k \\in \\mathbb{Z}``.
    """
    for index, node in enumerate(nodes):
        is_word = node.kind in WORD_KINDS and node.text.casefold().strip(" ,") in INTRODUCING
        if is_word and 0 < index < len(nodes) - 1 and outside(nodes[index + 1 :], CONDITIONS):
            before = nodes[: index - 1] if nodes[index - 1].text == "," else nodes[:index]
            return (*before, COMMA, *nodes[index + 1 :])
    if len(nodes) < 4 or nodes[-1].text != ")":
        return nodes
    depth, start = 0, len(nodes)
    while start > 0:
        start -= 1
        depth += (nodes[start].text == ")") - (nodes[start].text == "(")
        if depth == 0:
            break
    inner = nodes[start + 1 : -1]
    if start < 2 or depth or not outside(inner, CONDITIONS) or outside(nodes[:start], CONDITIONS):
        return nodes
    return (*nodes[:start], COMMA, *inner)


def without_declarations(parts: list[Nodes]) -> list[Nodes]:
    """The items of a list without declarations such as ``n \\in \\mathbb{Z}``.

    The declared letter is renamed to k in the other items, because its name does not matter. Nothing is renamed if
    several letters are declared, or if the items have a k already.
    """
    kept = [part for part in parts if not _declares(part)]
    letters = sorted({part[0].text for part in parts if _declares(part)})
    if len(letters) != 1 or any(_holds(part, BOUND) for part in kept):
        return kept if kept else parts
    return [_renamed(part, letters[0]) for part in kept]


def _declares(part: Nodes) -> bool:
    """Whether an item only says that a letter is a whole number: ``k \\in \\mathbb{Z}``."""
    return (
        len(part) == 3
        and part[0].text in DECLARED_LETTERS
        and part[1].text == "\\in"
        and render(part[2:]) in ("\\mathbb{Z}", "Z")
    )


def _holds(nodes: Nodes, letter: str) -> bool:
    """Whether a letter occurs in a tree."""
    return any(node.text == letter or any(_holds(arg, letter) for arg in node.args) for node in nodes)


def _renamed(nodes: Nodes, letter: str) -> tuple[Node, ...]:
    """The tree with a letter renamed to ``BOUND``."""
    return tuple(
        node._replace(
            text=BOUND if node.kind == "letter" and node.text == letter else node.text,
            args=tuple(_renamed(arg, letter) for arg in node.args),
        )
        for node in nodes
    )


def choice_letter(nodes: Nodes) -> str | None:
    """The letter of a choice that is followed by its text: C of ``(C) 5``, ``C. 5`` or ``C: 5``; else ``None``."""
    label = LABEL.fullmatch(nodes[0].text) if nodes and nodes[0].kind in WORD_KINDS else None
    if label is not None:
        letter, rest = label.group(1), [nodes[0]._replace(text=label.group(2) or ""), *nodes[1:]]
    else:
        texts = [node.text.strip() for node in nodes[:3]]
        start = 1 if texts[:1] == ["("] else 0
        if (
            len(texts) < start + 2
            or texts[start] not in tuple(LABEL_LETTERS)
            or texts[start + 1] not in (")", ".", ":")
        ):
            return None
        letter, rest = texts[start], list(nodes[start + 2 :])
    return None if _says_more(rest) else letter


def _says_more(rest: Nodes) -> bool:
    """Whether what follows the letter of a choice may be another choice, or takes the first one back."""
    for index, node in enumerate(rest):
        words = node.text.split() if node.kind in WORD_KINDS else []
        if any(
            len(word.strip(".,()?")) == 1 or changes_what_is_said(word) or word.casefold() in UNDECIDED
            for word in words
        ):
            return True
        label = node.kind == "letter" and (
            node.text in LABEL_LETTERS or (index + 1 < len(rest) and rest[index + 1].text in (")", "."))
        )
        if label or node.text == "?":
            return True
    return len(rest) == 1 and rest[0].kind == "letter"
