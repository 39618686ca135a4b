"""LaTeX as models and data sets write it, to a small tree and to one canonical spelling.

Spelling is all that is decided here: ``\\dfrac12``, ``\\frac{1}{2}`` and ``½`` become the same tree. What a tree is
worth is decided in ``reading``. Every pass is linear, and nesting is bounded by ``DEPTH``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from grpo_rewards.answers.latex.characters import as_latex
from grpo_rewards.answers.latex.commands import ARITY, DROPPED, FACES, SAME, SILENT, SPACING

__all__ = ["SYMBOL", "WORD_KINDS", "Malformed", "Node", "Nodes", "parse", "render"]

WORD_KINDS = ("text", "word")
SYMBOL = 3  # letters of the longest words that may be the symbol of a unit, where capitals matter

DEPTH = 60  # how deep arguments may nest


class Malformed(ValueError):
    """Braces that do not match, or a command without its arguments."""


class Node(NamedTuple):
    """One symbol or construct.

    ``kind`` is ``digits``, ``letter``, ``command`` (no arguments), ``mark`` (operators, delimiters, punctuation),
    ``space`` (only where it separates digits), ``text`` (what stood in ``\\text``), ``word`` (without it) or ``apply``
    (a command with its arguments, such as ``\\frac``, ``^``, ``_``).
    """

    kind: str
    text: str
    args: tuple[tuple[Node, ...], ...] = ()


Nodes: TypeAlias = Sequence[Node]


# A run of letters that stands by itself may be a word without \text: "10 meters", "5 or 6", "none".
TOKEN = re.compile(
    r"\\\\\[[-0-9.]+(?:pt|em|ex|cm|mm)\]|\\[A-Za-z]+\*?|\\.|[0-9]+|\s+|\.\.\."
    r"|(?<![\\A-Za-z0-9}])[A-Za-z]{2,}(?![A-Za-z0-9({\\^_])|[A-Za-z]|.",
    re.DOTALL,
)
NOT_A_WORD = frozenset("sin cos tan cot sec csc log exp max min gcd lcm mod det dim deg arcsin arccos arctan".split())
NO_WORDS = frozenset("\\{$^_=")  # what stands in mathematics, not in words
WORDS = re.compile(r"[A-Za-z][A-Za-z\s.'-]*|[^A-Za-z]+")


def parse(text: str) -> tuple[Node, ...]:
    """The tree of a formula.

    Raises:
        Malformed: braces do not match, a command lacks arguments, or arguments nest too deep.
    """
    reader = _Reader(TOKEN.findall(text if text.isascii() else as_latex(text)))
    nodes = reader.sequence(None)
    if reader.at != len(reader.tokens):
        raise Malformed("a closing brace too many")
    return nodes


def render(nodes: Sequence[Node]) -> str:
    """The canonical spelling of a tree: all arguments in braces, words without their face, spaces only between
    digits (``1 1/2`` is not ``11/2``)."""
    return "".join(_spelled(node) for node in nodes)


def _spelled(node: Node) -> str:
    if node.kind in WORD_KINDS:
        word = "".join(node.text.split())
        return word if len(word) <= SYMBOL else word.casefold()  # mW is not MW
    if node.kind == "command":
        return node.text + " "
    if node.text == "\\root":
        return f"\\sqrt[{render(node.args[0])}]{{{render(node.args[1])}}}"
    return node.text + "".join("{" + render(arg) + "}" for arg in node.args)


class _Reader:
    """Recursive descent over tokens; ``at`` is the next one."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def sequence(self, closing: str | None) -> tuple[Node, ...]:
        """Nodes up to the closing token, which is consumed, or to the end."""
        nodes: list[Node] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token == closing:
                self.at += 1
                return _finished(nodes)
            if token == "}":
                break
            self.one(nodes)
        if closing is not None:
            raise Malformed(f"'{closing}' is missing")
        return _finished(nodes)

    def one(self, nodes: list[Node]) -> None:
        """Appends what the next token starts."""
        token = self.tokens[self.at]
        token = "\\\\" if token.startswith("\\\\") else SAME.get(token, token)  # with or without its distance
        self.at += 1
        if token.isspace() or token in SPACING:
            nodes.append(Node("space", " "))
        elif token in DROPPED or not token:
            # '\left.' and '\right.' are delimiters that show nothing
            if token in ("\\left", "\\right") and self.peek() == ".":
                self.at += 1
            elif token == "\\!":
                self.peek()  # it takes back the space behind it: 11,\! 111
        elif token == "{":
            inner = self.group("}")
            nodes.extend(inner)
            if [node.text for node in inner] == [","]:
                self.peek()  # {,} joins thousands whatever stands behind it
        elif token in FACES:
            self.face(nodes)
        elif token in SILENT:
            self.argument()
        elif token == "\\surd":
            nodes.append(Node("apply", "\\sqrt", (self.under_radical_sign(),)))
        elif token in ("^", "_") or token in ARITY:
            nodes.append(self.applied(token, behind_letter=bool(nodes) and nodes[-1].kind == "letter"))
            if token == "\\begin" and render(nodes[-1].args[0]) == "array" and self.peek() == "{":
                self.argument()  # how its columns are set
        elif token in BLACKBOARD:
            nodes.append(Node("apply", "\\mathbb", ((Node("letter", token[1]),),)))
        elif token in ("\\degree", "\\textdegree"):
            nodes.append(DEGREE)
        elif len(token) > 1 and token.isalpha():
            nodes.extend([Node("word", token)] if _is_word(token) else [Node("letter", letter) for letter in token])
        else:
            nodes.append(_plain(token))

    def group(self, closing: str) -> tuple[Node, ...]:
        self.deeper()
        nodes = self.sequence(closing)
        self.depth -= 1
        return nodes

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise Malformed("nested too deep")

    def applied(self, token: str, behind_letter: bool) -> Node:
        """A command with its arguments; ``\\sqrt`` has an optional one in brackets before."""
        args: list[tuple[Node, ...]] = []
        if token == "\\sqrt" and self.peek() == "[":
            self.at += 1
            index = self.group("]")
            if render(index) != "2":
                token, args = "\\root", [index]
        if token == "^" or (token == "_" and behind_letter):
            args.append(self.script())
        else:
            args += [self.argument() for _ in range(ARITY.get(token, 1))]
        return Node("apply", token, tuple(args))

    def script(self) -> tuple[Node, ...]:
        """An exponent or index without braces as its writer means it, unlike TeX: all of ``10``, ``-1``, ``(n+1)``."""
        token = self.peek()
        if _is_digits(token):
            self.at += 1
            return (_plain(token),)
        if token == "(":
            return self.in_parentheses()
        behind = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""
        if token in ("-", "+") and (_is_digits(behind) or (behind.isalpha() and len(behind) == 1)):
            self.at += 2
            return (_plain(token), _plain(behind))
        return self.argument()

    def in_parentheses(self) -> tuple[Node, ...]:
        """What stands between a parenthesis and the one that closes it."""
        self.deeper()
        nodes: list[Node] = []
        open_ones = 0
        while not nodes or open_ones:
            token = self.peek()
            if token in ("", "}"):
                raise Malformed("')' is missing")
            open_ones += (token == "(") - (token == ")")
            self.one(nodes)
        self.depth -= 1
        return _finished(nodes[1:-1])

    def argument(self) -> tuple[Node, ...]:
        """A braced group, or one token as TeX takes it: of ``12`` only the ``1``."""
        token = self.peek()
        if token == "{":
            self.at += 1
            return self.group("}")
        if len(token) > 1 and token.isalnum():
            self.tokens[self.at] = token[1:]
            return (_plain(token[0]),)
        self.deeper()  # commands without braces nest as well: \sqrt\sqrt\sqrt 2
        nodes: list[Node] = []
        while not nodes:
            if self.peek() in ("", "}"):
                raise Malformed("an argument is missing")
            self.one(nodes)
        self.depth -= 1
        return _finished(nodes)

    def face(self, nodes: list[Node]) -> None:
        """Words become text; mathematics in another face is mathematics."""
        if self.peek() != "{":
            nodes.extend(self.argument())
            return
        start = self.at + 1
        end = self.tokens.index("}", start) if "}" in self.tokens[start : start + 400] else start
        inner = "".join(self.tokens[start:end])
        if end == start or not NO_WORDS.isdisjoint(inner):
            nodes.extend(self.argument())
            return
        self.at = end + 1
        for piece in WORDS.findall(inner):
            nodes.extend(
                [Node("text", piece.strip())] if piece[0].isalpha() else _Reader(TOKEN.findall(piece)).sequence(None)
            )

    def under_radical_sign(self) -> tuple[Node, ...]:
        """What the character for a root stands over: a whole number, a group in parentheses, or one thing."""
        token = self.peek()
        if token == "(":
            self.at += 1
            return self.group(")")
        if _is_digits(token):
            self.at += 1
            return (Node("digits", token),)
        return self.argument()

    def peek(self) -> str:
        """The next token that is not a space, which becomes the next one; ``""`` at the end."""
        while self.at < len(self.tokens) and (self.tokens[self.at].isspace() or self.tokens[self.at] in SPACING):
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""


