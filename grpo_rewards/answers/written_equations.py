"""The equations of arithmetic that a text writes out, and whether each is true: ``16 - 3 - 4 = 9``, ``<<2*3=6>>6``.

One linear scan: tokens that arithmetic is made of, one next to the other, are a chain; a word ends it, unless it is the
unit of a number inside it, and so does a bracket without its other half. An equation with a variable is not arithmetic
and is left out, and so is a side of which a part may stand outside: ``log 2 + 1``, ``Total - 5``, ``12:30 - 1``.
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

CHARACTERS = 100_000  # of a text that are looked at
AT_MOST = 500  # equations of a text; more are not looked at
LONGEST = 200  # characters of one side
REACH = 6  # tokens behind a number among which the words are its unit
# No quantifier stands inside another one, so that no text makes this slow.
TOKEN = re.compile(
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
SPELLED = {"−": "-", "–": "-", "÷": "/", "\\div": "/"}
BULLET = re.compile(r"^[ \t]{0,8}\*[ \t]", re.MULTILINE)
# What only says how a formula looks, with braces inside at most once.
SHOWN = re.compile(r"\\(?:boxed|fbox|textbf|mathbf)\s?\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
# Words that make another number of what stands behind them.
FUNCTIONS = frozenset(
    "log ln lg exp sin cos tan cot sec csc sqrt abs max min gcd lcm mod plus minus times negative".split()
)
COMPUTES = re.compile(r"(?<=.)[-+/^]|\\times|frac|[\d)] ?\(")
PERCENT = re.compile(r"([\d.]+)\\%")
PLAIN_NUMBER = re.compile(r"[\d.]+(?![\d.]|\\%)")
BARE = re.compile(r"[-+]?[\d.]+(?: ?/ ?[\d.]+)?(?:\\%)?|\\[dt]?frac\{[\d.]+\}\{[\d.]+\}")
HUNDRED = re.compile(r"(?<![\d.])100(?![\d.]|\\%)")
DECIMALS = re.compile(r"-? ?\d*(?:\.(\d*))?(?:\\%)?")
LIST_NUMBER = ["open", "number", "close", "space", "number"]  # "(2) 3 + 4"
POWER = "^{}0123456789²³"  # behind a unit
OPENING = ("\\", "_", "{", "(", "[")
CALCULATOR = re.compile(r"<<([^<>\n]{1,200})>>")


class Equation(NamedTuple):
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
    sign: str  # behind it
    has_unit: bool


NOTHING = _Token("other", "")


def equations(text: str) -> list[Equation]:
    """The distinct equations of arithmetic in a text, in their order. One side at least has something to compute.

    A decimal on the right may be the correct rounding of what is on the left; behind ``\\approx`` a whole number may as
    well. Units are not looked at. A percentage is a share; behind a product with 100 it is the number of hundredths.
    In a chain that computes something, later sides that compute nothing are found where they are false.

    >>> [str(one) for one in equations("He has 3 + 4 = 7 pens, so 7 * $2 = $15.") if not one.is_true]
    ['7 * 2 = 15']
    """
    found: dict[tuple[str, str], Equation] = {}
    text = SHOWN.sub(r" \1 ", BULLET.sub("", text[:CHARACTERS]))
    # what a calculator was asked stands in brackets of its own, and its result behind them once more
    noted = [chain for note in CALCULATOR.findall(text) for chain in _chains(note)]
    for sides in (*noted, *_chains(CALCULATOR.sub(" ", text))):
        for equation in _links(sides):
            if len(found) >= AT_MOST:
                return list(found.values())
            found.setdefault((equation.left, equation.right), equation)
    return list(found.values())


def _links(sides: list[_Side]) -> Iterator[Equation]:
    has_computed = False
    for (left, sign, has_unit), (right, _, _) in pairwise(sides):
        computes = _computes(left) or _computes(right)
        has_computed = has_computed or computes
        # "1/2 hour = 30 minutes" computes nothing, and "5 friends = 250/5" says of the friends what each gets
        if not has_computed or (has_unit and BARE.fullmatch(left)) or max(len(left), len(right)) > LONGEST:
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
        is_true = PLAIN_NUMBER.search(left) is None and _agree(one.value * 100, other, right, sign)
    return Equation(left, sign, right, is_true)


def _amount(side: str) -> Amount | None:
    """What a side comes to; a percentage is a share."""
    return amount(PERCENT.sub(r"(\1/100)", side))


def _computes(side: str) -> bool:
    return COMPUTES.search(side) is not None


def _agree(left: Fraction, right: Amount, said: str, sign: str) -> bool:
    """Whether both are the same, or the right one rounds the left one."""
    decimals = DECIMALS.fullmatch(said)
    places = len(decimals.group(1) or "") if decimals else 0
    may_round = decimals is not None and (places > 0 or sign != "=")
    hundredths = 2 if "%" in said else 0
    return left == right.value or (may_round and rounds(right.value, places + hundredths, left))


def _chains(text: str) -> Iterator[list[_Side]]:
    """The sides of each place where arithmetic with a sign of equality is written."""
    run: list[_Token] = []
    before = NOTHING
    tokens = [_Token(match.lastgroup or "", match.group()) for match in TOKEN.finditer(text)]
    for index, token in enumerate(tokens):
        read = _read(token, run, tokens[index + 1 : index + 3])
        if read is not None:
            run.append(read)
            continue
        yield from _parts(run, before, token)
        run, before = [], token
    yield from _parts(run, before, NOTHING)


def _read(token: _Token, run: list[_Token], following: list[_Token]) -> _Token | None:
    """The token as a part of the run; ``None`` where it ends it."""
    if token.kind == "word":
        behind = next((one for one in following if one.kind != "space"), NOTHING)
        if _is_times(token, run, behind):
            return _Token("times", "*")
        return _Token("unit", "") if _is_unit(token, run, behind) else None
    if token.kind == "text":
        return _Token("unit", "")
    return None if token.kind in ("other", "delimiter", "unread") else token


def _parts(run: list[_Token], before: _Token, behind: _Token) -> Iterator[list[_Side]]:
    """The sides of a run of tokens, which ends at each bracket without its other half on the same side."""
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
    """Whether a word names what the number before it counts, with arithmetic going on behind it."""
    if _is_letter(word) or not chain:
        return False
    if behind.kind not in ("times", "operator", "sign", "close", "word"):
        return False
    if behind.kind == "word":
        return word.text == "of" or (chain[-1].kind == "space" and _ends_in_number(chain))
    return _ends_in_number(chain)


def _is_times(word: _Token, chain: list[_Token], behind: _Token) -> bool:
    """``2 x 3``, and ``20% of 50``."""
    if word.text not in ("x", "X", "of", "times") or not _ends_in_number(chain):
        return False
    return behind.kind in ("number", "open", "fraction")


def _ends_in_number(chain: list[_Token]) -> bool:
    last = next((one for one in reversed(chain[-REACH:]) if one.kind not in ("space", "unit")), None)
    return last is not None and last.kind in ("number", "close", "fraction")


def _sides(chain: list[_Token], before: _Token, behind: _Token) -> list[_Side]:
    """The sides of a chain, without those that begin before it or go on behind it."""
    kinds = [one.kind for one in chain[:6]]
    at = int(kinds[:1] == ["space"])
    chain = chain[at + 3 :] if kinds[at : at + 5] == LIST_NUMBER else chain
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
    is_open = bool(chain) and chain[-1].kind != "space" and (_is_name(behind) or behind.text in OPENING)
    return sides[:-1] if is_open or behind.kind == "unread" else sides


def _goes_on(first: str, before: _Token, is_attached: bool) -> bool:
    """Whether the first side is the rest of something: of "2x + 3", "log 2 + 1", "x_1 + 3", "Total - 5"."""
    if not first or first[0] in "+/^*" or first.startswith(("\\times", "- ")):
        return True
    if is_attached and (before.kind in ("word", "unread", "close") or before.text in ("_", "}", "√")):
        return True
    return before.text.lower() in FUNCTIONS or (_is_name(before) and first[0] in "-(")


def _is_name(token: _Token) -> bool:
    return _is_letter(token) or token.text in ("}", "_")


def _is_letter(token: _Token) -> bool:
    return token.kind == "word" and len(token.text.rstrip(POWER)) == 1


def _spelled(token: _Token) -> str:
    if token.kind == "space":
        return " "
    if token.kind == "power":
        return "^" if token.text == "**" else token.text
    if token.kind == "times":
        return "\\times "
    if token.kind == "number":
        number = token.text.replace(",", "").replace("$", "").replace("\\", "")
        return number.replace("%", "\\%")
    return SPELLED.get(token.text, token.text)
