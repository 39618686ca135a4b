"""Finds the arithmetic that a text writes out, and whether it is true: ``16 - 3 - 4 = 9``, ``<<2*3=6>>6``.

Before that: the number that an answer evaluates to, and expressions of plain numbers, which are read exactly.
``amount`` is for comparing with a tolerance and for checking written arithmetic; ``read_arithmetic`` for puzzles, where
the numbers used count as well.
"""

import ast
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple
from zlib import crc32

from grpo_rewards.answers.comparing.steps import read_side
from grpo_rewards.answers.formulas.formula import Formula, TooLarge, computed, half_unit, start
from grpo_rewards.answers.latex.tree import too_long
from grpo_rewards.answers.values.kinds import Approximated, Expression, Named, Number, Value

# Gives the number that an answer evaluates to, for comparing with a tolerance and for checking written arithmetic.

# 70-75 is a range, not the difference -5. What may stand around its numbers: signs of money, units, dollars of LaTeX.
RANGE_END = r"(?:\\?[$€£])?-?\d[\d.,]{0,60}(?:\s?\\?%|\s?(?:\\text\{)?\s?[A-Za-z°]{1,20}\}?)?"
NUMBER_RANGE = re.compile(
    rf"\s*\(?{RANGE_END}\s?(?:-{{1,3}}|–|—|~|\\sim|\\text\{{\s*(?:to|-+|–|through)\s*\}}|\bto\b|\bthrough\b|\\ldots|\\dots|\.\.\.?|\\pm|±)\s?{RANGE_END}\)?\s*"
)
RANGE_WORDS = re.compile(
    r"\b(?:between|from|at (?:least|most)|(?:more|less|fewer|greater) than|up to|or (?:more|less))\b", re.IGNORECASE
)


def amount(text: str) -> Number | None:
    """The real number that a LaTeX text evaluates to; ``None`` if it is not one. Formulas are computed. Never raises.

    A rational number is exact, any other is computed to 30 digits. ``10\\%`` is 10 with the unit ``percent``.

    >>> amount(r"\\frac{1}{3} + 1").value
    Fraction(4, 3)
    """
    start()
    answer = None if too_long(text) else read_side(text)
    try:
        return None if answer is None else _of(answer.value)
    except TooLarge:
        return None


def is_range(text: str) -> bool:
    """Whether a text is a range or a bound and so no number: ``70-75``, ``4 \\pm 1``, "between 3 and 5", "3 to 5".

    >>> is_range("70-75 km"), is_range("-5")
    (True, False)
    """
    return NUMBER_RANGE.fullmatch(text) is not None or RANGE_WORDS.search(text) is not None


def _of(value: Value | None) -> Number | None:
    """The number that a value is, with its unit; ``None`` if the value is not one real number."""
    match value:
        case Named(of=inner) | Approximated(exact=inner) | Expression(measure=Number() | Expression() as inner):
            return _of(inner)
        case Number():
            return value
        case Expression(formula=Formula() as formula):
            number = computed(formula)
            return None if number is None else Number(number, value.unit)
    return None


# Reads an expression of numbers, ``+ - × ÷`` and brackets, and gives its exact value and the numbers in it.
#
# Nothing else is an expression here: no power, no function, no name, no two numbers side by side. Nothing is run.

ARITHMETIC_CHARACTERS = 1_000  # of one expression
ARITHMETIC_DIGITS = 20  # of one number
EXPRESSION_TOKEN = re.compile(
    r"(?:\s|\\[,;:! ]|\\(?:left|right|displaystyle)(?![A-Za-z])|\$)*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<times>\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|\*(?!\*)|[×·∙⋅✕xX])|(?P<over>\\div(?![A-Za-z])|/(?!/)|[÷∕⁄:])"
    r"|(?P<minus>[-−–])|(?P<fraction>\\[dt]?frac\s*\{)|(?P<bar>\}\s*\{)|(?P<end>\})|(?P<sign>[+()\[\]])|(?P<rest>\s*\Z))"
)
# Each token as Python writes it; a number as its place among the numbers.
IN_PYTHON = {"times": "*", "over": "/", "minus": "-", "fraction": "((", "bar": ")/(", "end": "))", "rest": ""}


