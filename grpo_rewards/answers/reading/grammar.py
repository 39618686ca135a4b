"""Reads formulas from a tree of LaTeX, with binomials, and recognises what only computer algebra can compare."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from grpo_rewards.answers.formulas.formula import (
    HALF,
    IMAGINARY_UNIT,
    PI,
    TO_INFINITY,
    UNIT_VECTORS,
    Formula,
    call,
    has_symbols,
    holds,
    in_radians,
    negative,
    number,
    power,
    product,
    quotient,
    repeated,
    substituted,
    symbols,
    total,
)
from grpo_rewards.answers.latex.tree import (
    ACCENTS,
    ALIASES,
    BARE_NAMES,
    CROSS_NODE,
    DEGREE,
    FUNCTIONS,
    GREEK,
    INVERSE,
    NEEDS_PARENTHESIS,
    SPACE_NODE,
    TRIGONOMETRIC,
    Node,
    Nodes,
    closing_index,
    flattened,
    render,
    split,
    texts,
    word_set,
)
from grpo_rewards.answers.reading.numerals import read_literal

# Recognises sums and products over an index, and integrals and limits, which only computer algebra can compare.

OPERATORS = word_set(r"\int \sum \prod \lim")
# All that may stand in such a formula. Words may not, because the computer algebra would skip them.
MATHEMATICS = GREEK.union(
    OPERATORS,
    "()[]+-/.!'^_=,",
    word_set(r"\cdot \pi \frac \sqrt \root \binom \to \infty \lfloor \rfloor \lceil \rceil"),
)


def is_mathematics(nodes: Nodes) -> bool:
    """Whether ``nodes`` hold an integral, a sum, a product or a limit, and besides that only formulas: no words."""
    flat = list(flattened(nodes))
    return any(node.text in OPERATORS for node in flat) and all(
        node.kind in ("digits", "letter", "space") or node.text in MATHEMATICS or node.text[1:] in FUNCTIONS
        for node in flat
    )


# Reads a formula from a tree of LaTeX: recursive descent over its nodes, with the usual precedences.
#
# What is not a formula (words, unknown commands, integrals, an equation) is refused, never guessed. Look here if a
# formula is read wrongly, or not read at all.

FORMULA_DEPTH = 41  # levels of formulas, the whole one among them; each takes a few frames of Python's stack
FORMULA_NODES = 1_000  # in one formula
ARGUMENTS = 20  # of the functions that take several
OF_SEVERAL = word_set("min max gcd lcm")
OF_OBJECTS = ("det", "dim")  # of matrices and spaces: their value is not known
HANGING = 6  # powers, factorials and degree signs after one base

REPEATED = {"\\sum": "sum", "\\prod": "product"}
INFINITE = ("\\infty", "+\\infty")
CHOICE_SIGNS = ("C", "A", "P")  # C_{10}^{3} without order; A and P, permutations, in order
STARTS_OF_BINOMIALS = (*CHOICE_SIGNS, "^", "_")
COUNTING_LETTERS = frozenset("nmkrp")
LETTER_CONSTANTS = ("e", "i")
# Letters that name a function if a parenthesis follows: f(x) is not a product.
FUNCTION_LETTERS = "fghFGH"
# Other functions: of capitals and these, a number or a letter in parentheses is the argument.
FUNCTION_COMMANDS = word_set(r"\zeta \Gamma \sigma \varphi \psi \tau \chi \Phi \Psi")
DIFFERENTIAL_OF = word_set(r"x y z t u v r s \theta")
FENCES = {"(": ")", "[": "]", "|": "|", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}
ARGUMENT_BRACKETS = ("(", "\\{")
CLOSED_BY = {**FENCES, "\\{": "\\}"}
BEFORE_A_BAR = word_set(r"+ - / \cdot ( [ ,")
FENCE_CALLS = {"|": "abs", "\\lfloor": "floor", "\\lceil": "ceil"}
ADDITIVE_SIGNS = ("+", "-")
OF_A_NUMBER = word_set(r"- . / \pi")
BEFORE_A_TERM = word_set("+ - = ( [ ,")
TIMES = "\\cdot"
FACTOR_COMMANDS = GREEK | {"\\pi", "\\angle", *REPEATED, *FENCES}
LONGEST_NAME = max(map(len, BARE_NAMES))


class NotAFormula(ValueError):
    """The nodes hold something that cannot be part of a formula, or too much."""


def read_formula(nodes: Nodes) -> Formula | None:
    """The formula that ``nodes`` as a whole spell; ``None`` if they are something else or too large."""
    try:
        return _FormulaReader(nodes, [0], {}).whole()
    except NotAFormula:
        return None


@dataclass
class _FormulaReader:
    """Reads the nodes of one group by recursive descent. ``at`` is the index of the next node."""

    nodes: Nodes
    seen: list[int]  # one number, shared by all groups of a formula: the nodes read so far
    indices: Mapping[str, str]  # the letters that are indices of sums around here, with the names they get
    depth: int = 0
    at: int = 0

    def __post_init__(self) -> None:
        self.end = len(self.nodes)
        self.seen[0] += self.end
        self.deeper()

    def whole(self) -> Formula:
        """The formula of all the nodes."""
        found = self.sum()
        if self.at < self.end:
            raise NotAFormula(f"'{self.peek()}' is not expected")
        return found

    def inside(self, nodes: Nodes) -> Formula:
        """The formula of a group or an argument, one level deeper."""
        return _FormulaReader(nodes, self.seen, self.indices, self.depth).whole()

    def sum(self) -> Formula:
        """Products with plus and minus signs between them."""
        terms: list[Formula] = []
        while not terms or self.peek() in ADDITIVE_SIGNS:
            minus = self.minus()
            if terms:  # 5 + -3x, but not --5
                minus ^= self.minus()
            term = self.product()
            terms.append(negative(term) if minus else term)
        return total(terms)

    def product(self) -> Formula:
        """Factors side by side, or with an operator between them.

        A divisor becomes one more factor, its inverse, so that ``a/b/c/d`` is one flat product.
        """
        factors = [self.factor()]
        while True:
            sign = self.peek()
            if sign == TIMES or (sign, self.peek(1)) == ("\\oplus", "\\mathbb"):
                self.take()
                factors.append(self.signed_factor())
            elif sign == CROSS_NODE.text:
                self.take()
                one, other = factors[-1], self.factor()
                if not has_symbols(one) or not has_symbols(other):
                    factors.append(other)
                    continue
                crossed = call("?cross", *sorted((one, other)))  # which changes its sign with their order
                factors[-1] = crossed if one <= other else negative(crossed)
            elif sign == "/":
                self.take()
                divisor = self.signed_factor()
                # E/RT is E/(RT), but 1/2x may be x/2
                while divisor.kind in ("symbol", "product") and self.at_letter(may_be_apart=divisor.name == "k_{B}"):
                    divisor = product((divisor, self.factor()))
                factors[-1] = quotient(factors[-1], divisor)
            elif self.starts_factor():
                factors.append(self.factor())
            else:
                return product(factors)

    def signed_factor(self) -> Formula:
        """A factor after an operator, perhaps with a sign of its own: the ``-3`` in ``2 \\cdot -3``."""
        return negative(self.factor()) if self.minus() else self.factor()

    def factor(self) -> Formula:
        """A base with the powers, factorials and degree signs that follow it."""
        base = self.base()
        for _ in range(HANGING):
            if self.peek() not in ("^", "!"):
                return base
            node = self.take()
            if node.text == "!":
                is_double = self.peek() == "!"
                if is_double:
                    self.take()
                base = call("double factorial" if is_double else "factorial", base)
            elif node == DEGREE:
                base = call("degree", base)
            else:
                base = power(base, self.inside(node.args[0]))
        raise NotAFormula("too many powers after one another")

    def base(self) -> Formula:
        """A factor without the powers after it: a number, a letter, a command, a function, a group in brackets."""
        if self.at == self.end:
            raise NotAFormula("something is missing")
        node = self.nodes[self.at]
        if node.kind == "digits" or node.text == ".":
            return self.number()
        if node.text in STARTS_OF_BINOMIALS and (binomial := self.binomial()) is not None:
            return binomial
        if node.kind == "letter":
            return self.letters()
        if node.kind == "apply":
            return self.applied(self.take())
        if node.text in FENCES:
            return self.fenced()
        if node.is_words:
            return self.upright()
        if node.kind == "command":
            return self.command()
        raise NotAFormula(f"'{node.text}' is not expected")

    def number(self) -> Formula:
        """A number in digits."""
        found = read_literal(self.nodes[self.at :])
        if found is None:
            raise NotAFormula("not a number")
        value, _, rest = found
        self.at = self.end - len(rest)
        return number(value)

    def letters(self) -> Formula:
        """The function or constant that the next letters spell without a backslash, else one letter as a symbol."""
        spelled = self.spelled()
        if spelled is None:
            letter = self.take().text
            if letter == "d" and self.peek() in DIFFERENTIAL_OF:
                return Formula("symbol", letter + self.take().text)  # dx is no product
            return self.symbol(letter)
        self.at += len(spelled)
        if spelled == "pi":
            return PI
        return self.function(spelled)

    def symbol(self, name: str) -> Formula:
        """A symbol with its index and primes: ``x_{1}``, ``y'``; or one of the constants e and i.

        ``f(x)`` becomes a call of ``?f``; the question mark says that only the name of the function is known. So does
        ``x_{k}`` become a call of ``?x_`` if k is the index of a sum.
        """
        start, base = self.at - 1, name
        if name in self.indices:
            return Formula("symbol", self.indices[name])
        if self.peek() == "_":
            subscript = self.take().args[0]
            if not self.indices.keys().isdisjoint(texts(subscript)):
                return call(f"?{name}_", self.inside(subscript))
            # the index \max is the word max
            name += "_{" + render(subscript).replace("\\m", "m").strip() + "}"
        while self.peek() == "'":
            self.take()
            name += "'"
        if name in LETTER_CONSTANTS:
            return Formula("constant", name)
        is_function = name[0] in FUNCTION_LETTERS
        if self.peek() == "^" and self.peek(1) == "(":
            exponent = render(self.take().args[0])
            is_inverse = exponent == "-1" and (is_function or self.is_value_at_number(start))
            if is_inverse or (exponent.startswith("(") and is_function):  # or the fourth derivative
                name += "^{" + exponent + "}"
            else:
                self.at -= 1
        if self.is_value_at_number(start):
            return call(f"?{name}", *self.list_in_parentheses())
        if self.peek() == "(" and (is_function or name[0].isupper() or base in FUNCTION_COMMANDS):
            opening = self.at
            args = self.list_in_parentheses()
            # f(x + h) and P(2) are values of functions, but g(R + h) and P(1 + r) are products
            if name.rstrip("'") in ("f", "F") or "^" in name or all(arg.kind in ("symbol", "number") for arg in args):
                return call(f"?{name}", *args)
            self.at = opening
        return Formula("symbol", name)

    def is_value_at_number(self, start: int) -> bool:
        """Whether a letter that begins a term stands before a number in parentheses: ``v(1)``, ``y'(0)``, not 2x(3).

        Nobody writes 3v as v(3), so it is the value of a function. ``start`` is the index of the letter.
        """
        if self.peek() != "(" or (start and self.nodes[start - 1].text not in BEFORE_A_TERM):
            return False
        inside = self.nodes[self.at + 1 : self.at + closing_index(self.nodes[self.at :])]
        return all(node.kind == "digits" or node.text in OF_A_NUMBER for node in inside)

    def binomial(self) -> Formula | None:
        """What binomials are written as: ``C_{10}^{3}``, ``C(10, 3)``, ``{}_{10}P_{3}``; else ``None``."""
        start = self.at
        numbers: list[Nodes] = [self.take().args[0]] if self.peek() in ("_", "^") else []
        letter = self.take().text if self.peek() in CHOICE_SIGNS else ""
        if self.peek() == "(" and letter in ("C", "P"):
            numbers = split(self.bracketed(), (",",))
        for sign in ("_", "^")[: 2 - len(numbers)]:
            numbers += [self.take().args[0]] if self.peek() == sign else []
        found = self.choices(letter, *numbers) if letter and len(numbers) == 2 else None
        self.at = start if found is None else self.at
        return found

    def choices(self, letter: str, among: Nodes, chosen: Nodes) -> Formula | None:
        """The number of choices of ``chosen`` things ``among`` others; ``None`` for C_1^2, the square of a constant."""
        try:
            n, k = self.inside(among), self.inside(chosen)
        except NotAFormula:
            return None
        if n.kind == k.kind == "number":
            can_be = n.value.denominator == k.value.denominator == 1 and 0 <= k.value <= n.value
        else:
            can_be = has_symbols(n) and all(
                name in COUNTING_LETTERS or name[0] == "#" for name in symbols(n) | symbols(k)
            )
        if not can_be:
            return None
        found = call("binom", n, k)
        return found if letter == "C" else product((found, call("factorial", k)))

    def upright(self) -> Formula:
        """A name in upright type, ``\\operatorname{arctan}`` or ``\\mathrm{e}``; words are refused."""
        kind, name, *_ = self.take()
        if name.casefold() in FUNCTIONS:
            return self.function(name.casefold())
        if kind == "word" and len(name) <= 3:
            return product([self.symbol(letter) for letter in name])  # abc is a times b times c
        if len(name) == 1 or (kind == "text" and name.isalpha() and name.isupper()):
            return self.symbol(name)
        if name.isalpha() and self.peek() == "(":
            return call(f"?{name}", *self.list_in_parentheses())
        raise NotAFormula(f"'{name}' is a word")

    def command(self) -> Formula:
        """A command without arguments: a constant, a Greek letter or a function."""
        name = self.take().text
        if name in REPEATED:
            return self.repeated(REPEATED[name])
        if name == "\\pi":
            return PI
        if name == "\\hbar":
            return quotient(Formula("symbol", "h"), product((number(2), PI)))
        if name == "\\Delta" and self.at_letter():
            return self.symbol(name + self.take().text)  # a change is no product
        if name in GREEK:
            return self.symbol(name)
        if name[1:] in FUNCTIONS:
            return self.function(name[1:])
        raise NotAFormula(f"'{name}' is not known")

    def repeated(self, name: str) -> Formula:
        """A sum or product over an index, ``\\sum_{k=1}^{n} k^2``, which goes up to the next plus or minus."""
        below, above = self.scripts()
        if texts(below[1:2]) != ["="] or not above:
            raise NotAFormula("a sum without a readable index")
        first = self.inside(below[2:])
        last = None if render(above).strip() in INFINITE else self.inside(above)
        index, outer = f"#{len(self.indices) + 1}", self.indices
        self.indices = {**outer, below[0].text: index}
        self.deeper()  # sums of sums nest as well
        term = negative(self.product()) if self.minus() else self.product()
        self.depth -= 1
        self.indices = outer
        at = Formula("symbol", index)
        if last is not None:
            return repeated(name, index, first, last, term)
        return call(f"?{name}{TO_INFINITY}", at, substituted(term, {at: total([at, first])}))  # as if from 0 on

    def applied(self, node: Node) -> Formula:
        """A command with its arguments: ``\\frac``, ``\\sqrt``, ``\\root``, ``\\binom``, or an accent over a letter."""
        if node.text in ACCENTS:
            inner = render(node.args[0])
            # \hat{i} and \vec{i} are the same unit vector, i; but \vec{v} and v are two symbols
            if inner in UNIT_VECTORS:
                return self.symbol(inner)
            if inner == "Z" and (self.peek(), self.peek(2)) == ("/", "\\mathbb"):  # as in \mathbb{Z}/6\mathbb{Z}
                self.at += 3
                return Formula("symbol", f"{render([node])}_{{{self.nodes[self.at - 2].text}}}")
            return self.symbol(render([node]))  # \dot{x}(1) is the value of a function
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
        opening = self.peek()
        inner = self.inside(self.bracketed())
        return call(FENCE_CALLS[opening], inner) if opening in FENCE_CALLS else inner

    def list_in_parentheses(self) -> list[Formula]:
        """The arguments of a function: formulas in parentheses or braces with commas between them."""
        return [self.inside(part) for part in split(self.bracketed(), (",",))]

    def function(self, name: str) -> Formula:
        """Reads what follows the name of a function: exponent, base and arguments, as in ``\\log_{2}^{3} x``."""
        name = ALIASES.get(name, name)
        self.deeper()  # functions of functions without parentheses nest as well
        below, above = self.scripts()
        if render(above) == "-1" and name in INVERSE:
            name, above = INVERSE[name], ()
        base = self.inside(below) if below else None
        # \\max\\{a, b\\} and \\exp\\{2x\\} are written as well
        args = self.list_in_parentheses() if self.peek() in ARGUMENT_BRACKETS else [self.argument(name)]
        self.depth -= 1
        if len(args) > (ARGUMENTS if name in OF_SEVERAL else 1):
            raise NotAFormula(f"'{name}' of so many")
        if name in OF_OBJECTS or (name in OF_SEVERAL and len(args) == 1):
            return call(f"?{name}", *args)  # also the greatest value of f
        if name in (*TRIGONOMETRIC, "cis"):  # an angle may be in degrees
            args = list(map(in_radians, args))
        if name == "log" and base is not None:
            args.append(base)
        found = power(args[0], HALF) if name == "sqrt" else call(name, *args)
        if name == "cis":
            found = total((call("cos", *args), product((IMAGINARY_UNIT, call("sin", *args)))))
        return power(found, self.inside(above)) if above else found

    def deeper(self) -> None:
        """Counts one more level of formulas within formulas, and refuses too many of them, or too many nodes."""
        self.depth += 1
        if self.depth > FORMULA_DEPTH or self.seen[0] > FORMULA_NODES:
            raise NotAFormula("too large")

    def scripts(self) -> tuple[Nodes, Nodes]:
        """(subscript, superscript) of what has just been read; ``()`` for one that is not there."""
        found: dict[str, Nodes] = {}
        while self.peek() in ("_", "^"):
            node = self.take()
            found[node.text] = node.args[0]
        return found.get("_", ()), found.get("^", ())

    def argument(self, name: str) -> Formula:
        """The argument of a function without parentheses: the factors up to an operator, a function or a bracket."""
        minus = self.minus()
        factors = [self.factor()]
        while self.starts_factor() and (not self.at_function() or self.at_rest_of_angle(name, product(factors))):
            factors.append(self.factor())
        return negative(product(factors)) if minus else product(factors)

    def at_rest_of_angle(self, name: str, factor: Formula) -> bool:
        """Whether a bracket comes next that is the rest of an angle, ``\\sin 2(x - \\frac{\\pi}{6})``.

        Not in ``\\ln 2(x - 1)``, nor in ``\\cos 2(x - 2)``, which may be a slope, nor where the bracket has no unknown.
        """
        if name not in TRIGONOMETRIC or self.peek() != "(" or has_symbols(factor) or holds(factor, ["degree"]):
            return False
        inside = texts(flattened(self.nodes[self.at : self.at + closing_index(self.nodes[self.at :])]))
        is_angle = "\\pi" in inside or factor.kind != "number" or factor.value.denominator > 1
        has_unknown = any(text.isalpha() and text not in LETTER_CONSTANTS for text in inside)
        return is_angle and has_unknown and not any(text[1:] in FUNCTIONS for text in inside)

    def peek(self, ahead: int = 0) -> str:
        """The text of the next node, or of one that comes ``ahead`` nodes later; ``""`` beyond the end."""
        at = self.at + ahead
        return self.nodes[at].text if at < self.end else ""

    def take(self) -> Node:
        """Consumes the next node and returns it."""
        self.at += 1
        return self.nodes[self.at - 1]

    def minus(self) -> bool:
        """Whether a minus sign comes next. It is consumed, and so is a plus sign."""
        return self.peek() in ADDITIVE_SIGNS and self.take().text == "-"

    def starts_factor(self) -> bool:
        """Whether the next node can be a factor with no operator before it: the x in ``2x``."""
        if self.at == self.end:
            return False
        node = self.nodes[self.at]
        if node.kind == "digits":
            # 2 3 and x3 are not products; n2^{n-1}, (x)3 and the 3 + j4 of electricians are
            before = self.nodes[self.at - 1].text
            is_term = self.at > 1 and self.nodes[self.at - 2].text in ADDITIVE_SIGNS
            return self.peek(1) == "^" or before in (")", "]", "!") or (before in ("i", "j") and is_term)
        if node.kind == "mark":
            return node.text in FENCES
        if node.kind == "command":
            return node.text in FACTOR_COMMANDS or node.text[1:] in FUNCTIONS
        if node.is_words:
            return len(node.text) == 1 or node.text.casefold() in FUNCTIONS
        return node.kind in ("letter", "apply")

    def spelled(self) -> str | None:
        """The function or constant that the next letters spell without a backslash; ``None`` if they spell none."""
        following = self.nodes[self.at : self.at + LONGEST_NAME]
        run = "".join(texts(takewhile(lambda node: node.kind == "letter", following)))
        for name in BARE_NAMES if len(run) > 1 else ():
            if run.startswith(name) and (name not in NEEDS_PARENTHESIS or self.peek(len(name)) in ARGUMENT_BRACKETS):
                return name
        return None

    def at_letter(self, may_be_apart: bool = False) -> bool:
        """Whether a letter comes next that is no function or constant, and that no space parts from what is before."""
        node = self.nodes[self.at] if self.at < self.end else SPACE_NODE
        is_joined = may_be_apart or not node.apart
        return node.kind == "letter" and node.text not in LETTER_CONSTANTS and self.spelled() is None and is_joined

    def bracketed(self) -> Nodes:
        """The nodes between the delimiter that comes next and the matching one; both are consumed as well.

        Of bars, which open and close, one after an operator opens: ``||x|-5|``.
        """
        opening = self.take().text
        closing = CLOSED_BY[opening]
        start, depth, opens = self.at, 0, True
        while self.at < self.end:
            text = self.take().text
            if text == closing and not (opening == closing and opens):
                if depth == 0:
                    return self.nodes[start : self.at - 1]
                depth, opens = depth - 1, False
            else:
                depth += text == opening
                opens = text == opening or text in BEFORE_A_BAR
        raise NotAFormula(f"'{closing}' is missing")

    def at_function(self) -> bool:
        """Whether a function or a bracket comes next, which ends the argument of a function without parentheses."""
        node = self.nodes[self.at]
        if node.kind == "letter":
            return self.spelled() not in (None, "pi", "sqrt")
        return node.text in ("(", "[") or node.text[1:] in FUNCTIONS or node.text in REPEATED
