"""Separates equations of another arithmetic from those of plain numbers: modular, of integer division, in another base.

Their modulus or base stands directly behind ("9 + 5 = 2 (mod 12)") or opens the sentence ("In base 2, 1 + 1 = 10").
"""

from __future__ import annotations

import re

__all__ = ["OF_EQUATION", "apart"]

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
