"""Finds the numbers and formulas in running text, each as a whole: ``10 - 4 = 6``, ``\\frac34``, ``12 cm``, ``3:45``.

Look here if half of a number or formula is taken for the answer, or the wrong side of an equation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from grpo_rewards.answers.finding.prose.number_spellings import VULGAR, is_group_of_thousands
from grpo_rewards.answers.finding.prose.stems import REMEMBERED_CLAUSES
from grpo_rewards.answers.finding.prose.text_tokens import Token, tokens
from grpo_rewards.answers.finding.prose.words_behind import names_something, with_words_behind

__all__ = ["Quantity", "quantities"]


class Quantity(NamedTuple):
    """A number or formula in a text.

    Attributes:
        start: where it starts.
        end: where it ends, with its unit.
        answer: what is compared if it is the answer; ``None`` if it is no number by itself: ``64 factorial``, ``3-5``.
        kind: ``number``, ``formula``, ``equation`` (its answer is the last side), or ``label`` (``B12``, ``12-pack``).
    """

    start: int
    end: int
    answer: str | None
    kind: str = "number"


ATOMS = frozenset("number ratio date math command function symbol letter".split())
BOTH_SIGNS = ("±", "∓", "\\pm", "\\mp")  # a space may follow
SIGNS = ("-", "−", "+", "–", *BOTH_SIGNS)
VALUES = ATOMS - {"letter"}
UPRIGHT = re.compile(r"\\(?:text|mathrm)\{[^{}0-9]{1,40}\}")
FUNCTION_OF_NUMBER = re.compile(r"[A-Za-z]{1,2}\s?\(\s?-?[0-9./]{1,20}\s?\)")
# The exact side of "= 1/6 ≈ 0.167". Both sides are handed over, since either may be what is asked for.
COMPARED_WITH = re.compile(
    r"(?: [a-z]{1,15}){0,2} (?:more|less|fewer|greater|smaller|older|younger|longer|shorter) than "
)
CLOSED = re.compile(r"[0-9./\\{}√a-z ]{1,60}")
APPROXIMATES = re.compile(r"\\approx(?![A-Za-z])|≃|≅")
EQUALITY_SIGN = re.compile(r"=|≈|\\equiv(?![A-Za-z])")
UNEQUAL = re.compile(r"[<>≤≥≠∈]|\\(?:leq?|geq?|neq?|in|lt|gt|pmod)(?![A-Za-z])|\\not")
RANGE_IN_TEXT = re.compile(r"[$€£]?(-?[0-9.]{1,40})[%°]?\s?(?:-|–|--|—|−)\s?[$€£]?([0-9.]{1,40})[%°]?")
ALIGNS = re.compile(r"\\(?:begin|end)\{(?:align|aligned|equation|gather|gathered|split|multline)\*?\}")
COMMAND_NAMES = re.compile(r"\\[A-Za-z]{1,30}")
PLAIN = re.compile(r"[-−+–±∓(]{0,2}[$€£¥₹]?(?:[0-9., ]|\{,\}){1,1200}\s?\\?%?\)?")
LETTERS_IN_TEXT = re.compile(r"[^\W\d_]")


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def quantities(text: str, decimal_comma: bool = False) -> tuple[Quantity, ...]:
    """The numbers and formulas of a text, in order.

    >>> [one.answer for one in quantities("She ate 4, so 10 - 4 = 6 cm are left of B12.")]
    ['4', '6\\\\text{ cm}', None]
    """
    found: list[Quantity] = []
    for run in _runs(text, list(tokens(text, decimal_comma))):
        one = _quantity(text, run)
        if one is not None and not (found and one.start < found[-1].end):  # the 2 of "60 cm^2" is in its unit
            found.append(one)
    return tuple(found)


def _runs(text: str, pieces: list[Token]) -> Iterator[list[Token]]:
    """The longest sequences of tokens that may be a formula."""
    run: list[Token] = []
    depth = 0
    for index, token in enumerate(pieces):
        after = pieces[index + 1] if index + 1 < len(pieces) else None
        if (
            token.kind == "letter"
            and token.text in "xX"
            and run
            and run[-1].kind in VALUES
            and _multiplies(token, after)
        ):
            token = token._replace(kind="operator", text="\\times")
        if not _continues(text, run, token, after, depth):
            if run:
                yield run
            run, depth = [], 0
            if token.kind == "identifier":
                yield [token]
            if token.kind == "identifier" or not _continues(text, run, token, after, depth):
                continue
        run.append(token)
        depth += (token.kind == "open") - (token.kind == "close")
    if run:
        yield run


def _multiplies(letter: Token, after: Token | None) -> bool:
    """Whether the letter x is a sign of multiplication: ``3 x 4``."""
    return after is not None and after.kind in ("number", "math", "open") and after.start - letter.end <= 1


def _continues(text: str, run: list[Token], token: Token, after: Token | None, depth: int) -> bool:
    """Whether a token belongs to the formula that the run before it is; with an empty run, whether it starts one."""
    last = run[-1] if run else None
    touches = last is not None and last.end == token.start
    ended = last is not None and last.kind in (*ATOMS, "close")
    if token.kind in ATOMS:
        if UPRIGHT.fullmatch(token.text) and last is not None and last.kind in ("number", "close"):
            return token.start - last.end <= 1  # the unit of the number
        is_product = last is not None and last.end == token.start and not _is_suffix(token, after)
        is_product = is_product and not (last is not None and last.kind == token.kind == "letter")
        return not ended or is_product or _goes_on(last, token, after)
    if token.kind == "operator":
        is_sign = (
            token.text in SIGNS
            and after is not None
            and after.start - token.end <= (token.text in BOTH_SIGNS)
            and after.kind in (*ATOMS, "open")
        )
        if last is None:
            before = text[token.start - 1 : token.start]
            return is_sign and not (before.isalnum() or before in (")", "]"))
        return is_sign or (ended and after is not None and after.kind in (*ATOMS, "open", "operator"))
    if token.kind in ("relation", "open"):
        return last is None or (ended if token.kind == "relation" else not ended or touches) or last.kind == token.kind
    return depth > 0 and token.kind in ("close", "comma")


def _is_suffix(letter: Token, after: Token | None) -> bool:
    """Whether a letter that touches a number is its unit or thousands: in ``12k`` and ``5m long``, not in ``5m+1``."""
    if letter.text not in tuple("kKMBmsghlLNJWVA") or after is None:
        return letter.text in tuple("kKMBmsghlLNJWVA")
    return after.kind not in ("operator", "relation") and (
        after.start > letter.end or after.kind in ("comma", "close", "other")
    )


def _goes_on(last: Token | None, token: Token, after: Token | None) -> bool:
    """Whether a number behind a number and a space is a part of it, as in ``1 000`` and ``1 1/2``; not in ``1 2``."""
    if last is None or not last.kind == token.kind == "number" or last.end + 1 != token.start:
        return False
    is_fraction = (
        after is not None and after.text == "/" and after.start == token.end and last.text.lstrip("-").isdecimal()
    )
    return is_fraction or token.text in tuple(VULGAR) or is_group_of_thousands(last.text, token.text)


def _quantity(text: str, run: list[Token]) -> Quantity | None:
    """What a run comes to; ``None`` if it holds neither a number nor a formula."""
    is_outcome = run[0].text in ("=", "≈")  # "22 messages + 66 messages = 88 messages"
    run = _trimmed(run)
    if not run:
        return None
    start, end = run[0].start, run[-1].end
    if run[0].kind == "identifier" or (run[-1].kind == "number" and len(run) == 1 and names_something(text, end)):
        return Quantity(start, end, None, "label")
    kinds = {token.kind for token in run}
    if not kinds & VALUES and not kinds & {"relation", "operator"}:
        return None
    if len(run) == 1 and UPRIGHT.fullmatch(run[0].text):
        return None
    written = _written(run)
    if kinds == {"math"} and not _is_telling(written):
        return None
    if RANGE_IN_TEXT.fullmatch(written) and _rises(written):
        return Quantity(start, end, None)
    answer, kind = _side(written)
    if not answer:
        return None  # "$3 + 4 =$ 7": what follows is the number
    kind = "equation" if is_outcome and kind != "inequality" else kind
    if kind == "equation" and (compared := COMPARED_WITH.match(text, end)):
        return Quantity(start, compared.end(), answer, kind)  # "$6 - $2 = $4 more than 2 bagels"
    if run[-1].kind in ("number", "math", "close") and kind != "inequality":
        said, end = with_words_behind(answer, text, end)
        return Quantity(start, end, said, kind)
    return Quantity(start, end, answer, kind)


def _trimmed(run: list[Token]) -> list[Token]:
    """The run without signs that have nothing to join, and without brackets that have no partner."""
    while run and run[-1].kind in ("operator", "relation", "open", "comma"):
        run = run[:-1]
    while run and (
        run[0].kind in ("close", "comma")
        or run[0].text in tuple("=≈≃≅≡")
        or (run[0].kind == "operator" and run[0].text not in SIGNS)
    ):
        run = run[1:]
    opened = sum((token.kind == "open") - (token.kind == "close") for token in run)
    if opened > 0:
        first = next(index for index, token in enumerate(run) if token.kind == "open")
        return _trimmed(run[first + 1 :]) if first == 0 else _trimmed(run[:first])
    return run[:opened] if opened < 0 else run


def _written(run: list[Token]) -> str:
    """The formula that a run is, as text."""
    parts = [run[0].text]
    for before, token in pairwise(run):
        parts.append(token.text if before.end == token.start else f" {token.text}")
    written = "".join(parts)
    is_wrapped = len(run) == 3 and run[0].kind == "open" and run[-1].kind == "close"
    return run[1].text if is_wrapped else written


def _is_telling(formula: str) -> bool:
    """Whether mathematics says a value and does not only name something, as ``$n$`` does."""
    return len(formula) > 2 or not formula.isalpha()


def _rises(written: str) -> bool:
    """Whether ``a-b`` is a range: its second number is the larger one, and not a difference."""
    found = RANGE_IN_TEXT.fullmatch(written)
    low, high = found.groups() if found else ("", "")
    return low.count(".") < 2 and high.count(".") < 2 and float(low.strip(".") or 0) < float(high.strip(".") or 0)


def _last_line(formula: str) -> str:
    """The last line of an aligned calculation, without what aligns it; any other formula as it is."""
    lines = (
        [line.replace("&", " ").strip() for line in ALIGNS.sub("", formula).split("\\\\")]
        if ALIGNS.search(formula)
        else [formula]
    )
    return next((line for line in reversed(lines) if line), formula)


def _side(formula: str) -> tuple[str, str]:
    """(answer, kind): of an equation the last side, with the name it is given: ``d = \\sqrt{1+1} = \\sqrt2``."""
    formula = APPROXIMATES.sub("≈", _last_line(formula))
    if UNEQUAL.search(formula):
        return formula, "inequality"
    sides = [side.strip(" &") for side in EQUALITY_SIGN.split(formula)]
    exact, rounded, last = formula.rpartition("=")[2].partition("≈")
    if rounded and CLOSED.fullmatch(exact) and any(map(str.isdigit, exact)):
        return f"{exact.strip()} ≈ {last.strip()}", "equation"
    if len(sides) == 1:
        return formula, "number" if PLAIN.fullmatch(formula) else "formula"
    if any(side.count("{") != side.count("}") or "\\begin" in side for side in sides):
        return formula, "equation"
    first, last = sides[0], sides[-1]
    is_unknown = "\\text" not in first and LETTERS_IN_TEXT.search(COMMAND_NAMES.sub("", first)) is not None
    is_unknown = is_unknown and FUNCTION_OF_NUMBER.fullmatch(first) is None
    return (f"{first} = {last}" if is_unknown and last else last), "equation"
