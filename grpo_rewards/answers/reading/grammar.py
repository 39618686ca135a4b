"""Reads a formula from a tree of LaTeX: recursive descent over its nodes, with the usual precedences.

What is not a formula (words, unknown commands, integrals, an equation) is refused, never guessed. Look here if a
formula is read wrongly, or not read at all.
"""

from __future__ import annotations

from itertools import takewhile

from grpo_rewards.answers.formulas.formula import (
    HALF,
    Formula,
    call,
    in_radians,
    negative,
    number,
    power,
    product,
    quotient,
    total,
)
from grpo_rewards.answers.latex.brackets import split
from grpo_rewards.answers.latex.commands import (
    ACCENTS,
    ALIASES,
    BARE_NAMES,
    FUNCTIONS,
    GREEK,
    INVERSE,
    NEEDS_PARENTHESIS,
    TRIGONOMETRIC,
)
from grpo_rewards.answers.latex.tree import WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.numerals import read_literal

__all__ = ["read_formula"]

FORMULA_DEPTH = 40  # levels of formulas within formulas; every level takes a few frames of Python's stack
FORMULA_NODES = 1_000  # in one formula
ARGUMENTS = 20  # of the functions that take several
OF_SEVERAL = ("min", "max", "gcd", "lcm")
HANGING = 6  # powers, factorials and degree signs after one base

CONSTANTS = {"\\pi": "pi", "\\imath": "i"}
LETTER_CONSTANTS = ("e", "i")
# Letters that name a function if a parenthesis follows: f(x) is not a product.
FUNCTION_LETTERS = "fghFGH"
UNIT_VECTORS = ("i", "j", "k")
FENCES = {"(": ")", "[": "]", "|": "|", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}
FENCE_CALLS = {"|": "abs", "\\lfloor": "floor", "\\lceil": "ceil"}
ADDITIVE_SIGNS = ("+", "-")
TIMES = "\\cdot"
LONGEST_NAME = max(map(len, BARE_NAMES))


class NotAFormula(ValueError):
    """The nodes hold something that cannot be part of a formula, or too much."""


def read_formula(nodes: Nodes) -> Formula | None:
    """The formula that ``nodes`` as a whole spell; ``None`` if they are something else or too large."""
    try:
        return _FormulaReader(nodes, 0, [0]).whole()
    except NotAFormula:
        return None


