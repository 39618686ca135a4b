"""Splits running text into words, numbers, formulas in dollars, signs and brackets. One linear scan.

Look here if a number is cut in two, or a price is taken for mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from grpo_rewards.answers.golds import MATH_DELIMITERS
from grpo_rewards.answers.finding.prose.number_spellings import VULGAR, number_text

__all__ = ["Token", "tokens"]


class Token(NamedTuple):
    """A piece of a text: its kind, where it stands, and how it is written in an answer."""

    kind: str
    start: int
    end: int
    text: str


CURRENCY = (
    r"(?:(?:(?:US|CA|AU|NZ|HK|NT|[CARS])?\\?\$|[€£¥₹₩])\s?(?=[-−]?\s?\.?[0-9])"
    r"|(?:USD|EUR|GBP|CNY|RMB|INR|JPY|CHF|Rs\.?)\s?(?=[0-9]))[-−]?"
)
DIGITS = r"(?:[0-9](?:(?:[0-9,.'’_]|\{,\}|[\u00a0\u202f\u2009]){0,1200}[0-9])?|\.[0-9]{1,1200})"
MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
# No quantifier stands inside another one that is unbounded, so that no text can make the scan slow.
TEXT_TOKEN = re.compile(
    r"(?P<plain>[a-z]{2,40}(?![A-Za-z0-9_'’(-]|[^\x00-\x7f]))"  # nearly always a token is such a word
    rf"|(?P<date>(?:{MONTH}\.? [0-9]{{1,2}}(?:st|nd|rd|th)?|[0-9]{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}\b)"
    r"(?:,? [12][0-9]{3})?(?![0-9A-Za-z.,]?[0-9])|[12][0-9]{3}-[01][0-9]-[0-3][0-9](?![0-9A-Za-z-]))"
    r"|(?P<ratio>[0-9]{1,9}:[0-9]{1,9}(?::[0-9]{1,9})?(?:\s?(?:[AP]M|[ap]m)\b|\s?[aApP]\.[mM]\.|(?![0-9A-Za-z:])))"
    rf"|(?P<number>(?P<money>{CURRENCY})?(?P<digits>{DIGITS})(?:[eE](?P<exponent>[-+−]?[0-9]{{1,4}})(?![A-Za-z0-9]))?"
    rf"(?P<tail>(?: ?[{VULGAR}])?[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{{0,20}}(?:\s?\\?[%％])?))"
    rf"|(?P<vulgar>[{VULGAR}])"
    r"|(?P<identifier>(?:[A-Za-z]{2,40}[-_]?|[A-Za-z]_?)[0-9]\w{0,40}|[A-Za-z]{2,40}_\w{1,40})"
    r"|(?P<function>(?:sqrt|sin|cos|tan|log|ln|exp)(?=\s?\()|pi\b)"
    r"|(?P<word>[^\W\d_](?:[^\W\d_]|['’](?=[^\W\d_])){1,60})|(?P<letter>[A-Za-zα-ωΑ-Ω])|(?P<character>[^\W\d_])"
    r"|(?P<command>\\[A-Za-z]{1,30})"
    r"|(?P<relation>[=≈≃≅≡<>≤≥≠∈])|(?P<operator>[-+−–×·⋅*/÷^±∓])"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<symbol>[√π∞∅])|(?P<comma>[,;])|(?P<other>[^\s])"
)
OPERATOR_COMMANDS = frozenset(r"\times \cdot \div \pm \mp \ast".split())
RELATION_COMMANDS = frozenset(r"\approx \leq \le \geq \ge \neq \ne \equiv \in \sim \lt \gt".split())
COMMAND_ARGUMENTS = {"\\frac": 2, "\\dfrac": 2, "\\tfrac": 2, "\\binom": 2, "\\sqrt": 1, "\\text": 1, "\\mathrm": 1}
INDEXED = re.compile(r"[A-Za-z]_?[0-9]{1,3}(?=\s?[=≈<>≤≥])")
COMMAND_ARGUMENT = re.compile(r"\s?(?:\{[^{}]{0,80}\}|\{[^{}]{0,40}\{[^{}]{0,40}\}[^{}]{0,40}\}|[0-9A-Za-z])")
IN_BRACES = re.compile(r"\{[^{}]{0,80}\}")
ENVIRONMENT = re.compile(r"\\begin\{([a-zA-Z]{1,20}\*?)\}")
LONGEST_MATH = 1_500  # characters between two delimiters of mathematics


def tokens(text: str, decimal_comma: bool = False) -> Iterator[Token]:
    """The tokens of a text, in order; spaces are none.

    The kinds: ``number`` ``ratio`` ``date`` ``math`` ``command`` ``function`` ``symbol`` ``letter``
    ``identifier`` (``B12``) ``word`` ``operator`` ``relation`` ``open`` ``close`` ``comma`` ``other``.

    Args:
        text: a sentence or a part of one.
        decimal_comma: whether it is in a language in which 2,5 is two and a half and 1.250 is 1250.
    """
    at = 0
    while found := TEXT_TOKEN.search(text, at):
        token = _math(text, found.start()) if found.group()[0] in "$\\" else None
        token = token or _token(text, found, decimal_comma)
        yield token
        at = token.end


def _token(text: str, found: re.Match[str], decimal_comma: bool) -> Token:
    start, end, kind, written = found.start(), found.end(), str(found.lastgroup), found.group()
    if kind == "plain":
        return Token("function" if written == "pi" else "word", start, end, written)
    if found.group("digits") is not None:
        return Token("number", start, end, number_text(found, decimal_comma))
    if kind == "vulgar":
        return Token("number", start, end, written)
    if kind == "command":
        for _ in range(COMMAND_ARGUMENTS.get(written, 0)):
            argument = COMMAND_ARGUMENT.match(text, end)
            end = argument.end() if argument else end
        is_operator, is_relation = written in OPERATOR_COMMANDS, written in RELATION_COMMANDS
        return Token("operator" if is_operator else "relation" if is_relation else kind, start, end, text[start:end])
    if kind == "identifier" and INDEXED.match(text, start):
        kind = "letter"
    if kind == "open" and text[start - 1 : start] in ("^", "_") and (higher := IN_BRACES.match(text, start)):
        return Token("number", start, higher.end(), higher.group())
    return Token(kind, start, end, written)


def _math(text: str, start: int) -> Token | None:
    """The mathematics between two delimiters, the first of which is at ``start``; ``None`` if there is none there."""
    if environment := ENVIRONMENT.match(text, start):
        closing = f"\\end{{{environment.group(1)}}}"
        end = text.find(closing, environment.end(), environment.end() + LONGEST_MATH)
        return Token("math", start, end + len(closing), text[start : end + len(closing)]) if end > 0 else None
    for opening, closing in MATH_DELIMITERS:
        if not text.startswith(opening, start):
            continue
        inside = start + len(opening)
        end = text.find(closing, inside, inside + LONGEST_MATH)
        if end <= inside:
            continue
        # "$5 and $6" is money, not mathematics: mathematics touches both of its dollar signs
        if opening == "$" and not (
            text[end - 1].strip() and text[inside].strip() and not text[end + 1 : end + 2].isdigit()
        ):
            continue
        return Token("math", start, end + len(closing), text[inside:end].strip()) if text[inside:end].strip() else None
    return None
