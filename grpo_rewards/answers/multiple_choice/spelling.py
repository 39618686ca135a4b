"""Writes letters and digits in circles, keycaps, and simple LaTeX as plain text, and takes out what only decorates.

Look here if "②번", "Ⓑ", "🅱️" or "√2" is not seen as the option it names, or "B 👍" not as an option alone.
"""

from __future__ import annotations

import re

__all__ = ["in_full", "plain_formula", "undecorated", "with_latin_letters", "with_plain_numbers"]

LETTERS_IN_SHAPES = {
    start + place: 65 + place for start in (0x24B6, 0x24D0, 0x1F130, 0x1F150, 0x1F170) for place in range(26)
}
MARKS_BY_HAND = {0x1F44E: "✗", 0x1F7E2: "", 0x20E3: "", 0xFE0F: ""}  # thumbs down rejects; a keycap is its digit
SHAPED = re.compile("[\u20e3\u24b6-\u24e9\ufe0f\U0001f130-\U0001f189\U0001f44e]")
# Pictures, but not those that tick, cross out or forbid.
DECORATION = re.compile(
    "\\s?[\u2600-\u2610\u2612-\u26ff\u2728\u2764\u2b50\u2b55\U0001f1e6-\U0001f1ff\U0001f300-\U0001f6aa"
    "\U0001f6ac-\U0001f9ff\U0001fa70-\U0001faff\u200d]{1,8}"
)
CIRCLED = re.compile(
    "(?:(?<=답은 )|(?<=답은)|(?<=정답: )|(?<=정답:)|(?<=정답 "
    ")|(?<=답안은)|(?<=答案是)|(?<=答案为)|(?<=答案：)|(?<=答案:)|(?<=选)"
    "|(?<=選)|(?<=正解は)|(?<=答えは)|(?<=답: ))[①-⑳]|[①-⑳](?=번)"
)
LATEX_ROOT = re.compile(r"\\sqrt\s?(?:\{(\w{1,20})\}|(\w))")
LATEX_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}\\]{1,40})\}\{([^{}\\]{1,40})\}")
LATEX_POWER = re.compile(r"\^(?:\{(-?\d{1,4})\}|(\d))")
TO_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SIGNS_OF_LATEX = {
    r"\pi": "π", r"\times": "×", r"\cdot": "·", r"\pm": "±", r"\leq": "≤", r"\geq": "≥", r"\le": "≤", r"\ge": "≥",
    r"\infty": "∞", r"\alpha": "α", r"\beta": "β", r"\theta": "θ", r"\lambda": "λ", r"\mu": "μ", r"\Omega": "Ω",
    r"\omega": "ω", r"\circ": "°", r"\%": "%", r"\$": "$", r"\neq": "≠", r"\approx": "≈",
}  # fmt: skip
LATEX_SIGN = re.compile(
    "|".join(re.escape(one) + r"(?![A-Za-z])" for one in sorted(SIGNS_OF_LATEX, key=len, reverse=True))
)

# The letters that count options in other scripts. Cyrillic "В" is none: it is the third, and looks like the second.
LETTERS_ABROAD = {
    letter: "ABCDE"[place]
    for row in ("АБ_Г", "__С", "ΑΒΓΔΕ", "أبجد", "ا", "אבגד", "कखगघ", "কখগঘ", "กขคง")
    for place, letter in enumerate(row)
    if letter != "_"
} | {"الف": "A"}
LETTER_ABROAD = re.compile(
    rf"(?<![^\W\d_])(?<![\u0900-\u0963\u0966-\u0dff])({'|'.join(sorted(LETTERS_ABROAD, key=len, reverse=True))})"
    r"(?=[)\]）]|[\s.!。।\"'”’»*$]{0,4}$|(?<=\S\s.)[.,:،](?:\s|$))"
)
# how hurried texts write the words that matter here
WORDS_IN_FULL = {
    "w/": "with", "b/c": "because", "gonna": "going to", "teh": "the", "optoin": "option", "chioce": "choice",
    **dict.fromkeys("cuz bcuz coz bcos".split(), "because"), **dict.fromkeys("corect corrct".split(), "correct"),
    **dict.fromkeys("anwser awnser answr asnwer aswer anser".split(), "answer"),
}  # fmt: skip
SHORT_WORD = re.compile(rf"(?<![^\s(])(?:{'|'.join(map(re.escape, WORDS_IN_FULL))})(?=[\s:.,]|$)", re.IGNORECASE)


def with_latin_letters(text: str) -> str:
    """A line with "B" in place of "Б", "ب" or "ख", where such a letter stands in brackets or ends a clause.

    >>> with_latin_letters("الجواب: (ب)")
    'الجواب: (B)'
    """
    return text if text.isascii() else LETTER_ABROAD.sub(lambda found: LETTERS_ABROAD[found.group(1)], text)


def in_full(text: str) -> str:
    """A text in which words that are written short are whole: "gonna go w/ B cuz …"."""
    return SHORT_WORD.sub(lambda found: WORDS_IN_FULL[found.group().casefold()], text)


def undecorated(text: str) -> str:
    """A line without pictures, with plain letters in place of those in circles and squares.

    >>> undecorated("🎉 The answer is 🅱️ 👍")
    ' The answer is B'
    """
    if text.isascii():
        return text
    plain = text.translate(LETTERS_IN_SHAPES).translate(MARKS_BY_HAND) if SHAPED.search(text) else text
    return DECORATION.sub("", plain)


def with_plain_numbers(text: str, everywhere: bool) -> str:
    """A line with "2" in place of "②": everywhere, or only where an answer is announced or counted."""
    return (re.compile("[①-⑳]") if everywhere else CIRCLED).sub(lambda found: str(ord(found.group()) - 0x245F), text)


def plain_formula(text: str) -> str:
    """A simple LaTeX formula as plain text writes it; other ones come back as they are.

    >>> plain_formula(r"2\\sqrt{3}"), plain_formula(r"\\frac{2}{7}"), plain_formula("x^2")
    ('2√3', '2/7', 'x²')
    """
    plain = LATEX_ROOT.sub(lambda found: f"√{found.group(1) or found.group(2)}", text)
    plain = LATEX_FRACTION.sub(r"\1/\2", plain)
    plain = LATEX_POWER.sub(lambda found: (found.group(1) or found.group(2)).translate(TO_RAISED), plain)
    return LATEX_SIGN.sub(lambda found: SIGNS_OF_LATEX[found.group()], plain).replace("\\,", "").replace("\\ ", " ")
