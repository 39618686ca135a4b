"""What stands around an answer and is none of it: words that announce it, punctuation, conditions in parentheses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from grpo_rewards.answers.latex import WORD_KINDS, Node
from grpo_rewards.answers.relations import CONDITIONS
from grpo_rewards.answers.splitting import outside
from grpo_rewards.answers.units import denies

__all__ = ["CHOICE", "choice_letter", "stripped", "with_condition", "without_declarations"]

CHOICE = re.compile(r"(?:option|choice|answer)\s*([a-z])", re.IGNORECASE)
ANNOUNCING = ("is", "are", "equals", "answer", "be")  # words that an announcement ends with
CONNECTIVES = ("so", "thus", "hence", "therefore", "then", "finally")
EMPTY_SET = (Node("command", "\\emptyset"),)
COMMA = Node("mark", ",")
BOUND = "k"  # what a letter is called that is declared to be a whole number
LETTERS = "ABCDEFGHIJ"
Nodes: TypeAlias = Sequence[Node]


def stripped(nodes: Nodes) -> Nodes:
    """Without leading space, without "the answer is", and without the punctuation that ends a sentence."""
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
        nodes = [node for node in nodes if node.text != "&"]  # x &= 4
    if len(nodes) > 2 and (nodes[0].text, nodes[-1].text) == ("<", ">"):
        nodes = (Node("mark", "("), *nodes[1:-1], Node("mark", ")"))  # <1, 2>
    return EMPTY_SET if [node.text for node in nodes] == ["\\{", "\\}"] else nodes


def _leads(nodes: Nodes) -> bool:
    """Whether the first node only announces the answer, or is the sign behind that."""
    first, behind = nodes[0], nodes[1].text
    if first.kind not in WORD_KINDS:
        return first.text in (":", "=", ",", "\\\\")
    words = first.text.casefold().strip(" .,").split()
    if not words or any(map(denies, words)):
        return False
    return (
        words[-1] in ANNOUNCING or (behind == ":" and len(words) < 4) or (len(words) == 1 and words[0] in CONNECTIVES)
    )


def with_condition(nodes: Nodes) -> Nodes:
    """``x = k\\pi \\ (k \\in \\mathbb{Z})`` with its condition behind a comma."""
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
    """Items without ``k \\in \\mathbb{Z}``; the letter that is declared has one name, for it may have any."""
    kept = [part for part in parts if not _declares(part)]
    letters = {part[0].text for part in parts if _declares(part)}
    if len(letters) != 1 or any(_holds(part, BOUND) for part in kept):
        return kept if kept else parts
    return [_renamed(part, letters.copy().pop()) for part in kept]


def _declares(part: Nodes) -> bool:
    return (
        len(part) == 3
        and part[0].kind == "letter"
        and part[1].text == "\\in"
        and (part[2].text in ("\\mathbb", "Z", "N") or part[2].text.startswith("\\mathbb"))
        and not any(node.text == "R" for arg in part[2].args for node in arg)
    )


def _holds(nodes: Nodes, letter: str) -> bool:
    return any(node.text == letter or any(_holds(arg, letter) for arg in node.args) for node in nodes)


def _renamed(nodes: Nodes, letter: str) -> tuple[Node, ...]:
    return tuple(
        node._replace(
            text=BOUND if node.kind == "letter" and node.text == letter else node.text,
            args=tuple(_renamed(arg, letter) for arg in node.args),
        )
        for node in nodes
    )


def choice_letter(nodes: Nodes) -> str | None:
    """The letter of a choice before its text: ``(C) 5``, ``C. 5``, ``C: 5``; ``None`` for anything else."""
    texts = [node.text.strip() for node in nodes[:3]]
    if len(texts) > 2 and texts[0] == "(" and texts[2] == ")":
        texts, rest = [texts[1], ")"], nodes[3:]
    else:
        rest = nodes[2:]
    if len(texts) < 2 or texts[0] not in LETTERS or len(texts[0]) != 1 or texts[1] not in (")", ".", ":"):
        return None
    return None if any(node.text.strip() in LETTERS for node in rest) else texts[0]