class _FormulaReader:
    """Reads the nodes of one group by recursive descent. ``at`` is the index of the next node."""

    def __init__(self, nodes: Nodes, depth: int, seen: list[int]) -> None:
        self.nodes = nodes
        self.at = 0
        self.depth = depth
        self.seen = seen  # one number, shared by all groups of a formula: the nodes read so far
        seen[0] += len(nodes)
        if depth > FORMULA_DEPTH or seen[0] > FORMULA_NODES:
            raise NotAFormula("too large")

    def whole(self) -> Formula:
        """The formula of all the nodes."""
        found = self.sum()
        if self.at != len(self.nodes):
            raise NotAFormula(f"'{self.peek()}' is not expected")
        return found

    def inside(self, nodes: Nodes) -> Formula:
        """The formula of a group or an argument, one level deeper."""
        return _FormulaReader(nodes, self.depth + 1, self.seen).whole()

    def sum(self) -> Formula:
        """Products with plus and minus signs between them."""
        terms: list[Formula] = []
        while not terms or self.peek() in ADDITIVE_SIGNS:
            minus = self.peek() in ADDITIVE_SIGNS and self.take().text == "-"
            if self.peek() in ADDITIVE_SIGNS:  # 5 + -3x
                minus ^= self.take().text == "-"
            term = self.product()
            terms.append(negative(term) if minus else term)
        return total(terms)

    def product(self) -> Formula:
        """Factors side by side, or with an operator between them.

        A divisor becomes one more factor, its inverse, so that ``a/b/c/d`` is one flat product.
        """
        factors = [self.factor()]
        while True:
            if self.peek() == TIMES:
                self.take()
                factors.append(self.signed_factor())
            elif self.peek() == "/":
                self.take()
                divided = quotient(factors[-1], self.signed_factor())
                factors[-1:] = divided.args if divided.kind == "product" else [divided]
            elif self.peek() in ("\\bmod", "\\mod"):
                self.take()
                return call("mod", product(factors), self.signed_factor())
            elif self.starts_factor():
                factors.append(self.factor())
            else:
                return product(factors)

    def signed_factor(self) -> Formula:
        """A factor after an operator, perhaps with a sign of its own: the ``-3`` in ``2 \\cdot -3``."""
        if self.peek() in ADDITIVE_SIGNS:
            return negative(self.factor()) if self.take().text == "-" else self.factor()
        return self.factor()

    def factor(self) -> Formula:
        """A base with the powers, factorials and degree signs that follow it."""
        base = self.base()
        for _ in range(HANGING):
            if self.peek() == "^":
                base = self.raised(base, self.take().args[0])
            elif self.peek() == "!":
                self.take()
                base = call("factorial", base)
            else:
                return base
        raise NotAFormula("too many powers after one another")

    def raised(self, base: Formula, exponent: Nodes) -> Formula:
        """A base with its exponent, which may also be a degree sign or the primes of ``y''``."""
        if render(exponent).strip() == "\\circ":
            return call("degree", base)
        if _is_prime(exponent) and base.kind == "symbol":
            return base._replace(name=base.name + "'" * len(exponent))
        return power(base, self.inside(exponent))

    def base(self) -> Formula:
        """A factor without the powers after it: a number, a letter, a command, a function, a group in brackets."""
        if self.at >= len(self.nodes):
            raise NotAFormula("something is missing")
        node = self.nodes[self.at]
        if node.kind == "digits" or (node.text == "." and self.at + 1 < len(self.nodes)):
            return self.number()
        if node.kind == "letter":
            return self.letters()
        if node.kind == "apply":
            return self.applied(self.take())
        if node.text in FENCES:
            return self.fenced()
        if node.kind in WORD_KINDS:
            return self.upright()
        if node.kind == "command":
            return self.command()
        raise NotAFormula(f"'{node.text}' is not expected")

    def number(self) -> Formula:
        """A number in digits."""
        found = read_literal(self.nodes[self.at :])
        if found is None:
            raise NotAFormula("not a number")
        value, rest = found
        self.at = len(self.nodes) - len(rest)
        if self.peek() == "_":
            raise NotAFormula("a numeral in a base")
        return number(value)

    def letters(self) -> Formula:
        """The function or constant that the next letters spell without a backslash, else one letter as a symbol."""
        spelled = self.spelled()
        if spelled is None:
            return self.symbol(self.take().text)
        self.at += len(spelled)
        if spelled == "pi":
            return Formula("constant", "pi")
        return self.function(spelled)

    def symbol(self, name: str) -> Formula:
        """A symbol with its index and primes: ``x_{1}``, ``y'``; or one of the constants e and i.

        ``f(x)`` becomes a call of ``?f``; the question mark says that only the name of the function is known.
        """
        subscripted = self.peek() == "_"
        if subscripted:
            name += "_{" + render(self.take().args[0]) + "}"
        while self.peek() == "'":
            self.take()
            name += "'"
        if name in LETTER_CONSTANTS:
            return Formula("constant", name)
        if name[0] in FUNCTION_LETTERS and self.peek() == "^" and _is_prime(self.nodes[self.at].args[0]):
            name += "'" * len(self.take().args[0])
        if name[0] in FUNCTION_LETTERS and self.peek() == "(":
            start = self.at
            args = self.list_in_parentheses()
            # f(x + h) is a function, but g(R + h) is gravity times a distance
            if name[0] in "fF" or all(arg.kind in ("symbol", "number") for arg in args):
                return call(f"?{name}", *args)
            self.at = start
        return Formula("symbol", name)

    def upright(self) -> Formula:
        """A name in upright type, ``\\operatorname{arctan}`` or ``\\mathrm{e}``; words are refused."""
        name = self.nodes[self.at].text
        if name.casefold() in FUNCTIONS:
            self.take()
            return self.function(name.casefold())
        if self.nodes[self.at].kind == "word" and len(name) <= 3:
            self.take()
            return product([self.symbol(letter) for letter in name])  # abc is a times b times c
        if len(name) == 1 or (self.nodes[self.at].kind == "text" and name.isalpha() and name.isupper()):
            self.take()
            return self.symbol(name)
        if name.isalpha() and self.peek(1) == "(":
            self.take()
            return call(f"?{name}", *self.list_in_parentheses())
        raise NotAFormula(f"'{name}' is a word")

    def command(self) -> Formula:
        """A command without arguments: a constant, a Greek letter or a function."""
        name = self.take().text
        if name in CONSTANTS:
            return Formula("constant", CONSTANTS[name])
        if name in GREEK:
            return self.symbol(name)
        if name[1:] in FUNCTIONS:
            return self.function(name[1:])
        raise NotAFormula(f"'{name}' is not known")

    def applied(self, node: Node) -> Formula:
        """A command with its arguments: ``\\frac``, ``\\sqrt``, ``\\root``, ``\\binom``, or an accent over a letter."""
        if node.text in ACCENTS:
            inner = render(node.args[0])
            # \hat{i} and \vec{i} are the same unit vector, i; but \vec{v} and v are two symbols
            return self.symbol(inner) if inner in UNIT_VECTORS else Formula("symbol", render([node]))
        args = [self.inside(arg) for arg in node.args]
        if node.text == "\\frac":
            return quotient(*args)
        if node.text == "\\sqrt":
            return power(args[0], HALF)
        if node.text == "\\root":
            return power(args[1], quotient(number(1), args[0]))
        if node.text == "\\binom":
            return call("binom", *args)
        raise NotAFormula(f"'{node.text}' is not expected")

    def fenced(self) -> Formula:
        """What stands between two matching delimiters; ``|x|`` becomes a call of ``abs``."""
        opening = self.take().text
        inner = self.inside(self.up_to(opening, FENCES[opening]))
        return call(FENCE_CALLS[opening], inner) if opening in FENCE_CALLS else inner

    def list_in_parentheses(self) -> list[Formula]:
        """The arguments of a function: formulas in parentheses with commas between them."""
        self.take()
        return [self.inside(part) for part in split(self.up_to("(", ")"), (",",))]

    def function(self, name: str) -> Formula:
        """Reads what follows the name of a function: exponent, base and arguments, as in ``\\log_{2}^{3} x``."""
        name = ALIASES.get(name, name)
        self.depth += 1  # functions of functions without parentheses nest as well
        if self.depth > FORMULA_DEPTH:
            raise NotAFormula("too large")
        exponent: Formula | None = None
        below: Formula | None = None
        while self.peek() in ("^", "_"):
            node = self.take()
            if node.text == "_":
                below = self.inside(node.args[0])
            elif render(node.args[0]) == "-1" and name in INVERSE:
                name = INVERSE[name]
            else:
                exponent = self.inside(node.args[0])
        args = self.list_in_parentheses() if self.peek() == "(" else [self.argument()]
        self.depth -= 1
        if len(args) > (ARGUMENTS if name in OF_SEVERAL else 1):
            raise NotAFormula(f"'{name}' of so many")
        if name in TRIGONOMETRIC:  # an angle may be in degrees
            args = list(map(in_radians, args))
        if name == "sqrt":
            return power(args[0], HALF)
        if name == "cis":
            return power(Formula("constant", "e"), product((Formula("constant", "i"), *map(in_radians, args))))
        found = call("log", *args, below) if name == "log" and below is not None else call(name, *args)
        return found if exponent is None else power(found, exponent)

    def argument(self) -> Formula:
        """The argument of a function without parentheses: the factors up to an operator or another function."""
        minus = self.peek() == "-" and self.take().text == "-"
        factors = [self.factor()]
        while self.starts_factor() and not self.at_function():
            factors.append(self.factor())
        return negative(product(factors)) if minus else product(factors)

    def peek(self, ahead: int = 0) -> str:
        """The text of the next node, or of one that comes ``ahead`` nodes later; ``""`` beyond the end."""
        return self.nodes[self.at + ahead].text if self.at + ahead < len(self.nodes) else ""

    def take(self) -> Node:
        """Consumes the next node and returns it."""
        self.at += 1
        return self.nodes[self.at - 1]

    def starts_factor(self) -> bool:
        """Whether the next node can be a factor with no operator before it: the x in ``2x``."""
        if self.at >= len(self.nodes):
            return False
        node = self.nodes[self.at]
        if node.kind == "digits":
            # 2 3 and x3 are not products; n2^{n-1} and (x)3 are
            return self.peek(1) == "^" or (self.at > 0 and self.nodes[self.at - 1].text in (")", "]", "!"))
        if node.kind == "mark":
            return node.text in FENCES
        if node.kind == "command":
            return node.text in CONSTANTS or node.text in GREEK or node.text[1:] in FUNCTIONS or node.text in FENCES
        if node.kind in WORD_KINDS:
            return len(node.text) == 1 or node.text.casefold() in FUNCTIONS
        return node.kind == "letter" or (node.kind == "apply" and node.text not in ("^", "_", "\\begin", "\\end"))

    def spelled(self) -> str | None:
        """The function or constant that the next letters spell without a backslash; ``None`` if they spell none."""
        run = "".join(node.text for node in takewhile(_is_letter, self.nodes[self.at : self.at + LONGEST_NAME]))
        for name in BARE_NAMES if len(run) > 1 else ():
            if run.startswith(name) and (name not in NEEDS_PARENTHESIS or self.peek(len(name)) == "("):
                return name
        return None

    def up_to(self, opening: str, closing: str) -> Nodes:
        """The nodes before the matching closing delimiter, which is consumed as well."""
        start, depth = self.at, 0
        while self.at < len(self.nodes):
            text = self.take().text
            if text == closing and depth == 0:
                return self.nodes[start : self.at - 1]
            depth += (text == opening) - (text == closing)
        raise NotAFormula(f"'{closing}' is missing")

    def at_function(self) -> bool:
        """Whether a function or a bracket comes next, which ends the argument of a function without parentheses."""
        node = self.nodes[self.at]
        if node.kind == "letter":
            return self.spelled() not in (None, "pi", "sqrt")
        return node.text in ("(", "[") or node.text[1:] in FUNCTIONS


def _is_prime(exponent: Nodes) -> bool:
    """Whether an exponent consists of primes, as in ``f^{\\prime}``."""
    return bool(exponent) and all(node.text in ("'", "\\prime") for node in exponent)


def _is_letter(node: Node) -> bool:
    return node.kind == "letter"
