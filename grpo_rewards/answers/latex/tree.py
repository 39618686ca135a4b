"""Parses LaTeX, as models and data sets write it, to a small tree, and writes a tree in one canonical spelling.

Its tables say which commands mean the same, which mean nothing, which name letters and functions: look here if a
command is not known, or is not seen as the same as another one.

Also finds closing brackets in a row of nodes, and refuses texts and numbers that are too long to be read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from grpo_rewards.answers.latex.characters import as_latex, mended

# Tables of LaTeX commands.


def word_set(text: str, separator: str | None = None) -> frozenset[str]:
    """The words of a text, or the phrases between its separators."""
    return frozenset(map(str.strip, text.split(separator)))


def kept_spellings(rows: str) -> dict[str, str]:
    """For each word of a table the first one of its row, which is kept in its place."""
    return {other: kept for kept, *others in map(str.split, rows.strip().split("\n")) for other in others}


# Marks and faces that belong to the name of a symbol: \vec{v} is not v.
ACCENTS = word_set(r"\overline \vec \hat \widehat \tilde \dot \ddot \mathbb")
# How many arguments in braces a command takes.
ARITY = dict.fromkeys([*r"\sqrt \boxed \fbox \begin \end".split(), *ACCENTS], 1)
ARITY |= dict.fromkeys(r"\frac \binom".split(), 2)

# Each row: the spelling that is kept, then the spellings that it replaces.
KEPT_SPELLINGS = kept_spellings(r"""
\frac \dfrac \tfrac \cfrac
\binom \dbinom \tbinom
\le \leq \leqslant <=
\ge \geq \geqslant >=
\ne \neq !=
= := == \coloneqq \triangleq \cong
^ **
\to -> \rightarrow \longrightarrow
\leftrightarrow <=> \rightleftharpoons
\setminus \smallsetminus \backslash
< \lt
> \gt
\cdot \times \ast *
/ \div
- \minus
\infty \infin oo
\cup \bigcup
\cap \bigcap
\emptyset \varnothing
\{ \lbrace
\} \rbrace
[ \lbrack
] \rbrack
( \lparen \langle
) \rparen \rangle
| \vert \lvert \rvert \mid \| \Vert \lVert \rVert
\overline \bar
: \colon
\% % \percent
€ \euro
£ \pounds
\ldots \dots \cdots \dotsc ...
' \prime
\bmod mod
\vec \overrightarrow
\\ \cr
\varepsilon \epsilon
\varphi \phi
\wedge \land
\vee \lor
\neg \lnot
i \imath
j \jmath
""")

SPACING = word_set(r"\, \: \; \> ~ \quad \qquad \thinspace \enspace \space \newline") | {"\\ ", "\\\n"}

# Commands that change how a formula looks, not what it says.
DROPPED = word_set(
    r"""
    $ \( \) \[ \] \! \/ \- \left \right \left. \right. \middle \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr
    \biggl \biggr \displaystyle \textstyle \scriptstyle \limits \nolimits \negthinspace \rm \bf \it
    \mathop \mathstrut \strut \null \protect \large \Large \LARGE \huge \Huge \small \normalsize \hline \ensuremath
    \allowbreak \nobreak \mathopen \mathclose \mathrel \mathbin \mathord \nonumber \notag
    """
)

# Commands that are dropped together with their argument.
SILENT = word_set(r"\phantom \hphantom \vphantom \hspace \hspace* \vspace \vspace* \tag \tag* \label \color \textcolor")

# Commands that set words, or mathematics, in another typeface.
FACES = word_set(
    r"""
    \text \textbf \textit \textrm \textsf \texttt \textnormal \textup \emph \underline \mbox \hbox \operatorname
    \operatorname* \mathrm \mathbf \mathit \mathsf \mathtt \mathnormal \boldsymbol \bm \ce \mathcal \mathscr
    """
)

# Commands that are letters, and so serve as symbols.
GREEK = word_set(
    r"""
    \alpha \beta \gamma \delta \varepsilon \zeta \eta \theta \kappa \lambda \mu \nu \xi \rho \sigma \tau \varphi \chi
    \psi \omega \Gamma \Delta \Theta \Lambda \Xi \Sigma \Phi \Psi \Omega \ell \hbar \nabla
    """
)

# Functions in formulas, without their backslash.
TRIGONOMETRIC = "sin cos tan cot sec csc".split()
HYPERBOLIC = "sinh cosh tanh coth sech csch".split()
INVERSE = {name: f"arc{name}" for name in (*TRIGONOMETRIC, *HYPERBOLIC)}
# Other names of functions.
ALIASES = {"tg": "tan", "ctg": "cot", "cotg": "cot", "arctg": "arctan", "arcctg": "arccot"}
ALIASES |= {f"a{name}": f"arc{name}" for name in INVERSE} | {f"ar{name}": f"arc{name}" for name in HYPERBOLIC}
# Those that need a parenthesis if they have no backslash, because abs without one may be a times b times s.
NEEDS_PARENTHESIS = word_set("cis min max gcd lcm floor ceil abs sgn lg det dim") | ALIASES.keys()
FUNCTIONS = word_set("ln log exp").union(NEEDS_PARENTHESIS, INVERSE, INVERSE.values())
# Names that are also known without a backslash: sin(x), ln 2. Longer ones first, so that sinh is not sin times h.
BARE_NAMES = sorted([*FUNCTIONS, "pi", "sqrt"], key=len, reverse=True)
# All commands that are known by their names.
KNOWN_COMMANDS = frozenset().union(
    *(ARITY, DROPPED, FACES, GREEK, KEPT_SPELLINGS, KEPT_SPELLINGS.values(), SILENT, SPACING),
    ("\\" + name for name in FUNCTIONS),
    r"\pi \in \pm \mp \int \sum \prod \lim \circ \approx \equiv".split(),
)


# The nodes of a tree, and the parser.

WORD_KINDS = ("text", "word")
BARE_KINDS = word_set("digits letter mark space")  # which are spelled as they are
SYMBOL_LETTERS = 3  # letters in the longest symbol of a unit; in words of up to so many letters, capitals matter

ARGUMENT_DEPTH = 60  # how deep arguments may nest


class Malformed(ValueError):
    """The LaTeX is broken: braces do not match, arguments of a command are missing, or the nesting is too deep."""


class Node(NamedTuple):
    """One symbol, or one command with its arguments.

    ``kind`` is ``digits``, ``letter``, ``command`` (without arguments), ``mark`` (operators, delimiters, punctuation),
    ``space`` (kept only between digits), ``text`` (words in ``\\text``), ``word`` (a word without ``\\text``) or
    ``apply`` (a command with its arguments, such as ``\\frac``, ``^``, ``_``). ``apart``: whether a letter is set
    upright or follows a space, as the m of ``10 m`` does, which may be a unit; or a parenthesis follows one.
    """

    kind: str
    text: str
    args: tuple[tuple[Node, ...], ...] = ()
    apart: bool = False

    @property
    def is_words(self) -> bool:
        """Whether it is a word, or several, with or without ``\\text``."""
        return self.kind in WORD_KINDS


Nodes: TypeAlias = Sequence[Node]
COMMA = Node("mark", ",")
LEFT_PARENTHESIS, RIGHT_PARENTHESIS = Node("mark", "("), Node("mark", ")")


# Cyrillic, Japanese, Chinese and Korean letters: a run of them is a word, never a product of variables.
OTHER_SCRIPTS = "\u0400-\u052f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
# A run of letters that touches nothing else may be a word without \text: "10 meters", "5 or 6", "none".
LATEX_TOKEN = re.compile(
    r"\\\\\[[-0-9.]+(?:pt|em|ex|cm|mm)\]|\\(?:left|right)\.|\\(?:operatorname|[hv]space|tag)\*|\\[A-Za-z]+|\\.|[0-9]+|\s+|\.\.\.|\*\*|<=>|[<>:=]=|->|(?<![0-9)}!])!="
    r"|(?<![\\A-Za-z0-9}])[A-Za-z]{2,}(?![A-Za-z0-9({\\^_])|[A-Za-z]"
    f"|[{OTHER_SCRIPTS}]+|.",
    re.DOTALL,
)
OTHER_SCRIPT_WORD = re.compile(f"[{OTHER_SCRIPTS}]")
ENUMERATED = re.compile(r"[A-Z](?: (?:and|or) [A-Z]){1,4}")  # the choices A and C
CONJUNCTION_AT_END = re.compile(r"^(and|or)\s+|\s+(and|or)$", re.IGNORECASE)
DIFFERENTIAL = re.compile(r"[a-z]?([a-z])d\1")  # ydy belongs to an integral
NOT_A_WORD = word_set("sin cos tan cot sec csc cis log exp max min gcd lcm mod det dim deg arcsin arccos arctan")
NEVER_IN_WORDS = frozenset("\\{$^_=")  # characters that show that \text holds mathematics
NARROW_SPACE = re.compile(r"\\!\s*|(?<=\{,\})\s+")  # 11,\! 111 and 11{,} 111
COMMA_OF_A_DECIMAL = re.compile(r"\{,\}(?=[0-9])(?![0-9]{3}(?![0-9]))")  # 2{,}5 is two and a half
SYSTEM = re.compile(r"\\left\s?\\\{\s*\\begin\s?\{(?:array\}\s?\{(?:[^{}]|\{[^{}]{0,20}\}){0,40}\}|aligned\}|matrix\})")
WORDS_AND_REST = re.compile(r"[A-Za-z][A-Za-z\s.'-]*|[^A-Za-z]+")


def parse(text: str) -> tuple[Node, ...]:
    """Parses LaTeX to a row of nodes: ``\\frac12x`` is ``\\frac`` with the arguments 1 and 2, then the letter x.

    Raises:
        Malformed: braces do not match, arguments of a command are missing, or arguments nest too deep.
    """
    text = mended(text)
    if "{,}" in text or "\\!" in text:  # which only set a comma
        text = COMMA_OF_A_DECIMAL.sub(".", NARROW_SPACE.sub("", text)).replace("{,}", ",")
    if "\\begin" in text and "\\right." in text:  # equations behind one large brace
        text = SYSTEM.sub(r"\\begin{cases}", text)
    return _TokenReader(text if text.isascii() else as_latex(text)).sequence()


def render(nodes: Sequence[Node]) -> str:
    """The canonical spelling of a tree: every argument in braces, and words without ``\\text``.

    Spaces stay only between digits, because ``1 1/2`` is not ``11/2``.
    """
    return "".join([node.text if node.kind in BARE_KINDS else _spelled(node) for node in nodes])


def _spelled(node: Node) -> str:
    """The canonical spelling of one node."""
    if node.is_words:
        word = "".join(node.text.split())
        return word if len(word) <= SYMBOL_LETTERS else word.casefold()  # a short word may be a unit: mW is not MW
    if node.kind == "command":
        return node.text + " "
    if node.text == "\\root":
        return f"\\sqrt[{render(node.args[0])}]{{{render(node.args[1])}}}"
    return node.text + "".join(["{" + render(arg) + "}" for arg in node.args])


class _TokenReader:
    """Turns tokens into nodes by recursive descent. ``at`` is the index of the next token; the last one is ``""``."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = [*LATEX_TOKEN.findall(text), ""]
        self.at = 0
        self.depth = 0

    def sequence(self, closing: str = "") -> tuple[Node, ...]:
        """The nodes up to the token ``closing``, which is consumed: a bracket, or the end."""
        nodes: list[Node] = []
        while (token := self.tokens[self.at]) not in (closing, "}", ""):
            if token in NODES_OF_TOKENS:  # as mostly
                self.at += 1
                nodes.append(NODES_OF_TOKENS[token])
            else:
                self.one(nodes)
        if token != closing:
            raise Malformed(f"'{token}' in place of '{closing}'")
        self.at += 1
        return _finished(nodes)

    def one(self, nodes: list[Node]) -> None:
        """Reads one token, with its arguments if it takes any, and appends its nodes."""
        written = self.tokens[self.at]
        self.at += 1
        token = "\\\\" if written.startswith("\\\\") else KEPT_SPELLINGS.get(written, written)  # \\[2pt] is \\
        if token.isspace() or token in SPACING:
            nodes.append(SPACE_NODE)
        elif written == "\\times" and self.is_between_vectors():
            nodes.append(CROSS_NODE)
        elif token in DROPPED:
            pass
        elif token == "{":
            nodes.extend(self.group("}"))
        elif token in FACES:
            nodes.extend(self.face())
        elif token in SILENT:
            self.argument()
        elif token == "\\surd":  # alone it is a mark, such as a teacher's
            nodes.append(Node("apply", "\\sqrt", (self.script(),)) if self.peek() else Node("mark", "√"))
        elif token in ("^", "_"):
            self.scripted(token, nodes)
        elif token in ARITY:
            nodes.append(self.applied(token))
        elif token in NODES_OF_TOKENS:
            nodes.append(NODES_OF_TOKENS[token])
        elif OTHER_SCRIPT_WORD.match(token):
            nodes.append(Node("text", token))
        elif len(token) > 1 and token.isalpha():
            nodes.extend([Node("word", token)] if _is_word(token) else [Node("letter", letter) for letter in token])
        else:
            nodes.append(_plain(token))

    def is_between_vectors(self) -> bool:
        """Whether the token that was just read stands between two letters in bold type, or with arrows."""
        # \vec a has two tokens, \vec { a } and \vec r _ 1 have four
        before = [token for token in self.tokens[max(self.at - 7, 0) : self.at - 1] if not token.isspace()]
        is_behind_vector = not VECTORS.isdisjoint(before[-4 if before[-1:] == ["}"] or "_" in before else -2 :])
        return is_behind_vector and not VECTORS.isdisjoint(self.tokens[self.at : self.at + 3])

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

    def scripted(self, sign: str, nodes: list[Node]) -> None:
        """Appends ``^`` or ``_`` with its argument; a degree sign for ``^o``, and primes for ``^{\\prime}``."""
        after_letter = bool(nodes) and nodes[-1].kind == "letter"
        argument = self.script() if sign == "^" or after_letter else self.argument()
        node, inner = Node("apply", sign, (argument,)), texts(argument)
        if sign == "_" and nodes and nodes[-1].text == "^":
            nodes.insert(-1, node)  # v^2_0 is v_0^2
        elif sign == "^" and set(inner) == {"'"}:
            nodes.extend(argument)  # y^{\prime\prime} is y''
        else:
            nodes.append(DEGREE if sign == "^" and inner == ["o"] and not after_letter else node)

    def applied(self, token: str) -> Node:
        """A command with its arguments. ``\\sqrt[3]{x}`` becomes ``\\root`` with the arguments 3 and x."""
        index: tuple[Node, ...] = ()
        if token == "\\sqrt" and self.peek() == "[":
            self.at += 1
            index = self.group("]")
        args = tuple(self.argument() for _ in range(ARITY[token]))
        if token == "\\begin" and render(args[0]) == "array" and self.peek() == "{":
            self.argument()  # the alignment of its columns: {ccc}
        return Node("apply", "\\root", (index, *args)) if index else Node("apply", token, args)

    def script(self) -> tuple[Node, ...]:
        """The argument of ``^``, ``_`` or ``√``, without braces what is meant: all of ``10``, ``-1``, ``(n+1)``.

        TeX itself would take only the first character.
        """
        token = self.peek()
        if token == "(":
            return self.in_parentheses()
        count = 2 if token in ("-", "+") else 1
        last = self.tokens[self.at + count - 1]
        if not _is_digits(last) and not (count == 2 and last.isalpha() and len(last) == 1):
            return self.argument()
        self.at += count
        return tuple(map(_plain, self.tokens[self.at - count : self.at]))

    def in_parentheses(self) -> tuple[Node, ...]:
        """The nodes between the next parenthesis and the one that closes it."""
        nodes: list[Node] = []
        open_ones = 0
        while not nodes or open_ones:
            open_ones += {"(": 1, ")": -1}.get(self.peek(), 0)
            self.required(nodes)
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
        nodes: list[Node] = []
        while not nodes:
            self.required(nodes)
        return _finished(nodes)

    def required(self, nodes: list[Node]) -> None:
        """Reads one token of an argument; they nest without braces as well: ``\\sqrt\\sqrt\\sqrt 2``."""
        if self.peek() in ("", "}"):
            raise Malformed("an argument is missing")
        self.deeper()
        self.one(nodes)
        self.depth -= 1

    def face(self) -> Iterable[Node]:
        """What a command such as ``\\text`` holds: words as ``text`` nodes, mathematics as mathematics."""
        if self.peek() != "{":
            return self.argument()
        start = self.at + 1
        end = self.tokens.index("}", start) if "}" in self.tokens[start : start + 400] else start
        inner = "".join(self.tokens[start:end])
        if not inner or not NEVER_IN_WORDS.isdisjoint(inner):
            # \mathrm{m\,s^{-2}} is a unit, and no product of variables
            first, *others = self.argument() or (SPACE_NODE,)
            return [first._replace(apart=first.kind == "letter"), *others]
        self.at = end + 1
        pieces = WORDS_AND_REST.findall(inner)
        return [node for piece in pieces for node in (_words(piece) or _TokenReader(piece).sequence())]

    def peek(self) -> str:
        """Skips spaces, and returns the next token without consuming it; ``""`` at the end."""
        while self.tokens[self.at].isspace() or self.tokens[self.at] in SPACING:
            self.at += 1
        return self.tokens[self.at]