class NotArithmetic(ValueError):
    """The text is no such expression."""


class TooLong(NotArithmetic):
    """The text, or a number in it, is too long, or it has too many parts."""


class Arithmetic(NamedTuple):
    """What an expression evaluates to, ``None`` after a division by zero, and the numbers in it, in order."""

    value: Fraction | None
    numbers: tuple[Fraction, ...]


def read_arithmetic(text: str) -> Arithmetic:
    """The value of an expression and its numbers, each without a sign that stands before it.

    Raises:
        NotArithmetic: it is no expression.
        TooLong: it has more than 1,000 characters, a number of more than 20 digits, or very many parts.

    >>> read_arithmetic("(1 + 2) × 3").value
    Fraction(9, 1)
    """
    if len(text) > ARITHMETIC_CHARACTERS:
        raise TooLong("too many characters")
    numbers: list[Fraction] = []
    code, at = "", 0
    while at < len(text):
        found = EXPRESSION_TOKEN.match(text, at)
        if found is None:
            raise NotArithmetic("an unknown sign")
        at, kind = found.end(), str(found.lastgroup)
        if kind == "number":
            if len(found[kind]) > ARITHMETIC_DIGITS:
                raise TooLong("a number of too many digits")
            code += f" {len(numbers)}"
            numbers.append(Fraction(found[kind]))
        else:
            code += IN_PYTHON.get(kind, found[kind])
    try:
        value = _evaluated(ast.parse(code.strip(), mode="eval").body, numbers)
    except SyntaxError:
        raise NotArithmetic("no expression") from None
    except (RecursionError, MemoryError):
        raise TooLong("too many parts") from None
    except ZeroDivisionError:
        value = None
    return Arithmetic(value, tuple(numbers))


def uses_only(written: Arithmetic, given: Sequence[Fraction], needs_all: bool) -> bool:
    """Whether an expression uses nothing but the given numbers, each at most once, or (``needs_all``) exactly once.

    >>> uses_only(read_arithmetic("1 - 2/3"), [Fraction(1), Fraction(2), Fraction(3)], needs_all=True)
    True
    """
    used, wanted = Counter(written.numbers), Counter(given)
    return used == wanted if needs_all else used <= wanted


