"""Reads a text into chains of sides with a sign of equality between them: ``2 + 3 = 5 = 10/2``.

Neighbouring tokens of arithmetic (numbers, operators, brackets, signs of equality) form a run. Any other token ends it:
most often a word, unless the word is the unit of a number. So does a bracket without a partner. A side of which a part
may be missing is left out: ``log 2 + 1``, ``Total - 5``, ``12:30 - 1``. The scan takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

__all__ = ["Side", "chains"]

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