SPACE_NODE = Node("space", " ")
CROSS_NODE = Node("command", "\\times")  # of two vectors; elsewhere it is a plain product
VECTORS = word_set(r"\vec \overrightarrow \mathbf \boldsymbol \bm \nabla")
INFINITE_WORDS = ("infinity", "Infinity", "infty", "inf")
OVER = {"\\over": "\\frac", "\\choose": "\\binom"}
DEGREE = Node("apply", "^", ((Node("command", "\\circ"),),))


def _is_word(letters: str) -> bool:
    """Whether a run of letters is a word rather than a product of variables or the name of a function."""
    if len(letters) == 2:
        return letters.casefold() in ("or", "no", "if")
    if DIFFERENTIAL.fullmatch(letters):
        return False
    return letters not in NOT_A_WORD and any(letter in "aeiouyAEIOUY" for letter in letters)


def _words(piece: str) -> list[Node]:
    """The words of a piece of text as one node, with a node of its own for an "or" or "and" at either end.

    ``cm or`` is a unit and a conjunction, so that ``8 \\text{ cm or } 4 \\text{ cm}`` is a list of two. No words are
    in ``, `` and ``infinity``.
    """
    text = piece.strip()
    if not piece[0].isalpha() or text in INFINITE_WORDS:
        return []
    parts = text.split() if ENUMERATED.fullmatch(text) else CONJUNCTION_AT_END.split(text)
    return [Node("text", part) for part in parts if part]


