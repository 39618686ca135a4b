"""Removes what stands around an answer and is not part of it: "the answer is", punctuation, ``k \\in \\mathbb{Z}``.

Look here if words around an answer are read as part of it.
"""

from __future__ import annotations

from grpo_rewards.answers.latex.brackets import outside
from grpo_rewards.answers.latex.tree import COMMA, WORD_KINDS, Node, Nodes
from grpo_rewards.answers.reading.relations import CONDITIONS, RELATION_SIGNS

__all__ = ["QUANTITY_OF_WORD", "announced", "stripped", "with_condition"]

# The only words that an announcement may have: "so the final answer is", "total:".
ANNOUNCING = frozenset(
    """
    the a an final correct answer answers value values result results solution solutions is are equals equal to so thus
    hence therefore then there we get have obtain that which gives total number sum product area volume length perimeter
    probability distance of my our it this minimum maximum largest smallest choice option ways required desired x y n
    exactly precisely
    """.split()
)
# Those of them that name the quantity of a value; two announcements with none in common speak of different things.
QUANTITY_OF_WORD = {
    word: word for word in "sum product area volume length perimeter probability minimum maximum x y n".split()
}
QUANTITY_OF_WORD |= {"largest": "maximum", "smallest": "minimum", "distance": "length"}
ENDS_ANNOUNCEMENT = ("is", "are", "equals", "to", "get", "have", "obtain", "gives", "answer", "choice", "option")
CONNECTIVES = ("so", "thus", "hence", "therefore", "then", "exactly", "precisely")
EMPTY_SET = (Node("command", "\\emptyset"),)
INTRODUCING = ("for", "where", "with", "for all", "for any", "when", "if")
SENTENCE_MARKS = (".", ",", ";", "\\\\")
BOXES = ("\\boxed", "\\fbox")


def stripped(nodes: Nodes) -> Nodes:
    """The nodes without "the answer is" before them and without the punctuation that ends a sentence.

    Also drops the ``&`` of ``x &= 4``, makes ``<1, 2>`` a tuple and ``\\{\\}`` the empty set.
    """
    while len(nodes) > 1 and (leading := 1 if nodes[0].kind == "space" else _leading(nodes)):
        nodes = nodes[leading:]
    while len(nodes) == 1 and nodes[0].text in BOXES:
        nodes = nodes[0].args[0]  # a box in a box
    while (
        len(nodes) > 1
        and nodes[-1].kind == "mark"
        and (nodes[-1].text in SENTENCE_MARKS or (nodes[-1].text == "!" and nodes[-2].kind in WORD_KINDS))
    ):
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


def announced(nodes: Nodes) -> frozenset[str]:
    """The quantities that the announcement before an answer names: ``maximum`` and ``area``; often none."""
    found: set[str] = set()
    while len(nodes) > 1 and (leading := 1 if nodes[0].kind == "space" else _leading(nodes)):
        words = [word for node in nodes[:leading] for word in _words(node)]
        found.update(QUANTITY_OF_WORD[word] for word in words if word in QUANTITY_OF_WORD)
        nodes = nodes[leading:]
    return frozenset(found)


def _aligns(node: Node, after: Node) -> bool:
    """Whether a node is the ``&`` that aligns a sign of relation: ``x &= 4``."""
    return node.text == "&" and after.text in RELATION_SIGNS


def _leading(nodes: Nodes) -> int:
    """How many of the first nodes only announce the answer: words such as "so x is", or the sign after them."""
    first = nodes[0]
    if first.kind not in WORD_KINDS:
        return int(first.text in (":", "=", ",", "\\\\"))
    words = _words(first)
    if not words or not ANNOUNCING.issuperset(words):
        return 0
    if words[-1] in ENDS_ANNOUNCEMENT or (len(words) == 1 and words[0] in CONNECTIVES):
        return 1
    count = 1  # "final answer:" may be two nodes
    while count < len(nodes) and nodes[count].kind in WORD_KINDS and ANNOUNCING.issuperset(_words(nodes[count])):
        count += 1
    return count if count < len(nodes) and nodes[count].text == ":" else 0


def _words(node: Node) -> list[str]:
    return node.text.casefold().strip(" .,").split()


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
    while start > 1 and nodes[start - 1].text == ",":
        start -= 1
    return (*nodes[:start], COMMA, *inner)
