"""Finds the arithmetic that a text writes out, and whether it is true: ``16 - 3 - 4 = 9``, ``<<2*3=6>>6``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import NamedTuple
from zlib import crc32

from grpo_rewards.answers.amounts import amount
from grpo_rewards.answers.formulas.high_precision import rounds

# Reads LaTeX's layout as plain text: what breaks a line, what parts two equations, and fractions without braces.

# \\, \\[2pt] and \\*. Before letters and most signs, two backslashes are one that was escaped: \\frac, \\,
LATEX_BREAK = r"(?:\\\\(?![A-Za-z]{2}|[,;:!%$#_{}])\*?+(?:\s?\[[\d.]{1,5}(?:pt|em|ex|mm)\])?|\\newline(?![A-Za-z]))"
# Behind a break, an operator goes on with the sum before it; so does what follows a break behind an operator.
JOINING_OPERATOR = r"[-+*/×÷·^]|\\(?:times|cdot|div)(?![A-Za-z])"
JOINING_BREAK = re.compile(
    rf"{LATEX_BREAK}[\s&]{{0,20}}(?={JOINING_OPERATOR})|(?:(?<=[-+*/×÷·])|(?<=[-+*/×÷·] )){LATEX_BREAK}"
)
LINE_BREAK = re.compile(rf"{LATEX_BREAK}|\\(?:begin|end)\{{[a-z]{{1,20}}\*?\}}(?:\{{[lcr|]{{1,20}}\}})?")
PARTING_COMMAND = re.compile(r"\\(?:q?quad|[Rr]ightarrow|implies|iff|therefore|tag\{[^{}]{0,20}\})(?![A-Za-z])")
FRACTION_PART = r"\s?(?:(\d)|\{([^{}]{1,60})\})"
SHORT_FRACTION = re.compile(
    rf"\\([dt]?)frac(?=\s?\d|\{{[^{{}}]{{1,60}}\}}\s?\d){FRACTION_PART}{FRACTION_PART}(?!\d|\.\d)"
)


def plain_lines(text: str) -> str:
    """The text with line breaks where LaTeX has them, and braces around the parts of each fraction.

    >>> plain_lines(r"3+4&=7\\\\[2pt]\\frac12+\\frac12=1")
    '3+4&=7\\n\\\\frac{1}{2}+\\\\frac{1}{2}=1'
    """
    if "\\" not in text:
        return text
    text = LINE_BREAK.sub("\n", JOINING_BREAK.sub(" ", text))
    return SHORT_FRACTION.sub(_braced, text) if "frac" in text else text


def parted(text: str) -> str:
    """The text with a semicolon for each command that ends an equation: ``\\quad``, ``\\implies``, ``\\tag{1}``."""
    return PARTING_COMMAND.sub(" ; ", text) if "\\" in text else text


def _braced(fraction: re.Match[str]) -> str:
    size, *parts = fraction.groups()
    above, below = (one for one in parts if one is not None)
    return f"\\{size}frac{{{above}}}{{{below}}}"


# Reads a text into chains of sides with a sign of equality between them: ``2 + 3 = 5 = 10/2``.
#
# Neighbouring tokens of arithmetic (numbers, operators, brackets, signs of equality) form a run. Any other token ends
# it: most often a word, unless the word is the unit of a number. So does a bracket without a partner. A side of which a
# part may be missing is left out: ``log 2 + 1``, ``Total - 5``, ``12:30 - 1``. The scan takes linear time.

MOST_TOKENS = 10_000  # of a line; the rest is not read
UNIT_TOKENS = 6  # that a unit and the spaces around it may have
# What Chinese, Japanese and Korean count in, joined to a number. Words that change its value, such as 倍, are none.
COUNTED = (
    "千米|厘米|毫米|公里|平方米|千克|公斤|毫升|小时|分钟|美元|日元|人民币|欧元|名学生|支铅笔|个苹果|个人|個人|時間|時間|リットル|キロ"
    "|メートル|グラム|ドル|시간|마리|자루|달러|미터|그램|사람|[个個只支本元块塊角分米克斤吨升天秒年月日周歳岁名位人张張把条條颗顆粒箱盒袋瓶杯"
    "件套次页頁枚円冊台匹回개명원권장분초일번살]"
)
# No unbounded quantifier stands inside another one, so that no text makes this slow.
ARITHMETIC_TOKEN = re.compile(
    r"(?P<unread>\d+(?::\d+)+|\d+(?:\.\d+)?[eE][-+]?\d+|\d*\.\d+\s?(?:\.\.|…|\\[lc]?dots))"
    r"|(?P<power>\^\{\s?-?\d{1,9}(?:[./]\d{1,9})?\s?\}|(?<=[\d)])\*\*(?=[\d(])|(?<=[\d)] )\*\*(?= [\d(])"
    r"|(?<=[\d)])[⁰¹²³⁴-⁹]{1,3})"
    r"|(?P<factorial>\d{1,3}!(?=\s=(?!=)|\s?(?:[/*×]|\\(?:cdot|times|div))))"
    r"|(?P<number>(?:\\?\$)?(?:(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:\\?%)?)"
    r"|(?P<fraction>\\[dt]?frac\{[^{}]{1,60}\}\{[^{}]{1,60}\})"
    r"|(?P<text>\\(?:text|mbox|mathrm)\{[^{}]{0,60}\}(?:\^\{?\d\}?)?)"
    r"|(?P<space>(?:[ \t~&]|\\[,;! ])+|[$€£¥₹₩₽]|\*\*|__)"
    r"|(?P<times>\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|[*×·])"
    r"|(?P<operator>\\div(?![A-Za-z])|[-+/÷−–^])"
    r"|(?P<sign>\\approx(?![A-Za-z])|[=≈])"
    r"|(?P<open>(?:\\left\s?)?[(\[])|(?P<close>(?:\\right\s?)?[)\]])"
    r"|(?P<delimiter>\\[()\[\]])"
    r"|(?P<word>(?:[A-Za-z]{2,}|[mgk])/[A-Za-z]{1,8}(?![A-Za-z(])|(?<=\d)/(?:[A-Za-z]{3,}|[hsd])(?![A-Za-z(])"
    r"|[A-Za-z\u00c0-\u024f\u0370-\u04ff]+(?:'s|\^\{?\d\}?|[²³])?)"
    rf"|(?P<counted>{COUNTED})"
    r"|(?P<comma>(?<=\d),(?=\d))"
    r"|(?P<other>(?:.|\n))"
)
RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
PLAIN_OPERATORS = {"−": "-", "–": "-", "÷": "/", "\\div": "/"}
# Words that change the value of what follows them.
FUNCTION_WORDS = frozenset(
    "log ln lg exp sin cos tan cot sec csc sqrt abs max min gcd lcm mod div xor floor ceil plus minus times"
    " negative".split()
)
LIST_NUMBER_KINDS = ["open", "number", "close", "space", "number"]  # the number of a list's item: "(2) 3 + 4"
NUMBER_KINDS = frozenset({"number", "fraction", "power", "factorial"})  # without one a run says nothing
JOINING_KINDS = NUMBER_KINDS | {"space", "times", "operator", "sign", "open", "close"}
EXPONENT_CHARACTERS = "^{}0123456789²³"  # behind a unit or a letter
OPENING_SIGNS = ("\\", "_", "{", "(", "[")


class _Token(NamedTuple):
    kind: str
    text: str


class Side(NamedTuple):
    """A side of an equation.

    Attributes:
        text: the side in LaTeX.
        sign: the sign of equality behind it, or ``""``.
        has_unit: whether it has a unit, which the text leaves out.
        is_doubtful: whether it may be part of a number with a decimal comma: ``5/2 = 2,5``.
    """

    text: str
    sign: str = ""
    has_unit: bool = False
    is_doubtful: bool = False


NO_TOKEN, END_OF_CHAIN = _Token("other", ""), _Token("sign", "")


def chains(text: str) -> Iterator[list[Side]]:
    """The sides of every chain in a text, chain by chain."""
    run: list[_Token] = []
    before = NO_TOKEN
    found = islice(ARITHMETIC_TOKEN.finditer(text), MOST_TOKENS)
    tokens = [_Token(match.lastgroup or "", match.group()) for match in found]
    for index, token in enumerate(tokens):
        read = token if token.kind in JOINING_KINDS else _read(token, run, tokens[index + 1 : index + 3])
        if read is not None:
            run.append(read)
            continue
        yield from _parts(run, before, token)
        run, before = [], token
    yield from _parts(run, before, NO_TOKEN)


def _read(token: _Token, run: list[_Token], following: list[_Token]) -> _Token | None:
    """A token that does not join every run, as it joins this one; ``None`` if it ends the run."""
    if token.kind == "word":
        behind = next((one for one in following if one.kind != "space"), NO_TOKEN)
        if _is_times(token, run, behind):
            return _Token("times", "*")
        return _Token("unit", "") if _is_unit(token, run, behind) else None
    if token.kind == "counted":
        goes_on = bool(following) and following[0].kind in ("space", "times", "operator", "sign", "close")
        return _Token("unit", "") if goes_on and _ends_in_number(run) else None
    if token.kind == "text":
        return _Token("unit", "")
    return None


def _parts(run: list[_Token], before: _Token, behind: _Token) -> Iterator[list[Side]]:
    """The sides of each chain in a run of tokens. A bracket without a partner on the same side splits the run."""
    kinds = {one.kind for one in run}
    if "sign" not in kinds or kinds.isdisjoint(NUMBER_KINDS):
        return
    start = 0
    for at in [*sorted(_lone(run)), len(run)]:
        ending = run[at] if at < len(run) else behind
        sides = _sides(run[start:at], before, ending)
        if len(sides) > 1:
            yield sides
        start, before = at + 1, ending


def _lone(run: list[_Token]) -> set[int]:
    """The indices of the brackets without a partner on the same side."""
    opened: list[int] = []
    lone = set()
    for index, token in enumerate(run):
        if token.kind == "open":
            opened.append(index)
        elif token.kind == "close" and opened:
            opened.pop()
        elif token.kind == "close":
            lone.add(index)
        elif token.kind == "sign":
            lone.update(opened)
            opened = []
    return lone.union(opened)


def _is_unit(word: _Token, chain: list[_Token], behind: _Token) -> bool:
    """Whether a word is the unit of the number before it, and the arithmetic goes on behind it."""
    if _is_letter(word) or not chain:
        return False
    if behind.kind not in ("times", "operator", "sign", "close", "word"):
        return False
    if behind.kind == "word":
        return word.text == "of" or (chain[-1].kind == "space" and _ends_in_number(chain))
    return _ends_in_number(chain)


def _is_times(word: _Token, chain: list[_Token], behind: _Token) -> bool:
    """Whether a word multiplies: ``2 x 3``, ``20% of 50``."""
    if word.text not in ("x", "X", "of", "times") or not _ends_in_number(chain):
        return False
    return behind.kind in ("number", "open", "fraction")


def _ends_in_number(chain: list[_Token]) -> bool:
    last = next((one for one in reversed(chain[-UNIT_TOKENS:]) if one.kind not in ("space", "unit")), None)
    return last is not None and last.kind in ("number", "close", "fraction", "factorial", "power")


def _sides(chain: list[_Token], before: _Token, behind: _Token) -> list[Side]:
    """The sides of a chain, without a first or last one that is only part of something longer in the text."""
    kinds = [one.kind for one in chain[:6]]
    at = int(kinds[:1] == ["space"])
    chain = chain[at + 3 :] if kinds[at : at + 5] == LIST_NUMBER_KINDS else chain
    sides: list[Side] = []
    parts: list[str] = []
    has_unit = False
    for token in (*chain, END_OF_CHAIN):
        if token.kind == "sign":
            sign = {"": "", "=": "="}.get(token.text, "\\approx")
            sides.append(Side("".join(parts).strip().rstrip(",").strip(), sign, has_unit))
            parts, has_unit = [], False
        else:
            parts.append(_spelled(token))
            has_unit = has_unit or token.kind == "unit"
    sides[0] = sides[0]._replace(is_doubtful=before.kind == "comma")
    sides[-1] = sides[-1]._replace(is_doubtful=sides[-1].is_doubtful or behind.kind == "comma")
    if _goes_on(sides[0].text, before, is_attached=bool(chain) and chain[0].kind != "space"):
        sides = sides[1:]
    is_open = bool(chain) and chain[-1].kind != "space" and (_is_name(behind) or behind.text in OPENING_SIGNS)
    return sides[:-1] if is_open or behind.kind == "unread" else sides


def _goes_on(first: str, before: _Token, is_attached: bool) -> bool:
    """Whether the first side is only the end of a longer one, such as "2x + 3", "log 2 + 1", "x_1 + 3", "Total - 5"."""
    if not first or first[0] in "+/^*" or first.startswith(("\\times", "- ")):
        return True
    if before.text == "%":  # "(7 + 8) % 12 + 1", or a percent sign that stands apart
        return True
    if is_attached and (before.kind in ("word", "unread", "close") or before.text in ("_", "}", "√")):
        return True
    return before.text.lower() in FUNCTION_WORDS or (_is_name(before) and first[0] in "-(")


def _is_name(token: _Token) -> bool:
    """Whether a token is a variable or the end of one: ``x``, or the ``_`` or ``}`` of ``x_{1}``."""
    return _is_letter(token) or token.text in ("}", "_")


def _is_letter(token: _Token) -> bool:
    return token.kind == "word" and len(token.text.rstrip(EXPONENT_CHARACTERS)) == 1


def _spelled(token: _Token) -> str:
    """A token in LaTeX, as ``amount`` reads it."""
    if token.kind == "space":
        return " "
    if token.kind == "power":
        raised = token.text.translate(RAISED_DIGITS)
        return "^" if raised == "**" else raised if raised.startswith("^") else f"^{{{raised}}}"
    if token.kind == "times":
        return "\\times "
    if token.kind == "number" and not token.text.isdecimal():
        number = token.text.replace(",", "").replace("$", "").replace("\\", "")
        return number.replace("%", "\\%")
    return PLAIN_OPERATORS.get(token.text, token.text)


# Separates equations of another arithmetic from those of plain numbers: modular, of integer division, in another base.
#
# Their modulus or base stands directly behind ("9 + 5 = 2 (mod 12)") or opens the sentence ("In base 2, 1 + 1 = 10").

OF_EQUATION = " \t0123456789+-−–*/×÷·^().=≈%$\\"  # the characters of an equation without letters
NUMBER_NAME = "two|three|four|five|six|seven|eight|nine|eleven|twelve|sixteen"
OTHER_BASE = rf"base[- ](?:(?!10\b)\d{{1,2}}\b|(?:{NUMBER_NAME})\b)"
NAMED_BASE = r"(?:binary|ternary|octal|hex|hexadecimal)\b"
INTEGERS_OF = r"(?:ℤ|Z|\$?\\mathbb\{?\s?[ZF]\}?|GF|F)\s?(?:/|_|\()\{?\s?\w"
DIVIDED_WHOLE = r"(?:integer|floor|whole[- ]number|truncating) division\b|integer arithmetic\b"
MODULUS = (
    r"(?:\\[pb]?mod(?![a-z])|\\(?:text|mathrm|operatorname|mbox)\{\s?mod(?:ulo)?\s?\}|\bmod(?:ulo)?\b\.?)"
    r"(?:[ \t${]|\\[,;:! ]){0,6}\w{1,15}"
)
SIGN_BETWEEN = r"(?:[ \t$*`]|\\[,;:! )\]]|\\q?quad(?![a-z]))"
OTHER_ARITHMETIC = (
    rf"{MODULUS}|(?:in )?(?:{OTHER_BASE}|{NAMED_BASE})|in {INTEGERS_OF}"
    rf"|(?:(?:by|with|using|in|under) )?(?:{DIVIDED_WHOLE})|(?:when |if )?(?:rounded|truncated|rounding|floored)\b"
)
# In brackets it may hold for several equations that commas part; without, of the one before it.
IN_BRACKETS = re.compile(
    rf"(?<=[\d)}}%$\]]){SIGN_BETWEEN}{{0,6}},?{SIGN_BETWEEN}{{0,6}}(?:\\text\{{)?(?:\\left)?[(\[]\s?"
    rf"(?:{OTHER_ARITHMETIC})|\\pmod(?![a-z])"
)
WITHOUT_BRACKETS = re.compile(
    rf"(?<=[\d)}}%$\]]){SIGN_BETWEEN}{{0,6}},?{SIGN_BETWEEN}{{0,6}}(?:{OTHER_ARITHMETIC}|[oi]n an? (?:\d+-hour )?clock)"
)
# Up to the end of the sentence; behind a colon that ends a line, up to the end of the paragraph.
REST_OF_SENTENCE = r"(?:[^.\n。]|\.(?=\d))*"
OPENING_CLAUSE = re.compile(
    rf"(?:(?:{MODULUS}[\s)}}$]{{0,4}}(?:[,:]|we\b)|in (?:{OTHER_BASE}|{NAMED_BASE})|in {INTEGERS_OF}"
    rf"|(?:by|with|using) (?:{DIVIDED_WHOLE})|[二三四五六七八九]进制|十[二六]进制){REST_OF_SENTENCE})"
    r"(?:(?<=:)\n(?:[^\n]+\n?)*)?",
    re.IGNORECASE,
)
# Without one of these a text names no other arithmetic. To look for them is fast.
WORDS_OF_OTHERS = ("mod", "base", "binary", "ternary", "octal", "hex", "division", "integer", "round", "trunc", "floor")
SIGNS_OF_OTHERS = ("clock", "进制", "ℤ", "Z/", "Z_", "mathbb", "GF(", "F_")


def apart(text: str) -> tuple[str, str]:
    """(text, others): the text without what it says in another arithmetic, and that.

    >>> apart("3 + 4 = 7, so 9 + 5 = 2 (mod 12)")
    ('3 + 4 = 7, so ; )', ' 9 + 5 = 2')
    """
    folded = text.lower()
    if not any(word in folded for word in WORDS_OF_OTHERS) and not any(sign in text for sign in SIGNS_OF_OTHERS):
        return text, ""
    others: list[str] = []
    for named, characters in ((IN_BRACKETS, OF_EQUATION + ","), (WITHOUT_BRACKETS, OF_EQUATION)):
        *before, last = named.split(text)
        kept = [one.rstrip(characters) for one in before]
        others += [one[len(rest) :] for one, rest in zip(before, kept, strict=True)]
        text = " ; ".join([*kept, last])
    others += OPENING_CLAUSE.findall(text)
    return OPENING_CLAUSE.sub(" ; ", text), "\n".join(others)


SCANNED_CHARACTERS = 100_000  # at the start of a text; the rest is not read
MOST_EQUATIONS = 500  # of a text; further ones are not looked at
MOST_LINES = 3_000  # with a sign of equality; further ones are not looked at
SIDE_CHARACTERS = 200  # an equation with a longer side is left out
BULLET = re.compile(r"^[ \t]{0,8}\*[ \t]", re.MULTILINE)
# Commands that only set a style. The contents may have braces, but not nested ones.
STYLE_COMMAND = re.compile(r"\\(?:boxed|fbox|textbf|mathbf)\s?\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
COMPUTES = re.compile(r"(?<=.)[-+/^!]|\\times|frac|[\d)] ?\(")
CACHED_SIDES = 4_096
PLAIN_SIDE = re.compile(r"-? ?\d{1,30}(?:\.\d{1,30})?(?: ?(?:[-+/]|\\times) ?\d{1,30}(?:\.\d{1,30})?)*")
PLAIN_TOKEN = re.compile(r"[-+/]|\\times|[\d.]+")
PERCENT = re.compile(r"([\d.]+)\\%")
NUMBER_WITHOUT_PERCENT = re.compile(r"[\d.]+(?![\d.]|\\%)")
LONE_NUMBER = re.compile(r"[-+]?[\d.]+(?: ?/ ?[\d.]+)?(?:\\%)?|\\[dt]?frac\{[\d.]+\}\{[\d.]+\}")
HUNDRED = re.compile(r"(?<![\d.])100(?![\d.]|\\%)")
DECIMALS = re.compile(r"-? ?\d*(?:\.(\d*))?(?:\\%)?")
# Where one equation may end and the next one begin, with nothing but a space between them.
NEXT_EQUATION = re.compile(r"(?<=[\d)}%!]) +(?=[\d(.\\]|-\d)")
# The numbers of a side. Exponents stay as they are, and a factorial is a number of its own.
NUMBER_OF_SIDE = re.compile(r"\^(?:\{[^{}]*\}|\d+)|(\d+(?:\.\d+)?|\.\d+)(!?)")
ANOTHER_NUMBER = 10**10  # larger than those of texts
INSIGNIFICANT = re.compile(r"(?<![\d.])0+(?=\d)|\s+")  # zeros before a number, and spaces, make no other equation
THOUSANDS = re.compile(r"(?<=\d)(?:\{,\}|,\\!)(?=\d{3})")
SIGNS_OF_EQUALITY = ("=", "≈", "\\approx", "＝")
# Full-width characters, except commas and colons, and the digits and signs of other scripts.
PLAIN_CHARACTERS = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code not in (0xFF0C, 0xFF1A)}
    | {chr(zero + n): str(n) for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50) for n in range(10)}
    | dict(zip("∗⋅∙✕✖➗‑‒٫", "*··××÷--.", strict=True))
)
CALCULATOR_NOTE = re.compile(r"<<([^<>\n]{1,200})>>")

# A division with a remainder: 25 / 7 = 3 remainder 4, 17 ÷ 5 = 3 R 2, 17÷5=3……2, 17 / 5 = 3 with 2 left over.
DIVISION = r"(?<![\d.,^/×*÷+-])(\d{1,15})[ ]?(?:/|÷|\\div)[ ]?(\d{1,15})[ ]?=[ ]?(\d{1,15})"
WITH_REMAINDER = re.compile(
    rf"{DIVISION}(?:,? ?(?:and |with )?(?:a |the )?"
    r"(?:remainder|rem\b\.?|[Rr](?=[ \d])|Rest|reste|resto|余|餘|あまり)(?: of| is| =|:)? ?|…{1,2}|\.{3,6})"
    r"(\d{1,15})(?![\d/]|[.,]\d)"
    rf"|{DIVISION},? (?:and |with )?(\d{{1,15}})(?: left over| remaining| left)\b"
)
# Without one of these words or signs a text has no remainder, and denies nothing. To look for them is fast.
WORDS_OF_REMAINDERS = ("r", "R", "余", "餘", "あまり", "…", "...", "left")
# What denies or questions an equation behind it; and what does so before it.
CALLED_FALSE = (
    r"false|wrong|incorrect|untrue|a mistake|an error|impossible|not (?:true|correct|right|valid|the case|possible)"
)
BEHIND_EQUATION = r"[ $*`\"'”’)]{0,4}"
DENIED_BEFORE_IT = re.compile(
    rf"{BEHIND_EQUATION}[,;:–—-]?[ ]?(?:but |and )?(?:which |that |this |it )?"
    rf"(?:is|was|would be) (?:clearly |simply |also |just )?(?:{CALLED_FALSE})\b(?! (?:that|to)\b)"
    rf"|{BEHIND_EQUATION} "
    r"(?:isn['’]t|wasn['’]t|doesn['’]t|does not|can['’]t|cannot) (?:be )?(?:true|correct|right|hold)\b"
    r"|[ ]?[✗❌?？]|[ ]?(?:是?错误?的?|是?錯誤?的?|不对|不對|不成立|不正确|不正確)"
)
DENIED_BEHIND_IT = re.compile(rf"\b(?:{CALLED_FALSE}|n['’]t true)(?: to (?:say|write|claim|think))? that[ :]")
WORDS_OF_DENIALS = (
    *("false", "wrong", "incorrect", "untrue", "mistake", "error", "impossible", "not", "n't", "n’t"),
    *"✗❌?？错錯不",
)


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
    - A division may have a remainder: ``25 / 7 = 3 remainder 4``. An equation that the text calls false, or questions,
      is left out.
    - Of what is computed modulo a number, of integer division or in another base, only what is true of plain numbers is
      listed: ``9 + 5 = 2 (mod 12)`` is left out.
    - Spaces may part one equation from the next: ``1+1=2 2+2=4`` are two.
    - A side that may go on behind a decimal comma (``5/2 = 2,5``) makes no false equation.
    - Only the first 100,000 characters are read, of a line 10,000 words, numbers and signs, and
      of lines with a sign of equality 3,000. At most 500 equations are returned.

    >>> [str(one) for one in equations("He has 3 + 4 = 7 pens, so 7 * $2 = $15.") if not one.is_true]
    ['7 * 2 = 15']
    """
    text = text[:SCANNED_CHARACTERS]
    text = text if text.isascii() else text.translate(PLAIN_CHARACTERS)
    plain, others = apart(plain_lines(text))
    found: dict[tuple[str, str], Equation] = {}
    for equation in chain(_written(plain), (one for one in _written(others) if one.is_true)):
        found.setdefault((INSIGNIFICANT.sub("", equation.left), INSIGNIFICANT.sub("", equation.right)), equation)
        if len(found) >= MOST_EQUATIONS:
            break
    return list(found.values())


