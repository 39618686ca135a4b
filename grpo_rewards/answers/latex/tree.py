"""Parses LaTeX, as models and data sets write it, to a small tree, and writes a tree in one canonical spelling.

Only spelling is decided here: ``\\dfrac12``, ``\\frac{1}{2}`` and ``½`` become the same tree. What a tree means is
decided in ``reading``. Every pass takes linear time, and the depth of nesting is limited.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from grpo_rewards.answers.latex.characters import as_latex
from grpo_rewards.answers.latex.commands import ARITY, DROPPED, FACES, KEPT_SPELLINGS, SILENT, SPACING

__all__ = ["COMMA", "SYMBOL_LETTERS", "WORD_KINDS", "Malformed", "Node", "Nodes", "parse", "render"]

WORD_KINDS = ("text", "word")
SYMBOL_LETTERS = 3  # letters in the longest symbol of a unit; in words of up to so many letters, capitals matter

ARGUMENT_DEPTH = 60  # how deep arguments may nest


class Malformed(ValueError):
    """The LaTeX is broken: braces do not match, a command lacks its arguments, or the nesting is too deep."""


class Node(NamedTuple):
    """One symbol, or one command with its arguments.

    ``kind`` is ``digits``, ``letter``, ``command`` (without arguments), ``mark`` (operators, delimiters, punctuation),
    ``space`` (kept only between digits), ``text`` (words in ``\\text``), ``word`` (a word without ``\\text``) or
    ``apply`` (a command with its arguments, such as ``\\frac``, ``^``, ``_``).
    """

    kind: str
    text: str
    args: tuple[tuple[Node, ...], ...] = ()


Nodes: TypeAlias = Sequence[Node]
COMMA = Node("mark", ",")


# A run of letters that touches nothing else may be a word without \text: "10 meters", "5 or 6", "none".
LATEX_TOKEN = re.compile(
    r"\\\\\[[-0-9.]+(?:pt|em|ex|cm|mm)\]|\\[A-Za-z]+\*?|\\.|[0-9]+|\s+|\.\.\."
    r"|(?<![\\A-Za-z0-9}])[A-Za-z]{2,}(?![A-Za-z0-9({\\^_])|[A-Za-z]|.",
    re.DOTALL,
)
NOT_A_WORD = frozenset("sin cos tan cot sec csc log exp max min gcd lcm mod det dim deg arcsin arccos arctan".split())
NEVER_IN_WORDS = frozenset("\\{$^_=")  # characters that show that \text holds mathematics
WORDS_AND_REST = re.compile(r"[A-Za-z][A-Za-z\s.'-]*|[^A-Za-z]+")


def parse(text: str) -> tuple[Node, ...]:
    """Parses LaTeX to a row of nodes: ``\\frac12x`` is ``\\frac`` with the arguments 1 and 2, then the letter x.

    Raises:
        Malformed: braces do not match, a command lacks arguments, or arguments nest too deep.
    """
    reader = _TokenReader(LATEX_TOKEN.findall(text if text.isascii() else as_latex(text)))
    nodes = reader.sequence(None)
    if reader.at != len(reader.tokens):
        raise Malformed("a closing brace too many")
    return nodes


def render(nodes: Sequence[Node]) -> str:
    """The canonical spelling of a tree: every argument in braces, and words without ``\\text``.

    Spaces stay only between digits, because ``1 1/2`` is not ``11/2``.
    """
    return "".join(_spelled(node) for node in nodes)


def _spelled(node: Node) -> str:
    """The canonical spelling of one node."""
    if node.kind in WORD_KINDS:
        word = "".join(node.text.split())
        return word if len(word) <= SYMBOL_LETTERS else word.casefold()  # a short word may be a unit: mW is not MW
    if node.kind == "command":
        return node.text + " "
    if node.text == "\\root":
        return f"\\sqrt[{render(node.args[0])}]{{{render(node.args[1])}}}"
    return node.text + "".join("{" + render(arg) + "}" for arg in node.args)


class _TokenReader:
    """Turns tokens into nodes by recursive descent. ``at`` is the index of the next token."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def sequence(self, closing: str | None) -> tuple[Node, ...]:
        """The nodes up to the token ``closing``, which is consumed; if it is ``None``, up to the end."""
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
        """Reads one token, with its arguments if it takes any, and appends its nodes."""
        token = self.tokens[self.at]
        token = "\\\\" if token.startswith("\\\\") else KEPT_SPELLINGS.get(token, token)  # \\[2pt] is \\
        self.at += 1
        if token.isspace() or token in SPACING:
            nodes.append(Node("space", " "))
        elif token in DROPPED or not token:
            # the dot of '\left.' and '\right.' stands for no delimiter
            if token in ("\\left", "\\right") and self.peek() == ".":
                self.at += 1
            elif token == "\\!":
                self.peek()  # skips the space after it: 11,\! 111
        elif token == "{":
            inner = self.group("}")
            nodes.extend(inner)
            if [node.text for node in inner] == [","]:
                self.peek()  # skips the space after it: 11{,} 111
        elif token in FACES:
            self.face(nodes)
        elif token in SILENT:
            self.argument()
        elif token == "\\surd":
            nodes.append(Node("apply", "\\sqrt", (self.under_radical_sign(),)))
        elif token in ("^", "_") or token in ARITY:
            nodes.append(self.applied(token, after_letter=bool(nodes) and nodes[-1].kind == "letter"))
            if token == "\\begin" and render(nodes[-1].args[0]) == "array" and self.peek() == "{":
                self.argument()  # the alignment of its columns: {ccc}
        elif token in BLACKBOARD:
            nodes.append(Node("apply", "\\mathbb", ((Node("letter", token[1]),),)))
        elif token in ("\\degree", "\\textdegree"):
            nodes.append(DEGREE)
        elif len(token) > 1 and token.isalpha():
            nodes.extend([Node("word", token)] if _is_word(token) else [Node("letter", letter) for letter in token])
        else:
            nodes.append(_plain(token))

    def group(self, closing: str) -> tuple[Node, ...]:
        """The nodes up to ``closing``, one level deeper."""
        self.deeper()
        nodes = self.sequence(closing)
        self.depth -= 1
        return nodes

    def deeper(self) -> None:
        """Counts one more level of nesting, and refuses too many of them."""
        self.depth += 1
        if self.depth > ARGUMENT_DEPTH:
            raise Malformed("nested too deep")

    def applied(self, token: str, after_letter: bool) -> Node:
        """A command with its arguments. ``\\sqrt[3]{x}`` becomes ``\\root`` with the arguments 3 and x."""
        args: list[tuple[Node, ...]] = []
        if token == "\\sqrt" and self.peek() == "[":
            self.at += 1
            index = self.group("]")
            if render(index) != "2":
                token, args = "\\root", [index]
        if token == "^" or (token == "_" and after_letter):
            args.append(self.script())
        else:
            args += [self.argument() for _ in range(ARITY.get(token, 1))]
        return Node("apply", token, tuple(args))

    def script(self) -> tuple[Node, ...]:
        """The argument of ``^`` or ``_``. Without braces it is what the writer means: all of ``10``, ``-1``, ``(n+1)``.

        TeX itself would take only the first character.
        """
        token = self.peek()
        if _is_digits(token):
            self.at += 1
            return (_plain(token),)
        if token == "(":
            return self.in_parentheses()
        after = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""
        if token in ("-", "+") and (_is_digits(after) or (after.isalpha() and len(after) == 1)):
            self.at += 2
            return (_plain(token), _plain(after))
        return self.argument()

    def in_parentheses(self) -> tuple[Node, ...]:
        """The nodes between the next parenthesis and the one that closes it."""
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
        """The argument of a command: a group in braces, or what TeX takes without them: of ``12`` only the ``1``."""
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
        """Appends what a command such as ``\\text`` holds: words as ``text`` nodes, mathematics as mathematics."""
        if self.peek() != "{":
            nodes.extend(self.argument())
            return
        start = self.at + 1
        end = self.tokens.index("}", start) if "}" in self.tokens[start : start + 400] else start
        inner = "".join(self.tokens[start:end])
        if end == start or not NEVER_IN_WORDS.isdisjoint(inner):
            nodes.extend(self.argument())
            return
        self.at = end + 1
        for piece in WORDS_AND_REST.findall(inner):
            nodes.extend(
                [Node("text", piece.strip())]
                if piece[0].isalpha()
                else _TokenReader(LATEX_TOKEN.findall(piece)).sequence(None)
            )

    def under_radical_sign(self) -> tuple[Node, ...]:
        """What the character ``√`` applies to: a whole number, a group in parentheses, or one argument."""
        token = self.peek()
        if token == "(":
            self.at += 1
            return self.group(")")
        if _is_digits(token):
            self.at += 1
            return (Node("digits", token),)
        return self.argument()

    def peek(self) -> str:
        """Skips spaces, and returns the next token without consuming it; ``""`` at the end."""
        while self.at < len(self.tokens) and (self.tokens[self.at].isspace() or self.tokens[self.at] in SPACING):
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""