def _is_digits(token: str) -> bool:
    return token.isascii() and token.isdigit()  # int cannot read every digit of other scripts


def _plain(token: str) -> Node:
    """The node of a token that takes no arguments."""
    if _is_digits(token):
        return Node("digits", token)
    if token.isalpha():
        return Node("letter", token)
    return Node("command" if token[0] == "\\" and token[1:2].isalpha() else "mark", token)


# The nodes of tokens that are the same whatever follows them: of most characters, and of some commands and words.
NODES_OF_TOKENS = {
    character: _plain(character)
    for character in map(chr, range(33, 127))
    if character not in "{}^_~*$" and character not in KEPT_SPELLINGS
}
NODES_OF_TOKENS |= {"\\" + letter: Node("apply", "\\mathbb", ((Node("letter", letter),),)) for letter in "RZNQC"}
NODES_OF_TOKENS |= {"\\degree": DEGREE, "\\textdegree": DEGREE}
NODES_OF_TOKENS |= dict.fromkeys(INFINITE_WORDS, Node("command", "\\infty"))


def _finished(nodes: list[Node]) -> tuple[Node, ...]:
    """The nodes of a complete group, without needless spaces.

    ``a \\over b`` becomes a fraction and ``n \\choose k`` a binomial, because they apply to their whole group.
    """
    if OVER.keys().isdisjoint([node.text for node in nodes]):
        return _spaced(nodes)  # as mostly
    at = next(index for index, node in enumerate(nodes) if node.text in OVER)
    return (Node("apply", OVER[nodes[at].text], (_spaced(nodes[:at]), _spaced(nodes[at + 1 :]))),)