OPERATIONS: dict[type[ast.AST], Callable[..., Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def _evaluated(node: ast.expr, numbers: Sequence[Fraction]) -> Fraction:
    """The value of a part of an expression."""
    match node:
        case ast.List([inner]):  # a bracket
            return _evaluated(inner, numbers)
        case ast.Constant(int(place)):
            return numbers[place]
        case ast.UnaryOp(sign, operand) if type(sign) in OPERATIONS:
            return OPERATIONS[type(sign)](_evaluated(operand, numbers))
        case ast.BinOp(left, sign, right) if type(sign) in OPERATIONS:
            return OPERATIONS[type(sign)](_evaluated(left, numbers), _evaluated(right, numbers))
        case _:
            raise NotArithmetic("no expression")


# Reads a text into chains of sides with a sign of equality between them: ``2 + 3 = 5 = 10/2``.
#
# Neighbouring tokens of arithmetic (numbers, operators, brackets, signs of equality) form a run. Any other token ends
# it: most often a word, unless the word is the unit of a number. So does a bracket without a partner. A side of which a
# part may be missing is left out: ``log 2 + 1``, ``Total - 5``, ``12:30 - 1``. The scan takes linear time.

MOST_TOKENS = 10_000  # of a sentence; the rest is not read
UNIT_TOKENS = 6  # that a unit and the spaces around it may have
# What is counted in Chinese, Japanese or Korean, joined to a number. 倍, 半, 方, 的 and 之 change the number's value.
COUNTED = "(?:(?![倍半方的之])[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]){1,4}"
LETTER_OF_WORD = "[A-Za-z\u00c0-\u024f\u0370-\u04ff]"
# No unbounded quantifier stands inside another one, so that no text makes this slow.
ARITHMETIC_TOKEN = re.compile(
    r"(?P<unread>\d+(?::\d+)+|\d+(?:\.\d+)?[eE][-+]?\d+|\d*\.\d+\s?(?:\.\.|…|\\[lc]?dots)|\d+,(?:\d\d?|\d{4,})(?!\d))"
    r"|(?P<power>\^\{\s?-?\d{1,9}(?:[./]\d{1,9})?\s?\}|(?<=[\d)])\*\*(?=[\d(])|(?<=[\d)] )\*\*(?= [\d(])"
    r"|(?<=[\d)])[⁰¹²³⁴-⁹]{1,3})"
    r"|(?P<factorial>\d{1,3}!(?=\s=(?!=)|\s?(?:[/*×]|\\(?:cdot|times|div))))"
    r"|(?P<number>(?:\\?\$)?(?:(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:\\?%)?)"
    r"|(?P<fraction>\\[dt]?frac\s?(?:\d|\{[^{}]{1,60}\})\s?(?:\d(?!\.?\d)|\{[^{}]{1,60}\}))"
    r"|(?P<text>\\(?:text|mbox|mathrm)\{[^{}]{0,60}\}(?:\^\{?\d\}?)?)"
    r"|(?P<space>(?:[ \t~&]|\\[,;! ])+|[$€£¥₹₩₽]|\*\*|__)"
    r"|(?P<times>\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|[*×·])"
    r"|(?P<operator>\\div(?![A-Za-z])|[-+/÷−–^])"
    r"|(?P<sign>\\approx(?![A-Za-z])|[=≈])"
    r"|(?P<open>(?:\\left\s?)?[(\[])|(?P<close>(?:\\right\s?)?[)\]])"
    r"|(?P<delimiter>\\[()\[\]])"
    r"|(?P<word>(?:[A-Za-z]{2,}|[mgk])/[A-Za-z]{1,8}(?![A-Za-z(])|(?<=\d)/(?:[A-Za-z]{3,}|[hsd])(?![A-Za-z(])"
    rf"|{LETTER_OF_WORD}{{2,}}(?:'s|\^\{{?\d\}}?|[²³])?|{LETTER_OF_WORD}'s)"
    rf"|(?P<letter>{LETTER_OF_WORD}(?:\^\{{?\d\}}?|[²³])?)"
    rf"|(?P<counted>{COUNTED})"
    r"|(?P<other>(?:.|\n))"
)
RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
UNMARKED = str.maketrans("", "", ",$\\")  # of a number
PLAIN_OPERATORS = {"−": "-", "–": "-", "÷": "/", "\\div": "/"}
# Words that change the value of what follows them, and the sign that does in "(7 + 8) % 12 + 1".
FUNCTION_WORDS = frozenset(
    "% log ln lg exp sin cos tan cot sec csc sqrt abs max min gcd lcm mod div xor floor ceil plus minus times"
    " negative".split()
)
LIST_NUMBER_KINDS = ["open", "number", "close", "space", "number"]  # the number of a list's item: "(2) 3 + 4"
NUMBER_KINDS = frozenset({"number", "fraction", "power", "factorial"})  # without one a run says nothing
JOINING_KINDS = NUMBER_KINDS | {"space", "times", "operator", "sign", "open", "close"}
OPENING_SIGNS = ("\\", "{", "(", "[")


class _Token(NamedTuple):
    kind: str
    text: str


class Side(NamedTuple):
    """A side of an equation in LaTeX, without its unit, and the sign of equality behind it or ``""``."""

    text: str
    sign: str
    has_unit: bool


UNIT_TOKEN, NO_TOKEN, END_OF_CHAIN = _Token("unit", ""), _Token("other", ""), _Token("sign", "")


def chains(text: str) -> Iterator[list[Side]]:
    """The sides of what may be a chain in a text, one after the other: two or more if it is one."""
    run: list[_Token] = []
    before = NO_TOKEN
    found = islice(ARITHMETIC_TOKEN.finditer(text), MOST_TOKENS)
    tokens = [_Token(match.lastgroup or "", match[0]) for match in found]
    for index, token in enumerate([*tokens, NO_TOKEN]):
        joining = token if token.kind in JOINING_KINDS else _joining(token, run, tokens[index + 1 : index + 3])
        if joining is not None:
            run.append(joining)
            continue
        if any(one.kind == "sign" for one in run):
            start, ended = 0, [*run, token]
            for at in [*_lone_brackets(run), len(run)]:  # a bracket without a partner on the same side splits the run
                yield _sides(run[start:at], before, ended[at])
                start, before = at + 1, ended[at]
        run, before = [], token


def _joining(token: _Token, run: list[_Token], following: list[_Token]) -> _Token | None:
    """A token that does not join every run, as it joins this one: as a unit or a times; ``None`` if it ends the run."""
    if token.kind == "text":
        return UNIT_TOKEN
    last = next((one.kind for one in reversed(run[-UNIT_TOKENS:]) if one.kind not in ("space", "unit")), "")
    if token.kind not in ("word", "letter", "counted") or last not in NUMBER_KINDS | {"close"}:
        return None
    behind = next((one.kind for one in following if one.kind != "space"), "other")
    if token.text in ("x", "X", "of", "times") and behind in ("number", "open", "fraction"):
        return _Token("times", "*")  # 2 x 3, 20% of 50
    if token.kind == "letter":
        return None
    if behind in ("word", "letter"):  # 4 red apples, 3 of the apples
        return UNIT_TOKEN if token.text == "of" or run[-1].kind == "space" else None
    return UNIT_TOKEN if behind in ("times", "operator", "sign", "close") else None


def _lone_brackets(run: list[_Token]) -> list[int]:
    """The indices of the brackets without a partner on the same side, in order."""
    opened: list[int] = []
    lone = []
    for index, token in enumerate(run):
        if token.kind == "open":
            opened.append(index)
        elif token.kind == "close" and opened:
            opened.pop()
        elif token.kind == "close":
            lone.append(index)
        elif token.kind == "sign":
            lone += opened
            opened = []
    return lone + opened


def _sides(run: list[_Token], before: _Token, behind: _Token) -> list[Side]:
    """The sides of a chain, without a first or last one that is only part of something longer in the text."""
    if not run:
        return []
    kinds = [one.kind for one in run[:6]]
    at = kinds[:1] == ["space"]
    run = run[at + 3 :] if kinds[at : at + 5] == LIST_NUMBER_KINDS else run
    sides: list[Side] = []
    parts: list[str] = []
    has_unit = False
    for token in (*run, END_OF_CHAIN):
        if token.kind == "sign":
            sides.append(Side("".join(parts).strip(), token.text, has_unit))
            parts, has_unit = [], False
        else:
            parts.append(_spelled(token))
            has_unit |= token.kind == "unit"
    if _goes_on(sides[0].text, before, is_attached=run[0].kind != "space"):
        sides = sides[1:]
    is_open = run[-1].kind != "space" and (_is_name(behind) or behind.text in OPENING_SIGNS)
    return sides[:-1] if is_open or behind.kind == "unread" else sides


def _goes_on(first: str, before: _Token, is_attached: bool) -> bool:
    """Whether the first side is only the end of a longer one, such as "2x + 3", "log 2 + 1", "x_1 + 3", "Total - 5"."""
    if not first or first[0] in "+/^*" or first.startswith(("\\times", "- ")):
        return True
    if is_attached and (before.kind in ("word", "unread", "close") or _is_name(before) or before.text == "√"):
        return True
    return before.text.lower() in FUNCTION_WORDS or (_is_name(before) and first[0] in "-(")


def _is_name(token: _Token) -> bool:
    """Whether a token is a variable or the end of one: ``x``, or the ``_`` or ``}`` of ``x_{1}``."""
    return token.kind == "letter" or token.text in ("}", "_")


def _spelled(token: _Token) -> str:
    """A token in LaTeX, as ``amount`` reads it."""
    if token.kind == "space":
        return " "
    if token.kind == "power":
        raised = token.text.translate(RAISED_DIGITS)
        return "^" if raised == "**" else raised if raised.startswith("^") else f"^{{{raised}}}"
    if token.kind == "times":
        return "\\times "
    if token.kind == "number":
        return token.text.translate(UNMARKED).replace("%", "\\%")
    return PLAIN_OPERATORS.get(token.text, token.text)


# Finds the sentences whose false equations are not listed: they compute modulo a number, with whole numbers only or in
# another base, or they call an equation false, or question it.

NUMBER_NAME = "two|three|four|five|six|seven|eight|nine|eleven|twelve|sixteen"
CALLED_FALSE = (
    r"(?:false|wrong|incorrect|untrue|a mistake|an error|impossible|not (?:true|correct|right|valid|the case|possible))"
)
NOT_MEANT = re.compile(
    r"(?<![a-z])[pb]?mod(?:ulo)?(?![a-z])(?:[ \t${}]|\\[,;:! ]){0,6}\w"
    rf"|(?:\bin |\()(?:base[- ](?:(?!10\b)\d{{1,2}}|(?:{NUMBER_NAME}))|binary|ternary|octal|hex|hexadecimal)\b"
    r"|\bin (?:ℤ|Z|F|\$?\\mathbb\{?\s?[ZF]\}?)\s?[/_]|\bin GF\(|-hour clock|[二三四五六七八九]进制"
    r"|\d,? ?(?:and |with )?(?:a |the )?(?:(?:remainder|rem|Rest|reste|resto)\b|R ?\d|余|餘|あまり)"
    r"|\bleft over\b|\d(?:…{1,2}|\.{3,6})(?=\d)"
    r"|\b(?:integer|floor|whole[- ]number|truncating) division\b|(?:when |if |\()(?:rounded|truncated|floored)\b"
    rf"|\b(?:is|was|would be) (?:clearly |simply |also |just )?{CALLED_FALSE}\b(?! (?:that|to)\b)"
    rf"|\b{CALLED_FALSE}(?: to (?:say|write|claim|think))? that[ :]"
    r"|(?:n['’]t|does not|cannot) (?:be )?(?:true|correct|right|hold)\b|[✗❌?？]|错|錯|不对|不對|不成立|不正确|不正確",
    re.IGNORECASE,
)
END_OF_SENTENCE = re.compile(r"(?<=[^\\][.?])\s|(?<=[。？])|(?<!:)\n")

SCANNED_CHARACTERS = 100_000  # at the start of a text; the rest is not read
MOST_EQUATIONS = 500  # of a text; further ones are not looked at
SENTENCES_WITH_SIGNS = 3_000  # with a sign of equality; further ones are not looked at
SIDE_CHARACTERS = 200  # an equation with a longer side is left out
# Behind LaTeX's break of a line, an operator goes on with the sum before it; so does what follows one at its end.
JOINING_BREAK = re.compile(
    r"\\\\[\s&]{0,20}(?=[-+*/×÷·^]|\\(?:times|cdot|div)(?![A-Za-z]))|(?:(?<=[-+*/×÷·])|(?<=[-+*/×÷·] ))\\\\(?!\w)"
)
# What parts two equations. Before letters and most signs, two backslashes are one that was escaped: \\frac, \\,
PARTING_COMMAND = re.compile(
    r"\\(?:q?quad|[Rr]ightarrow|implies|iff|therefore|newline|tag\{[^{}]{0,20}\})(?![A-Za-z])"
    r"|\\(?:begin|end)\{[a-z]{1,20}\*?\}(?:\{[lcr|]{1,20}\})?"
    r"|\\\\(?![A-Za-z]{2}|[,;:!%$#_{}])\*?(?:\s?\[[\d.]{1,5}(?:pt|em|ex|mm)\])?"
)
BULLET = re.compile(r"^[ \t]{0,8}\*[ \t]", re.MULTILINE)
# Commands that only set a style. The contents may have braces, but not nested ones.
STYLE_COMMAND = re.compile(r"\\(?:boxed|fbox|textbf|mathbf)\s?\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
THOUSANDS = re.compile(r"(?<=\d)(?:\{,\}|,\\!)(?=\d{3})")
SIGN_OF_EQUALITY = re.compile(r"[=≈]|\\approx")
# Full-width characters, except commas and colons, and the digits and signs of other scripts.
PLAIN_CHARACTERS = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if code not in (0xFF0C, 0xFF1A)}
    | {zero + n: ord("0") + n for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50) for n in range(10)}
    | str.maketrans("∗⋅∙✕✖➗‑‒٫", "*··××÷--.")
)
CALCULATOR_NOTE = re.compile(r"<<([^<>\n]{1,200})>>")
COMPUTES = re.compile(r"(?<=.)[-+/^!]|\\times|frac|[\d)] ?\(")
CACHED_SIDES = 4_096
PLAIN_SIDE = re.compile(r"-? ?\d{1,12}(?:\.\d{1,7})?(?: ?(?:[-+/]|\\times) ?\d{1,12}(?:\.\d{1,7})?)*")
PERCENT = re.compile(r"([\d.]+)\\%")
NUMBER_WITHOUT_PERCENT = re.compile(r"[\d.]+(?![\d.]|\\%)")
LONE_NUMBER = re.compile(r"[-+]?[\d.]+(?: ?/ ?[\d.]+)?(?:\\%)?|\\[dt]?frac\{[\d.]+\}\{[\d.]+\}")
HUNDRED = re.compile(r"(?<![\d.])100(?![\d.]|\\%)")
DECIMALS = re.compile(r"-? ?\d*\.?(\d*)(?:\\%)?")
# Where one equation may end and the next one begin, with nothing but a space between them.
NEXT_EQUATION = re.compile(r"(?<=[\d)}%!]) +(?=[\d(.\\]|-\d)")
# The numbers of a side. Exponents stay as they are, and a factorial is a number of its own.
NUMBER_OF_SIDE = re.compile(r"\^(?:\{[^{}]*\}|\d+)|(\d+(?:\.\d+)?|\.\d+)(!?)")
ANOTHER_NUMBER = 10**10  # larger than those of texts
INSIGNIFICANT = re.compile(r"(?<![\d.])0+(?=\d)|\s+")  # zeros before a number, and spaces, make no other equation


