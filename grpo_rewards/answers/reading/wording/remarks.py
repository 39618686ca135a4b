"""Removes remarks behind an answer that do not change it: ``3 \\text{ only}``, ``17 (prime)``, ``\\checkmark``.

Look here if a remark is read as part of an answer, or a word that changes the answer is taken for a remark.
"""

from __future__ import annotations

from grpo_rewards.answers.latex.tree import WORD_KINDS, Node, Nodes
from grpo_rewards.answers.reading.quantities.after_number import unit_of_words
from grpo_rewards.answers.reading.quantities.counted_things import is_remark

__all__ = ["MARKS_OF_REMARKS", "without_reason", "without_remarks"]

MARKS = ("\\checkmark", "\\blacksquare", "\\square", "\\Box", "\\qed", "\\QED")
CONCLUDING_SIGNS = frozenset(
    """
    \\therefore \\Rightarrow \\implies \\Longrightarrow 答 答案 答案是 答案为 所以 因此 故 即 共 一共 共有 故选 选
    """.split()
)
# What may stand in parentheses behind a number: it says what kind of number that is, or that it is the answer.
IN_PARENTHESES = frozenset(
    words.strip()
    for words in """
    prime|even|odd|exact|exactly|only|total|ans|answer|the answer|final answer|final|correct|verified|checked|maximum
    minimum|max|min|integer|an integer|whole number|real|rational|irrational|composite|unique|constant
    simplified|reduced|in simplest form|simplest form|in lowest terms|lowest terms|dimensionless|no units|unitless
    qed|proved|proven|shown|each|in total|in all|altogether|as required|as desired|given|perfect square
    only solution|only answer|only one|unique solution|only possibility|only real solution|desired answer
    """.replace("\n", "|").split("|")
)
# What says that a decimal is rounded; a whole number may only be near the answer.
ROUNDING_WORDS = frozenset("approx approximately about roughly \\approx ≈".split())
MARKS_OF_REMARKS = frozenset([*MARKS, *CONCLUDING_SIGNS])
REASONS = ("since", "because", "attained", "achieved", "reached", "occurring", "obtained", "rejecting", "discarding")
MOST_REMARKS = 4  # behind one answer


def without_remarks(nodes: Nodes) -> Nodes:
    """The nodes without a remark at their end, and without a sign of conclusion before them.

    A unit in parentheses loses them. ``x (\\approx 1.4)`` becomes the chain ``x \\approx 1.4``, of which it is checked
    that it holds.
    """
    if len(nodes) > 1 and nodes[0].text in CONCLUDING_SIGNS:
        nodes = nodes[2:] if nodes[1].text == ":" and len(nodes) > 2 else nodes[1:]
    nodes = _without_rounding(nodes) if nodes else nodes
    for _ in range(MOST_REMARKS):
        shorter = _without_last(nodes) if len(nodes) > 1 else None
        if shorter is None:
            break
        nodes = shorter
    return nodes


def without_reason(nodes: Nodes) -> Nodes:
    """The nodes without a reason at their end, ``(\\text{since } x > 0)`` or ``, \\text{ attained at } x = 3``."""
    for index in range(1, len(nodes) - 1):
        after = nodes[index + 1]
        if nodes[index].text not in ("(", ",") or after.kind not in WORD_KINDS:
            continue
        first = after.text.casefold().split()
        if first and first[0] in REASONS and (nodes[index].text == "," or nodes[-1].text == ")"):
            return nodes[:index]
    return nodes


def _without_rounding(nodes: Nodes) -> Nodes:
    """The nodes without "about" before a decimal or "(approx.)" behind it: 5.2 is rounded, but about 5 is no number."""
    rest = nodes[1:] if _marks_rounding(nodes[0]) else nodes
    if len(rest) > 3 and (rest[-3].text, rest[-1].text) == ("(", ")") and _marks_rounding(rest[-2]):
        rest = rest[:-3]
    elif len(rest) > 1 and _marks_rounding(rest[-1]):
        rest = rest[:-1]
    start = 1 if rest and rest[0].text == "-" else 0
    kinds = [node.kind for node in rest[start : start + 3]]
    return rest if kinds == ["digits", "mark", "digits"] and rest[start + 1].text == "." else nodes


def _marks_rounding(node: Node) -> bool:
    return node.text.casefold().strip(" .") in ROUNDING_WORDS


def _without_last(nodes: Nodes) -> Nodes | None:
    """The nodes without the last remark; ``None`` if they do not end in one."""
    last = nodes[-1]
    if last.text == "!" and len(nodes) == 2 and nodes[0].kind in WORD_KINDS and len(nodes[0].text) > 1:
        return nodes[:-1]  # Yes! is no factorial
    if last.text in MARKS or (last.kind in WORD_KINDS and is_remark(last.text) and not _is_sign(nodes[-2])):
        return nodes[:-1]
    start = _opening(nodes) if last.text == ")" else 0
    if start == 0:
        return None
    before, inner = nodes[:start], nodes[start + 1 : -1]
    if len(inner) > 1 and inner[0].text in ("\\approx", "=") and not _is_sign(before[-1]):
        return (*before, *inner)
    if not inner or any(node.kind not in WORD_KINDS for node in inner):
        return None
    words = " ".join(node.text for node in inner).casefold().strip(" .,!").removeprefix("a ").removeprefix("the ")
    if words and words in IN_PARENTHESES:
        return before
    unit = " ".join(node.text for node in inner).removeprefix("in ")
    return (*before, Node("text", unit)) if before[-1].kind == "digits" and unit_of_words(unit) else None


def _opening(nodes: Nodes) -> int:
    """The index of the parenthesis that the last node closes; 0 if there is none after the first node."""
    depth = 0
    for index in range(len(nodes) - 1, 0, -1):
        depth += (nodes[index].text == ")") - (nodes[index].text == "(")
        if depth == 0:
            return index
    return 0


def _is_sign(node: Node) -> bool:
    """Whether a node is an operator or a relation, so that what follows belongs to it."""
    return node.kind == "mark" and node.text not in (")", "]", "\\}", "|", "!", "\\%", "%", ".")