def _spaced(nodes: list[Node]) -> tuple[Node, ...]:
    """Drops spaces, except between digits (``1 1/2``, ``1 000``) and after the comma in ``1, 000``.

    Without that one, ``1, 000`` would be read as a thousand.
    """
    if SPACE_NODE not in nodes:
        return tuple(nodes)  # as mostly
    kept: list[Node] = []
    follows_space = False
    for node in nodes:
        if follows_space and (node.kind == "letter" or node.text == "("):
            node = node._replace(apart=True)
        elif follows_space and node.kind == "digits":
            after_comma = kept[-1].text == "," and kept[-2:][0].kind == "digits" and len(node.text) == 3
            kept += [SPACE_NODE] if kept[-1].kind == "digits" or after_comma else []
        # the space after a command only ends its name
        follows_space = node.kind == "space" and bool(kept) and kept[-1].kind != "command"
        kept += [node] if node.kind != "space" else []
    return tuple(kept)


# Finds closing brackets in a row of nodes, and splits nodes at the separators that are not inside brackets.

OPENING_BRACKETS, CLOSING_BRACKETS = ("(", "[", "\\{"), (")", "]", "\\}")
OPENING_NODES, CLOSING_NODES = frozenset((*OPENING_BRACKETS, "\\begin")), frozenset((*CLOSING_BRACKETS, "\\end"))
CONJUNCTIONS = ("and", "or")
# These join conditions, as in x = 1 \\vee x = 2; between anything else they belong to a formula of logic.
SIGNS_OF_LOGIC = {"\\vee": "or", "\\wedge": "and"}
CONDITIONS = tuple(r"< \le > \ge \ne \in".split())
CONDITIONS_AND_EQUALS = (*CONDITIONS, "=")