class Equation(NamedTuple):
    """Two neighbouring sides of a chain, and whether they are equal. ``str()`` writes the equation out."""

    left: str
    sign: str
    right: str
    is_true: bool

    def __str__(self) -> str:
        text = f"{self.left} {self.sign} {self.right}".replace("\\times ", "* ").replace("\\approx", "≈")
        return " ".join(text.split())


def equations(text: str) -> list[Equation]:
    """The distinct equations of arithmetic that a text writes out, in order.

    - At least one side computes something: ``5 = 5`` is left out. So is a true equation that would be true of any other
      numbers: ``7 + 0 = 7``, ``2 + 3 = 3 + 2``, ``3 - 3 + 5 = 5``, ``8 / 8 = 1``. In a chain, what follows a
      computation is listed as well if it is false: ``7 = 8`` in ``3 + 4 = 7 = 8``.
    - A decimal on the right may be a correct rounding of the left side; behind ``\\approx``, so may a whole number.
    - Units are ignored. ``50%`` is 0.5, but may be 50 where one side counts in hundredths: ``1/2 * 100 = 50%``,
      ``20% + 30% = 50``.
    - In a sentence that computes modulo a number, with a remainder, with integer division or in another base, or that
      calls an equation false or asks a question, only true equations are listed: ``9 + 5 = 2 (mod 12)`` is left out.
    - Spaces may part one equation from the next: ``1+1=2 2+2=4`` are two.
    - A number with a decimal comma (``5/2 = 2,5``) is not read.
    - Only the first 100,000 characters are read, of a sentence 10,000 words, numbers and signs, and of sentences with a
      sign of equality 3,000. At most 500 equations are returned.

    >>> [str(one) for one in equations("He has 3 + 4 = 7 pens, so 7 * $2 = $15.") if not one.is_true]
    ['7 * 2 = 15']
    """
    found: dict[str, Equation] = {}
    for sentence in _sentences(text[:SCANNED_CHARACTERS]):
        written = [one for sides in chains(sentence) for one in _links(sides)]
        is_meant = all(one.is_true for one in written) or not NOT_MEANT.search(sentence)
        for one in written:
            if one.is_true or is_meant:
                found.setdefault(INSIGNIFICANT.sub("", f"{one.left}={one.right}"), one)
        if len(found) >= MOST_EQUATIONS:
            break
    return list(found.values())[:MOST_EQUATIONS]


