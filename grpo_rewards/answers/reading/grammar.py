"""The formula that a tree of LaTeX spells: recursive descent over its nodes, with the precedences of mathematics.

What is no formula (words, unknown commands, integrals, an equation) is refused, never guessed.
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
    FUNCTIONS,
    GREEK,
    INVERSE,
    NEEDS_PARENTHESIS,
    SPELLED,
    TRIGONOMETRIC,
)
from grpo_rewards.answers.latex.tree import WORD_KINDS, Node, Nodes, render
from grpo_rewards.answers.reading.numerals import read_literal

__all__ = ["read_formula"]

DEPTH = 40  # formulas within formulas; every level costs a few frames
NODES = 1_000  # of one formula
ARGUMENTS = 20  # of a maximum and the like
OF_SEVERAL = ("min", "max", "gcd", "lcm")
HANGING = 6  # powers and factorials behind one base

CONSTANTS = {"\\pi": "pi", "\\imath": "i"}
LETTER_CONSTANTS = ("e", "i")
# Letters that before a parenthesis name a function: f(x) is no product.
FUNCTION_LETTERS = "fghFGH"
UNIT_VECTORS = ("i", "j", "k")
FENCES = {"(": ")", "[": "]", "|": "|", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}
FENCE_CALLS = {"|": "abs", "\\lfloor": "floor", "\\lceil": "ceil"}
SIGNS = ("+", "-")
TIMES = "\\cdot"
LONGEST_NAME = max(map(len, SPELLED))


class NotAFormula(ValueError):
    """Holds something that is no part of a formula."""


def read_formula(nodes: Nodes) -> Formula | None:
    """The formula that all of ``nodes`` spell; ``None`` where that is something else, or more than is worth reading."""
    try:
        return _Reader(nodes, 0, [0]).whole()
    except NotAFormula:
        return None


class _Reader:
    """Recursive descent over the nodes of one group; ``at`` is the next of them."""

    def __init__(self, nodes: Nodes, depth: int, seen: list[int]) -> None:
        self.nodes = nodes
        self.at = 0
        self.depth = depth
        self.seen = seen  # nodes read so far, counted over all groups
        seen[0] += len(nodes)
        if depth > DEPTH or seen[0] > NODES:
            raise NotAFormula("too large")

    def whole(self) -> Formula:
        found = self.sum()
        if self.at != len(self.nodes):
            raise NotAFormula(f"'{self.peek()}' is not expected")
        return found

    def inside(self, nodes: Nodes) -> Formula:
        return _Reader(nodes, self.depth + 1, self.seen).whole()

    def sum(self) -> Formula:
        terms: list[Formula] = []
        while not terms or self.peek() in SIGNS:
            minus = self.peek() in SIGNS and self.take().text == "-"
            if self.peek() in SIGNS:  # 5 + -3x
                minus ^= self.take().text == "-"
            term = self.product()
            terms.append(negative(term) if minus else term)
        return total(terms)

    def product(self) -> Formula:
        """Factors side by side or with a sign between them; divisors join them as powers, so that nothing nests."""
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
        """A factor behind an operator may carry a sign: ``2 \\cdot -3``."""
        if self.peek() in SIGNS:
            return negative(self.factor()) if self.take().text == "-" else self.factor()
        return self.factor()

    def factor(self) -> Formula:
        """A base with what hangs behind it: powers, factorials, degrees."""
        base = self.base()
        for _ in range(HANGING):
            if self.peek() == "^":
                base = self.raised(base, self.take().args[0])
            elif self.peek() == "!":
                self.take()
                base = call("factorial", base)
            else:
                return base
        raise NotAFormula("too many powers behind one another")

    def raised(self, base: Formula, exponent: Nodes) -> Formula:
        if render(exponent).strip() == "\\circ":
            return call("degree", base)
        if _is_prime(exponent) and base.kind == "symbol":
            return base._replace(name=base.name + "'" * len(exponent))
        return power(base, self.inside(exponent))

    def base(self) -> Formula:
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
        found = read_literal(self.nodes[self.at :])
        if found is None:
            raise NotAFormula("not a number")
        value, rest = found
        self.at = len(self.nodes) - len(rest)
        if self.peek() == "_":
            raise NotAFormula("a numeral in a base")
        return number(value)

    def letters(self) -> Formula:
        """A function or constant that bare letters spell, else one letter as a symbol."""
        spelled = self.spelled()
        if spelled is None:
            return self.symbol(self.take().text)
        self.at += len(spelled)
        if spelled == "pi":
            return Formula("constant", "pi")
        return self.function(spelled)

    def symbol(self, name: str) -> Formula:
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
            # f(x + h) is a function, but g(R + h) is gravity
            if name[0] in "fF" or all(arg.kind in ("symbol", "number") for arg in args):
                return call(f"?{name}", *args)
            self.at = start
        return Formula("symbol", name)

    def upright(self) -> Formula:
        """``\\operatorname{arctan}``, ``\\mathrm{e}``: a name in upright type, but no words."""
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
        name = self.take().text
        if name in CONSTANTS:
            return Formula("constant", CONSTANTS[name])
        if name in GREEK:
            return self.symbol(name)
        if name[1:] in FUNCTIONS:
            return self.function(name[1:])
        raise NotAFormula(f"'{name}' is not known")

    def applied(self, node: Node) -> Formula:
        """``\\frac``, ``\\sqrt``, ``\\root``, ``\\binom`` and letters under an accent."""
        if node.text in ACCENTS:
            inner = render(node.args[0])
            # unit vectors look alike under every hat
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
        """What stands between delimiters that match."""
        opening = self.take().text
        inner = self.inside(self.up_to(opening, FENCES[opening]))
        return call(FENCE_CALLS[opening], inner) if opening in FENCE_CALLS else inner

    def list_in_parentheses(self) -> list[Formula]:
        self.take()
        return [self.inside(part) for part in split(self.up_to("(", ")"), (",",))]

    def function(self, name: str) -> Formula:
        """A function with its power, its base and its argument: ``\\sin^{2} x``, ``\\log_{2} 8``."""
        name = ALIASES.get(name, name)
        self.depth += 1  # functions of functions without parentheses nest as well
        if self.depth > DEPTH:
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
        """What a function without parentheses applies to: factors side by side, up to a sign or another function."""
        minus = self.peek() == "-" and self.take().text == "-"
        factors = [self.factor()]
        while self.starts_factor() and not self.at_function():
            factors.append(self.factor())
        return negative(product(factors)) if minus else product(factors)

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

    def up_to(self, opening: str, closing: str) -> Nodes:
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


def _is_prime(exponent: Nodes) -> bool:
    return bool(exponent) and all(node.text in ("'", "\\prime") for node in exponent)


def _is_letter(node: Node) -> bool:
    return node.kind == "letter"