def _written(text: str) -> Iterator[Equation]:
    """The equations that a text in plain characters writes out, line by line."""
    text = THOUSANDS.sub(",", STYLE_COMMAND.sub(r" \1 ", BULLET.sub("", parted(text))))
    # <<2*3=6>>6: the input of a calculator is a text of its own, and must not run into the text around it
    lines = dict.fromkeys([*CALCULATOR_NOTE.findall(text), *CALCULATOR_NOTE.sub(" ", text).split("\n")])
    with_signs = (line for line in lines if any(sign in line for sign in SIGNS_OF_EQUALITY))
    has_remainders = any(word in text for word in WORDS_OF_REMAINDERS)
    has_denials = any(word in text for word in WORDS_OF_DENIALS)
    for line in islice(with_signs, MOST_LINES):
        kept = WITH_REMAINDER.sub(_as_product, line) if has_remainders else line
        kept = _without_denied(kept) if has_denials else kept
        yield from (one for sides in chains(kept) for part in _parted(sides) for one in _links(part))


def _as_product(division: re.Match[str]) -> str:
    """A division with a remainder as the equation that it stands for: ``25 / 7 = 3 R 4`` is ``3 * 7 + 4 = 25``."""
    divided, by, quotient, rest = (int(one) for one in division.groups() if one is not None)
    if not quotient or rest >= by:
        return division.group() if quotient else " ; "  # 0 with a remainder divides nothing
    return f" {quotient} * {by} + {rest} = {divided} " if rest else f" {divided} / {by} = {quotient} "