def closing_index(nodes: Nodes) -> int:
    """The index of the bracket, or of the end of an environment, that closes the first one; -1 if none does.

    The two may be of different kinds, as in the interval ``[1, 2)``.
    """
    depth = 0
    for index, node in enumerate(nodes):
        if node.text in OPENING_NODES:
            depth += 1
        elif node.text in CLOSING_NODES:
            depth -= 1
            if depth == 0:
                return index
    return -1


def inside_brackets(nodes: Nodes) -> Nodes | None:
    """What stands in the pair of brackets that opens first and closes last; ``None`` without such a pair."""
    is_pair = len(nodes) > 1 and nodes[0].text in OPENING_BRACKETS and closing_index(nodes) == len(nodes) - 1
    return nodes[1:-1] if is_pair else None


def flattened(nodes: Nodes) -> Iterator[Node]:
    """All nodes of a tree, each followed by those of its arguments."""
    for node in nodes:
        yield node
        for arg in node.args:
            yield from flattened(arg)


def words_of(nodes: Nodes) -> str:
    """What some nodes say, with a space before words and before letters that follow one."""
    return "".join(node.text if node.kind == "letter" and not node.apart else f" {node.text}" for node in nodes).strip()


def texts(nodes: Iterable[Node]) -> list[str]:
    """What each of some nodes says, without its arguments."""
    return [node.text for node in nodes]


