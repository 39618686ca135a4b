"""Where a reader of formulas stands in a row of nodes, and what begins there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from grpo_rewards.answers.latex import WORD_KINDS, Node
from grpo_rewards.answers.vocabulary import FUNCTIONS, GREEK, NEEDS_PARENTHESIS, SPELLED

__all__ = ["CONSTANTS", "FENCES", "Cursor", "NotAFormula"]

CONSTANTS = {"\\pi": "pi", "\\imath": "i"}
FENCES = {"(": ")", "[": "]", "|": "|", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}
LONGEST_NAME = max(map(len, SPELLED))


class NotAFormula(ValueError):
    """Holds something that is no part of a formula."""


class Cursor:
    """``at`` is the next of the nodes."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        return self.nodes[self.at + ahead].text if self.at + ahead < len(self.nodes) else ""

    def take(self) -> Node:
        self.at += 1
        return self.nodes[self.at - 1]

    def starts_factor(self) -> bool:
        """Whether what comes next can stand beside a factor."""
        if self.at >= len(self.nodes):
            return False
        node = self.nodes[self.at]
        if node.kind == "digits":
            # 2 3 is no product, nor is x3; n2^{n-1} is one
            return self.peek(1) == "^" or (self.at > 0 and self.nodes[self.at - 1].text in (")", "]", "!"))
        if node.kind == "mark":
            return node.text in FENCES
        if node.kind == "command":
            return node.text in CONSTANTS or node.text in GREEK or node.text[1:] in FUNCTIONS or node.text in FENCES
        if node.kind in WORD_KINDS:
            return len(node.text) == 1 or node.text.casefold() in FUNCTIONS
        return node.kind == "letter" or (node.kind == "apply" and node.text not in ("^", "_", "\\begin", "\\end"))

    def spelled(self) -> str | None:
        """The function or constant that the next letters spell."""
        run = "".join(node.text for node in takewhile(_is_letter, self.nodes[self.at : self.at + LONGEST_NAME]))
        for name in SPELLED if len(run) > 1 else ():
            if run.startswith(name) and (name not in NEEDS_PARENTHESIS or self.peek(len(name)) == "("):
                return name
        return None

    def up_to(self, opening: str, closing: str) -> Sequence[Node]:
        """The nodes before the closing delimiter, which is taken as well."""
        start, depth = self.at, 0
        while self.at < len(self.nodes):
            text = self.take().text
            if text == closing and depth == 0:
                return self.nodes[start : self.at - 1]
            depth += (text == opening) - (text == closing)
        raise NotAFormula(f"'{closing}' is missing")

    def at_function(self) -> bool:
        """Whether what comes next ends the argument of a function without parentheses."""
        node = self.nodes[self.at]
        if node.kind == "letter":
            return self.spelled() not in (None, "pi", "sqrt")
        return node.text in ("(", "[") or node.text[1:] in FUNCTIONS


def _is_letter(node: Node) -> bool:
    return node.kind == "letter"