def _without_denied(line: str) -> str:
    """A line without the equations that it calls false, or questions."""
    parts = DENIED_BEFORE_IT.split(line)
    line = " ; ".join([*(one.rstrip(OF_EQUATION) for one in parts[:-1]), parts[-1]])
    parts = DENIED_BEHIND_IT.split(line)
    return " ; ".join([parts[0], *(one.lstrip(OF_EQUATION) for one in parts[1:])])


def _parted(sides: list[Side]) -> Iterator[list[Side]]:
    """The chains in what looks like one chain because only spaces part them: ``1+1=2 2+2=4``."""
    part: list[Side] = []
    for side in sides:
        gap = NEXT_EQUATION.search(side.text) if part and len(side.text) <= SIDE_CHARACTERS else None
        # "5/2 = 2 1/2" and "5 * 300 = 1 500" are one equation
        if gap is None or _is_true(part[-1].text, part[-1].sign, side.text):
            part.append(side)
            continue
        yield [*part, side._replace(text=side.text[: gap.start()], sign="")]
        part = [side._replace(text=side.text[gap.end() :])]
    yield part


def _links(sides: list[Side]) -> Iterator[Equation]:
    """The equations between the neighbouring sides of a chain."""
    has_computed = False
    for left, right in pairwise(sides):
        computes = _computes(left.text) or _computes(right.text)
        has_computed = has_computed or computes
        # "1/2 hour = 30 minutes" converts a unit, and "5 friends = 250/5" says what each friend gets: no equations
        if (
            not has_computed
            or (left.has_unit and LONE_NUMBER.fullmatch(left.text))
            or max(len(left.text), len(right.text)) > SIDE_CHARACTERS
        ):
            continue
        is_true = _is_true(left.text, left.sign, right.text)
        is_doubtful = left.is_doubtful or right.is_doubtful
        if is_true and computes and not _is_trivial(left.text, right.text):
            yield Equation(left.text, left.sign, right.text, True)
        elif is_true is False and not is_doubtful:
            yield Equation(left.text, left.sign, right.text, False)


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
        return found.group()
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
        return _plain_value(PLAIN_TOKEN.findall(side))
    read = amount(PERCENT.sub(r"(\1/100)", side))
    return None if read is None else read.value


def _plain_value(tokens: list[str]) -> Fraction | None:
    """The value of a sum of products, given as numbers and operators in turn."""
    total, term, by = Fraction(0), Fraction(1), "*"
    for token in ["+", *tokens] if tokens[0] != "-" else tokens:
        if token in ("+", "-"):
            total, term, by = (total + term if by == "" else total), Fraction(1 if token == "+" else -1), "*"
        elif token in ("\\times", "/"):
            by = token
        elif by == "/" and not float(token):
            return None
        else:
            term, by = (term / Fraction(token) if by == "/" else term * Fraction(token)), ""
    return total + term


def _computes(side: str) -> bool:
    return COMPUTES.search(side) is not None


def _agree(left: Fraction, right: Fraction, written: str, sign: str) -> bool:
    """Whether both sides are equal, or the right one, as it is ``written``, is a rounding of the left one."""
    decimals = DECIMALS.fullmatch(written)
    places = len(decimals.group(1) or "") if decimals else 0
    may_round = decimals is not None and (places > 0 or sign != "=")
    hundredths = 2 if "%" in written else 0
    return left == right or (may_round and rounds(right, places + hundredths, left))