def replaced_nodes(nodes: Nodes, new: Mapping[str, Node]) -> tuple[Node, ...]:
    """The tree with other nodes in place of those with certain texts."""
    return tuple(
        new.get(node.text) or node._replace(args=tuple(replaced_nodes(arg, new) for arg in node.args)) for node in nodes
    )


def outside(nodes: Nodes, texts: Collection[str], *, words: bool = False) -> list[int]:
    """The indices of the nodes that have one of ``texts`` and are not inside brackets or environments.

    With ``words``, the indices of "and" and "or" as well.
    """
    if not words and not [node for node in nodes if node.text in texts]:
        return []  # as mostly
    found = []
    depth = 0
    joins_conditions = words and any(node.text in CONDITIONS_AND_EQUALS for node in nodes)
    for index, node in enumerate(nodes):
        text = node.text
        if text in OPENING_NODES:
            depth += 1
        elif text in CLOSING_NODES:
            depth -= 1
        elif depth == 0 and (
            text in texts or (words and is_conjunction(node) and (joins_conditions or text not in SIGNS_OF_LOGIC))
        ):
            found.append(index)
    return found


def is_conjunction(node: Node) -> bool:
    """Whether a node is "and" or "or", as a word or as a sign of logic such as ``\\wedge``."""
    return node.text in SIGNS_OF_LOGIC or (node.is_words and spoken(node) in CONJUNCTIONS)


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
        # in ", and" the comma has already separated the two
        if not (start == index and parts and is_conjunction(nodes[index])):
            parts.append(nodes[start:index])
        start = index + 1
    return [*parts, nodes[start:]]


# Refuses what is too long to be read. How large a value may get is checked where it is computed, in ``formulas``.

ANSWER_CHARACTERS = 5_000  # in the LaTeX of an answer; the longest gold of the common benchmarks has under 400
NUMBER_DIGITS = 1_000  # in one number that is written out


def too_long(text: str) -> bool:
    """Whether the text of an answer has more characters than are worth reading."""
    return len(text) > ANSWER_CHARACTERS


def too_large(nodes: Nodes) -> bool:
    """Whether a number in a tree has more digits than are read."""
    return any(len(node.text) > NUMBER_DIGITS for node in flattened(nodes) if node.kind == "digits")