def _sentences(text: str) -> Iterator[str]:
    """The sentences and lines with a sign of equality, in plain characters; first what calculators were given."""
    text = text if text.isascii() else text.translate(PLAIN_CHARACTERS)
    if "\\" in text:
        text = STYLE_COMMAND.sub(r" \1 ", PARTING_COMMAND.sub(" ; ", JOINING_BREAK.sub(" ", text)))
    text = THOUSANDS.sub(",", BULLET.sub("", text))
    # <<2*3=6>>6: the input of a calculator is a text of its own, and must not run into the text around it
    sentences = [*CALCULATOR_NOTE.findall(text), *END_OF_SENTENCE.split(CALCULATOR_NOTE.sub(" ", text))]
    return islice(filter(SIGN_OF_EQUALITY.search, dict.fromkeys(sentences)), SENTENCES_WITH_SIGNS)


def _links(sides: list[Side]) -> Iterator[Equation]:
    """The equations between the neighbouring sides of a chain, or of several that only spaces part: ``1+1=2 2+2=4``."""
    begin = 0  # of the left side
    has_computed = False
    for before, behind in pairwise(sides):
        left, sign, right = before.text[begin:], before.sign, behind.text
        gap = NEXT_EQUATION.search(right) if len(right) <= SIDE_CHARACTERS else None
        # "5/2 = 2 1/2" and "5 * 300 = 1 500" are one equation
        begin = 0
        if gap is not None and not _is_true(left, sign, right):
            right, begin = right[: gap.start()], gap.end()
        computes = any(COMPUTES.search(side) for side in (left, right))
        has_computed |= computes
        # "1/2 hour = 30 minutes" converts a unit, and "5 friends = 250/5" says what each friend gets: no equations
        converts = before.has_unit and LONE_NUMBER.fullmatch(left)
        if has_computed and not converts and max(len(left), len(right)) <= SIDE_CHARACTERS:
            is_true = _is_true(left, sign, right)
            if is_true is False or (is_true and computes and not _is_trivial(left, right)):
                yield Equation(left, sign, right, is_true)
        if begin:
            has_computed = False


