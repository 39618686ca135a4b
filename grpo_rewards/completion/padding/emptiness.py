"""Counts what a reader does not see: invisible characters, gaps without end, and rows of signs without a word."""

from __future__ import annotations

import re

from grpo_rewards.completion.text import visible

__all__ = ["CONTROL_BYTES", "empty_tokens", "shown"]

CONTROL_BYTES = bytes({*range(32), 127} - {*b"\t\n\r"})  # of ASCII; they show nothing
CONTROLS = re.compile(f"[{re.escape(CONTROL_BYTES.decode())}]")
# Spelling, not padding: joiners inside words of scripts that need them, and what makes one emoji of several signs.
JOINERS = re.compile(
    "(?<=[\u0590-\u0dff\u0f00-\u109f\u1780-\u17ff])[\u200c\u200d](?=\\w)"
    "|(?<=[\u00a9-\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
    "|(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])"
)
JOINING = "\u200c\u200d\ufe0e\ufe0f"
CHARACTERS_PER_INVISIBLE = 200  # so many excuse an invisible one, such as a mark of direction
BYTES_PER_CHARACTER = 4  # UTF-8 has at most so many, and a tokenizer of bytes may spend a token on each
GAPS = re.compile(r"\s{2,}")
# A line break with up to two empty lines and an indentation, or spaces and tabs that align a column
EVEN_GAP = re.compile(r"( {0,4}\r?\n(?:[ \t]*\r?\n){0,2})?[ \t]*")
LONG_GAP = 100
# So much of a text may be empty lines, alignment, and what indents lines, as in data that is nested deeply
BLANK, ALIGNED, INDENTED = 0.25, 0.55, 0.85
ROWS_OF_SIGNS = re.compile(r"(?:[^\w\s=+|*#~<>/\\─│┼═-]\s?){16,}")  # without a word; not what draws tables and formulas
STACKED_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4,}")
FEWEST_SIGNS = b"!" * 16
SIGNS_ALLOWED = 0.08  # of a text
GAPS_ALLOWED = 0.05  # of a text may be in gaps that are not looked at
SPACES = bytes.maketrans(b"\t\n\v\f\r", b"     ")
AS_SIGNS = bytes(97 if chr(one).isalnum() or chr(one) in "_=+|*#~<>/\\-" else 33 for one in range(256))  # a and !


def shown(text: str) -> str:
    """The text without control characters and invisible ones."""
    return CONTROLS.sub("", visible(text))


def empty_tokens(text: str) -> int:
    """The greatest number of tokens that a tokenizer may spend on what a reader of the text does not see."""
    if _shows_all(text):
        return 0
    spelled = JOINERS.sub("", text) if any(one in text for one in JOINING) else text
    seen = shown(spelled)
    invisible = max(len(spelled) - len(seen) - len(text) // CHARACTERS_PER_INVISIBLE, 0)
    return BYTES_PER_CHARACTER * invisible + _gaps(seen) + _signs(seen)


def _shows_all(text: str) -> bool:
    """Whether a text has no control character, no row of signs, and hardly a gap or a character beyond ASCII."""
    data = text.encode("ascii", "replace")
    others = len(text) - len(text.encode("ascii", "ignore"))
    return (
        others <= len(text) // CHARACTERS_PER_INVISIBLE
        and 2 * data.translate(SPACES).count(b"  ") <= GAPS_ALLOWED * len(text)
        and len(data.translate(None, CONTROL_BYTES)) == len(data)
        and FEWEST_SIGNS not in data.translate(AS_SIGNS, b" \t\n\v\f\r")
    )


def _gaps(text: str) -> int:
    odd = blank = aligned = indented = 0
    for gap in GAPS.findall(text):
        even = EVEN_GAP.fullmatch(gap)
        if even is None or len(gap) > LONG_GAP:
            odd += len(gap.encode(errors="surrogatepass")) - 1
        else:
            lines = max(len(even[1] or "") - 1, 0)
            blank += lines
            if even[1]:
                indented += len(gap) - 1 - lines
            else:
                aligned += len(gap) - 1
    shares = (blank, BLANK), (aligned, ALIGNED), (indented, INDENTED)
    return odd + sum(size for size, allowed in shares if size > allowed * len(text))


def _signs(text: str) -> int:
    rows = [*ROWS_OF_SIGNS.findall(text), *([] if text.isascii() else STACKED_MARKS.findall(text))]
    return (
        sum(len(row.encode(errors="surrogatepass")) for row in rows)
        if sum(map(len, rows)) > SIGNS_ALLOWED * len(text)
        else 0
    )
