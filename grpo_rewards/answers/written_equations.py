"""Finds the arithmetic that a text writes out, and whether it is true: ``16 - 3 - 4 = 9``, ``<<2*3=6>>6``.

Neighbouring tokens of arithmetic (numbers, operators, brackets, signs of equality) form a run. Any other token ends it:
most often a word, unless the word is the unit of a number. So does a bracket without a partner. What remains is a chain
of sides with a sign of equality between them: ``2 + 3 = 5 = 10/2``. Equations with a variable are left out, and so is a
side of which a part may be missing: ``log 2 + 1``, ``Total - 5``, ``12:30 - 1``. The scan takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from grpo_rewards.answers.amounts import Amount, amount
from grpo_rewards.answers.formulas.rounding import rounds

__all__ = ["Equation", "equations"]

SCANNED_CHARACTERS = 100_000  # at the start of a text; the rest is not read
MOST_EQUATIONS = 500  # of a text; further ones are not looked at
SIDE_CHARACTERS = 200  # an equation with a longer side is left out
UNIT_TOKENS = 6  # that a unit and the spaces around it may have
# No unbounded quantifier stands inside another one, so that no text makes this slow.
ARITHMETIC_TOKEN = re.compile(
    r"(?P<unread>\d+(?::\d+)+|\d+(?:\.\d+)?[eE][-+]?\d+|\d*\.\d+\s?(?:\.\.|…|\\[lc]?dots))"
    r"|(?P<power>\^\{\s?-?\d{1,9}(?:[./]\d{1,9})?\s?\}|(?<=[\d)])\*\*(?=[\d(])|(?<=[\d)] )\*\*(?= [\d(]))"
    r"|(?P<number>(?:\\?\$)?(?:(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:\\?%)?)"
    r"|(?P<fraction>\\[dt]?frac\{[^{}]{1,60}\}\{[^{}]{1,60}\})"
    r"|(?P<text>\\(?:text|mbox|mathrm)\{[^{}]{0,60}\}(?:\^\{?\d\}?)?)"
    r"|(?P<space>(?:[ \t~]|\\[,;! ])+|\$|\*\*|__)"
    r"|(?P<times>\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|[*×·])"
    r"|(?P<operator>\\div(?![A-Za-z])|[-+/÷−–^])"
    r"|(?P<sign>\\approx(?![A-Za-z])|[=≈])"
    r"|(?P<open>(?:\\left\s?)?[(\[])|(?P<close>(?:\\right\s?)?[)\]])"
    r"|(?P<delimiter>\\[()\[\]])"
    r"|(?P<word>[A-Za-z]+(?:'s|\^\{?\d\}?|[²³])?)"
    r"|(?P<other>(?:.|\n))"
)
PLAIN_OPERATORS = {"−": "-", "–": "-", "÷": "/", "\\div": "/"}
BULLET = re.compile(r"^[ \t]{0,8}\*[ \t]", re.MULTILINE)
# Commands that only set a style. The contents may have braces, but not nested ones.
STYLE_COMMAND = re.compile(r"\\(?:boxed|fbox|textbf|mathbf)\s?\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
# Words that change the value of what follows them.
FUNCTION_WORDS = frozenset(
    "log ln lg exp sin cos tan cot sec csc sqrt abs max min gcd lcm mod plus minus times negative".split()
)
COMPUTES = re.compile(r"(?<=.)[-+/^]|\\times|frac|[\d)] ?\(")
PERCENT = re.compile(r"([\d.]+)\\%")
NUMBER_WITHOUT_PERCENT = re.compile(r"[\d.]+(?![\d.]|\\%)")
LONE_NUMBER = re.compile(r"[-+]?[\d.]+(?: ?/ ?[\d.]+)?(?:\\%)?|\\[dt]?frac\{[\d.]+\}\{[\d.]+\}")
HUNDRED = re.compile(r"(?<![\d.])100(?![\d.]|\\%)")
DECIMALS = re.compile(r"-? ?\d*(?:\.(\d*))?(?:\\%)?")
LIST_NUMBER_KINDS = ["open", "number", "close", "space", "number"]  # the number of a list's item: "(2) 3 + 4"
EXPONENT_CHARACTERS = "^{}0123456789²³"  # behind a unit or a letter
OPENING_SIGNS = ("\\", "_", "{", "(", "[")
CALCULATOR_NOTE = re.compile(r"<<([^<>\n]{1,200})>>")


class Equation(NamedTuple):
    """Two neighbouring sides of a chain, and whether they are equal. ``str()`` writes the equation out."""

    left: str
    sign: str
    right: str
    is_true: bool

    def __str__(self) -> str:
        said = f"{self.left} {self.sign} {self.right}".replace("\\times ", "* ").replace("\\approx", "≈")
        return " ".join(said.split())


class _Token(NamedTuple):
    kind: str
    text: str


class _Side(NamedTuple):
    text: str
    sign: str  # the sign of equality behind it, or ""
    has_unit: bool


NO_TOKEN = _Token("other", "")


def equations(text: str) -> list[Equation]:
    """The distinct equations of arithmetic that a text writes out, in order.

    - At least one side computes something: ``5 = 5`` is left out. In a chain, what follows a computation is listed as
      well if it is false: ``7 = 8`` in ``3 + 4 = 7 = 8``.
    - A decimal on the right may be a correct rounding of the left side; behind ``\\approx``, so may a whole number.
    - Units are ignored. ``50%`` is 0.5, but may be 50 where one side counts in hundredths: ``1/2 * 100 = 50%``,
      ``20% + 30% = 50``.
    - Only the first 100,000 characters are read, and at most 500 equations are returned.

    >>> [str(one) for one in equations("He has 3 + 4 = 7 pens, so 7 * $2 = $15.") if not one.is_true]
    ['7 * 2 = 15']
    """
    found: dict[tuple[str, str], Equation] = {}
    text = STYLE_COMMAND.sub(r" \1 ", BULLET.sub("", text[:SCANNED_CHARACTERS]))
    # <<2*3=6>>6: what a calculator was asked is a text of its own, and must not run into the text around it
    noted = [chain for note in CALCULATOR_NOTE.findall(text) for chain in _chains(note)]
    for sides in (*noted, *_chains(CALCULATOR_NOTE.sub(" ", text))):
        for equation in _links(sides):
            if len(found) >= MOST_EQUATIONS:
                return list(found.values())
            found.setdefault((equation.left, equation.right), equation)
    return list(found.values())


def _links(sides: list[_Side]) -> Iterator[Equation]:
    """The equations between the neighbouring sides of a chain."""
    has_computed = False
    for (left, sign, has_unit), (right, _, _) in pairwise(sides):
        computes = _computes(left) or _computes(right)
        has_computed = has_computed or computes
        # "1/2 hour = 30 minutes" converts a unit, and "5 friends = 250/5" says what each friend gets: no equations
        if (
            not has_computed
            or (has_unit and LONE_NUMBER.fullmatch(left))
            or max(len(left), len(right)) > SIDE_CHARACTERS
        ):
            continue
        equation = _equation(left, sign, right)
        if equation is not None and (computes or not equation.is_true):
            yield equation


def _equation(left: str, sign: str, right: str) -> Equation | None:
    one, other = _amount(left), _amount(right)
    if one is None or other is None:
        return None
    is_true = _agree(one.value, other, right, sign)
    if not is_true and "%" in right:
        is_true = "%" not in left and HUNDRED.search(left) is not None and _agree(one.value / 100, other, right, sign)
    elif not is_true and "%" in left:
        is_true = NUMBER_WITHOUT_PERCENT.search(left) is None and _agree(one.value * 100, other, right, sign)
    return Equation(left, sign, right, is_true)


def _amount(side: str) -> Amount | None:
    """The number that a side comes to; ``50%`` is 0.5."""
    return amount(PERCENT.sub(r"(\1/100)", side))


def _computes(side: str) -> bool:
    return COMPUTES.search(side) is not None


def _agree(left: Fraction, right: Amount, said: str, sign: str) -> bool:
    """Whether both sides are equal, or the right one, written as ``said``, is a rounding of the left one."""
    decimals = DECIMALS.fullmatch(said)
    places = len(decimals.group(1) or "") if decimals else 0
    may_round = decimals is not None and (places > 0 or sign != "=")
    hundredths = 2 if "%" in said else 0
    return left == right.value or (may_round and rounds(right.value, places + hundredths, left))


def _chains(text: str) -> Iterator[list[_Side]]:
    """The sides of every chain in a text, chain by chain."""
    run: list[_Token] = []
    before = NO_TOKEN
    tokens = [_Token(match.lastgroup or "", match.group()) for match in ARITHMETIC_TOKEN.finditer(text)]
    for index, token in enumerate(tokens):
        read = _read(token, run, tokens[index + 1 : index + 3])
        if read is not None:
            run.append(read)
            continue
        yield from _parts(run, before, token)
        run, before = [], token
    yield from _parts(run, before, NO_TOKEN)


def _read(token: _Token, run: list[_Token], following: list[_Token]) -> _Token | None:
    """The token as it joins the run; ``None`` if it ends the run."""
    if token.kind == "word":
        behind = next((one for one in following if one.kind != "space"), NO_TOKEN)
        if _is_times(token, run, behind):
            return _Token("times", "*")
        return _Token("unit", "") if _is_unit(token, run, behind) else None
    if token.kind == "text":
        return _Token("unit", "")
    return None if token.kind in ("other", "delimiter", "unread") else token


def _parts(run: list[_Token], before: _Token, behind: _Token) -> Iterator[list[_Side]]:
    """The sides of each chain in a run of tokens. A bracket without a partner on the same side splits the run."""
    if not any(one.kind == "sign" for one in run):
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
    return last is not None and last.kind in ("number", "close", "fraction")


def _sides(chain: list[_Token], before: _Token, behind: _Token) -> list[_Side]:
    """The sides of a chain, without a first or last one that is only part of something longer in the text."""
    kinds = [one.kind for one in chain[:6]]
    at = int(kinds[:1] == ["space"])
    chain = chain[at + 3 :] if kinds[at : at + 5] == LIST_NUMBER_KINDS else chain
    sides: list[_Side] = [_Side("", "", False)]
    for token in chain:
        text, _, has_unit = sides[-1]
        if token.kind == "sign":
            sides[-1] = _Side(text, "=" if token.text == "=" else "\\approx", has_unit)
            sides.append(_Side("", "", False))
        else:
            sides[-1] = _Side(text + _spelled(token), "", has_unit or token.kind == "unit")
    sides = [side._replace(text=side.text.strip().rstrip(",").strip()) for side in sides]
    if _goes_on(sides[0].text, before, is_attached=bool(chain) and chain[0].kind != "space"):
        sides = sides[1:]
    is_open = bool(chain) and chain[-1].kind != "space" and (_is_name(behind) or behind.text in OPENING_SIGNS)
    return sides[:-1] if is_open or behind.kind == "unread" else sides


def _goes_on(first: str, before: _Token, is_attached: bool) -> bool:
    """Whether the first side is only the end of a longer one, such as "2x + 3", "log 2 + 1", "x_1 + 3", "Total - 5"."""
    if not first or first[0] in "+/^*" or first.startswith(("\\times", "- ")):
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
        return "^" if token.text == "**" else token.text
    if token.kind == "times":
        return "\\times "
    if token.kind == "number":
        number = token.text.replace(",", "").replace("$", "").replace("\\", "")
        return number.replace("%", "\\%")
    return PLAIN_OPERATORS.get(token.text, token.text)