BLACKBOARD = ("\\R", "\\Z", "\\N", "\\Q", "\\C")
OVER = {"\\over": "\\frac", "\\choose": "\\binom"}
DEGREE = Node("apply", "^", ((Node("command", "\\circ"),),))


def _is_word(letters: str) -> bool:
    """Whether a run of letters reads as a word and not as a product of variables."""
    if len(letters) == 2:
        return letters.casefold() in ("or", "no")
    return letters not in NOT_A_WORD and any(letter in "aeiouyAEIOUY" for letter in letters)


def _is_digits(token: str) -> bool:
    return token.isascii() and token.isdigit()  # of other scripts, not even int reads all


def _plain(token: str) -> Node:
    if _is_digits(token):
        return Node("digits", token)
    if token.isalpha():
        return Node("letter", token)
    return Node("command" if token[0] == "\\" and token[1:2].isalpha() else "mark", token)


def _finished(nodes: list[Node]) -> tuple[Node, ...]:
    """``a \\over b`` as a fraction, ``n \\choose k`` as a binomial; spaces only where they keep digits apart."""
    overs = [index for index, node in enumerate(nodes) if node.text in OVER]
    if len(overs) > 1:
        raise Malformed("two \\over in one group")
    if overs:
        sides = _spaced(nodes[: overs[0]]), _spaced(nodes[overs[0] + 1 :])
        return (Node("apply", OVER[nodes[overs[0]].text], sides),)
    return _spaced(nodes)


def _spaced(nodes: list[Node]) -> tuple[Node, ...]:
    """Spaces stay between digits (``1 1/2``, ``1 000``), and behind a comma that would otherwise join thousands."""
    kept: list[Node] = []
    for index, node in enumerate(nodes):
        if node.kind != "space":
            kept.append(node)
        elif index + 1 < len(nodes) and nodes[index + 1].kind == "digits" and kept:
            behind_comma = kept[-1].text == "," and len(kept) > 1 and kept[-2].kind == "digits"
            if kept[-1].kind == "digits" or (behind_comma and len(nodes[index + 1].text) == 3):
                kept.append(node)
    return tuple(kept)