@lru_cache(maxsize=CACHED_SIDES)
def _is_trivial(left: str, right: str) -> bool:
    """Whether an equation stays true with other numbers in place of its own, so that it says nothing about these.

    ``7 + 0 = 7`` does, and ``2 + 3 = 3 + 2`` and ``3 - 3 + 5 = 5``. Only 0, 1 and exponents stay.
    """
    value = _value(NUMBER_OF_SIDE.sub(_another_number, left))
    return value is not None and value == _value(NUMBER_OF_SIDE.sub(_another_number, right))


def _another_number(found: re.Match[str]) -> str:
    """A large number that only depends on the value of the one that was found; 0, 1 and exponents as they are."""
    if found[1] is None or Fraction(found[1]) in (0, 1):
        return found[0]
    return str(ANOTHER_NUMBER + crc32(f"{Fraction(found[1])}{found[2]}".encode()))


def _is_true(left: str, sign: str, right: str) -> bool | None:
    """Whether two sides are equal; ``None`` if one of them cannot be read."""
    one, other = _value(left), _value(right)
    if one is None or other is None:
        return None
    if _agree(one, other, right, sign):
        return True
    if "%" in right:
        return "%" not in left and HUNDRED.search(left) is not None and _agree(one / 100, other, right, sign)
    if "%" in left:
        return NUMBER_WITHOUT_PERCENT.search(left) is None and _agree(one * 100, other, right, sign)
    return False


@lru_cache(maxsize=CACHED_SIDES)
def _value(side: str) -> Fraction | None:
    """The number that a side evaluates to; ``50%`` is 0.5."""
    if PLAIN_SIDE.fullmatch(side):  # as nearly always: no need to read it as a formula
        return read_arithmetic(side).value
    read = amount(PERCENT.sub(r"(\1/100)", side))
    return None if read is None else read.value


def _agree(left: Fraction, right: Fraction, written: str, sign: str) -> bool:
    """Whether both sides are equal, or the right one, as it is ``written``, is a rounding of the left one."""
    decimals = DECIMALS.fullmatch(written)
    if left == right or decimals is None:
        return left == right
    places, hundredths = len(decimals[1]), 2 if "%" in written else 0
    return (places > 0 or sign != "=") and abs(left - right) <= half_unit(places + hundredths)
