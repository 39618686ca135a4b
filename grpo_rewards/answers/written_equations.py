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
from grpo_rewards.answers.formulas.rounding import rounds
from grpo_rewards.answers.written_apart import OF_EQUATION, apart
from grpo_rewards.answers.written_chains import Side, chains
from grpo_rewards.answers.written_lines import parted, plain_lines

__all__ = ["Equation", "equations"]

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
