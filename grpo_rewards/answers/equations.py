"""The equations of arithmetic that a text writes out, and whether each is true: ``16 - 3 - 4 = 9``, ``<<2*3=6>>6``.

One linear scan: tokens that arithmetic is made of, one next to the other, are a chain; a word ends it, unless it is the
unit of a number inside it. An equation with a variable is not arithmetic and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from grpo_rewards.answers.amount import Amount, amount
from grpo_rewards.answers.rounding import rounds

__all__ = ["Equation", "equations"]

CHARACTERS = 100_000  # of a text that are looked at
AT_MOST = 500  # equations of a text; more are not looked at
LONGEST = 200  # characters of one side
REACH = 6  # tokens behind a number among which the words are its unit
# No quantifier stands inside another one, so that no text makes this slow.
TOKEN = re.compile(
    r"(?P<number>(?:\\?\$)?(?:(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:\\?%)?)"
    r"|(?P<fraction>\\[dt]?frac\{[^{}]{1,60}\}\{[^{}]{1,60}\})"
    r"|(?P<text>\\(?:text|mbox|mathrm)\{[^{}]{0,60}\})"
    r"|(?P<times>\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|[*×·])"
    r"|(?P<operator>\\div(?![A-Za-z])|[-+/÷−–^])"
    r"|(?P<sign>\\approx(?![A-Za-z])|[=≈])"
    r"|(?P<open>(?:\\left\s?)?[(\[])|(?P<close>(?:\\right\s?)?[)\]])"
    r"|(?P<space>(?:[ \t~]|\\[,;! ])+|\$)"
    r"|(?P<delimiter>\\[()\[\]])"
    r"|(?P<word>[A-Za-z]+(?:'s)?)"
    r"|(?P<other>(?:.|\n))"
)
SPELLED = {"−": "-", "–": "-", "÷": "/", "\\div": "/"}
VARIABLES = frozenset("abcdefijknpqrstuvwxyz")  # a letter of these behind a number is a variable, not a unit
COMPUTES = re.compile(r"(?<=.)[-+/^]|\\times|frac|[\d)] ?\(")
PERCENT = re.compile(r"([\d.]+)\\%")
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


def equations(text: str) -> list[Equation]:
    """The distinct equations of arithmetic in a text, in their order. One side at least has something to compute.

    A decimal on the right may be the correct rounding of what is on the left; behind ``\\approx`` a whole number may as
    well. Units are not looked at; of a percentage both readings are tried.

    >>> [str(one) for one in equations("He has 3 + 4 = 7 pens, so 7 * $2 = $15.") if not one.is_true]
    ['7 * 2 = 15']
    """
    found: dict[tuple[str, str], Equation] = {}
    text = text[:CHARACTERS]
    # what a calculator was asked stands in brackets of its own, and its result behind them once more
    noted = [chain for note in CALCULATOR.findall(text) for chain in _chains(note)]
    for sides in (*noted, *_chains(CALCULATOR.sub(" ", text))):
        for left, sign, right in zip(sides[::2], sides[1::2], sides[2::2], strict=False):
            if len(found) >= AT_MOST:
                return list(found.values())
            if (left, right) not in found and (equation := _equation(left, sign, right)) is not None:
                found[left, right] = equation
    return list(found.values())


def _equation(left: str, sign: str, right: str) -> Equation | None:
    if not (_computes(left) or _computes(right)) or max(len(left), len(right)) > LONGEST:
        return None
    one, other = _amount(left), _amount(right)
    if one is None or other is None:
        return None
    is_share = "%" in left or other.unit == "percent"
    return Equation(left, sign, right, _agree(one, other, is_share, may_round=sign != "="))


def _amount(side: str) -> Amount | None:
    # a percentage is a share where something is computed with it
    return amount(PERCENT.sub(r"(\1/100)", side) if _computes(side) else side)


def _computes(side: str) -> bool:
    return COMPUTES.search(side) is not None


def _agree(left: Amount, right: Amount, is_share: bool, may_round: bool) -> bool:
    """Whether both are the same, or the right one rounds the left one; of a share also a hundred times it."""
    places = right.places or 0
    may_round = may_round or places > 0
    if left.value == right.value or (may_round and rounds(right.value, places, left.value)):
        return True
    hundredth = right.value / 100
    return is_share and (left.value == hundredth or (may_round and rounds(hundredth, places + 2, left.value)))


def _chains(text: str) -> Iterator[list[str]]:
    """Sides and signs by turns, of each place where arithmetic with a sign of equality is written."""
    chain: list[_Token] = []
    after_variable = False
    tokens = [_Token(match.lastgroup or "", match.group()) for match in TOKEN.finditer(text)]
    for index, token in enumerate(tokens):
        if token.kind == "word":
            behind = next((one for one in tokens[index + 1 : index + 3] if one.kind != "space"), _Token("other", ""))
            is_unit, is_times = _is_unit(token, chain, behind), _is_times(token, chain, behind)
            if is_unit or is_times:
                chain.append(_Token("times", "*") if is_times else _Token("unit", ""))
                continue
        elif token.kind == "text":
            chain.append(_Token("unit", ""))
            continue
        elif token.kind not in ("other", "delimiter"):
            chain.append(token)
            continue
        # a word or a character that ends the chain
        attached = bool(chain) and chain[-1].kind != "space"
        is_variable = token.kind == "word" and len(token.text) == 1 and token.text.lower() in VARIABLES
        yield from _sides(chain, after_variable, is_open=attached and (is_variable or token.text in ("\\", "_", "{")))
        chain, after_variable = [], is_variable or token.text in ("}", "_")
    yield from _sides(chain, after_variable, is_open=False)


def _is_unit(word: _Token, chain: list[_Token], behind: _Token) -> bool:
    """Whether a word names what the number before it counts, with arithmetic going on behind it."""
    if not chain or behind.kind not in ("times", "operator", "sign", "close", "word"):
        return False
    if behind.kind == "word":
        return word.text == "of" or (len(word.text) > 1 and chain[-1].kind == "space" and _ends_in_number(chain))
    return _ends_in_number(chain) and (len(word.text) > 1 or (chain[-1].kind == "space" and word.text not in VARIABLES))


def _is_times(word: _Token, chain: list[_Token], behind: _Token) -> bool:
    """``2 x 3``, and ``20% of 50``."""
    if word.text not in ("x", "X", "of", "times") or not _ends_in_number(chain):
        return False
    return behind.kind in ("number", "open", "fraction")


def _ends_in_number(chain: list[_Token]) -> bool:
    last = next((one for one in reversed(chain[-REACH:]) if one.kind not in ("space", "unit")), None)
    return last is not None and last.kind in ("number", "close", "fraction")


def _sides(chain: list[_Token], after_variable: bool, is_open: bool) -> Iterator[list[str]]:
    """The sides of a chain; ``is_open``: its last number goes on in what follows, as in ``6x``."""
    if not any(one.kind == "sign" for one in chain):
        return
    # "5 friends = 250/5" says of the friends what each gets
    is_counted = [one.kind for one in chain if one.kind != "space"][:3] == ["number", "unit", "sign"]
    sides: list[str] = [""]
    for token in chain:
        if token.kind == "sign":
            sides += ["=" if token.text == "=" else "\\approx", ""]
        else:
            sides[-1] += _spelled(token)
    sides = [side.strip().rstrip(",").strip() for side in sides]
    first = sides[0]
    # the rest of "2x + 3 = 7" is no arithmetic, nor is what stands behind a sign of division
    if (
        is_counted
        or not first
        or first[0] in "+/^"
        or first.startswith("\\times")
        or (after_variable and first[0] in "-(")
    ):
        sides = sides[2:]
    if is_open:
        sides = sides[:-2]
    if len(sides) >= 3:
        yield sides


def _spelled(token: _Token) -> str:
    if token.kind == "space":
        return " "
    if token.kind == "times":
        return "\\times "
    if token.kind == "number":
        number = token.text.replace(",", "").replace("$", "").replace("\\", "")
        return number.replace("%", "\\%")
    return SPELLED.get(token.text, token.text)