BLACKBOARD = ("\\R", "\\Z", "\\N", "\\Q", "\\C")
OVER = {"\\over": "\\frac", "\\choose": "\\binom"}
DEGREE = Node("apply", "^", ((Node("command", "\\circ"),),))


def _is_word(letters: str) -> bool:
    """Whether a run of letters is a word rather than a product of variables or the name of a function."""
    if len(letters) == 2:
        return letters.casefold() in ("or", "no")
    return letters not in NOT_A_WORD and any(letter in "aeiouyAEIOUY" for letter in letters)


def _is_digits(token: str) -> bool:
    return token.isascii() and token.isdigit()  # int cannot read every digit of other scripts


def _plain(token: str) -> Node:
    """The node of a token that takes no arguments."""
    if _is_digits(token):
        return Node("digits", token)
    if token.isalpha():
        return Node("letter", token)
    return Node("command" if token[0] == "\\" and token[1:2].isalpha() else "mark", token)


def _finished(nodes: list[Node]) -> tuple[Node, ...]:
    """The nodes of a complete group, without needless spaces.

    ``a \\over b`` becomes a fraction and ``n \\choose k`` a binomial, because they apply to their whole group.
    """
    overs = [index for index, node in enumerate(nodes) if node.text in OVER]
    if len(overs) > 1:
        raise Malformed("two \\over in one group")
    if overs:
        sides = _spaced(nodes[: overs[0]]), _spaced(nodes[overs[0] + 1 :])
        return (Node("apply", OVER[nodes[overs[0]].text], sides),)
    return _spaced(nodes)


def _spaced(nodes: list[Node]) -> tuple[Node, ...]:
    """Drops spaces, except between digits (``1 1/2``, ``1 000``) and after the comma in ``1, 000``.

    Without that one, ``1, 000`` would be read as a thousand.
    """
    kept: list[Node] = []
    for index, node in enumerate(nodes):
        if node.kind != "space":
            kept.append(node)
        elif index + 1 < len(nodes) and nodes[index + 1].kind == "digits" and kept:
            after_comma = kept[-1].text == "," and len(kept) > 1 and kept[-2].kind == "digits"
            if kept[-1].kind == "digits" or (after_comma and len(nodes[index + 1].text) == 3):
                kept.append(node)
    return tuple(kept)
