"""Folds away what hides a repetition, and counts what shows nothing.

Spaces, case, letters that look alike and numbers that only count hide repetitions. Invisible characters, gaps without
end and rows of signs show nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import sub

from grpo_rewards.completion.text import compatible, visible

CONTROL_BYTES = bytes({*range(32), 127} - {*b"\t\n\r"})  # of ASCII; they show nothing
CONTROLS = re.compile(f"[{re.escape(CONTROL_BYTES.decode())}]")
# Spelling, not padding: joiners inside words of scripts that need them, and what makes one emoji of several signs.
JOINERS = re.compile(
    "[\u200c\u200d\ufe0e\ufe0f](?:(?<=[\u0590-\u0dff\u0f00-\u109f\u1780-\u17ff][\u200c\u200d])(?=\\w)"
    "|(?<=[\u00a9-\u3299\U0001f000-\U0001faff][\ufe0e\ufe0f])"
    "|(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]\u200d)(?=[\u2600-\u27bf\U0001f000-\U0001faff]))"
)
CHARACTERS_PER_INVISIBLE = 200  # so many excuse an invisible one, such as a mark of direction
BYTES_PER_CHARACTER = 4  # UTF-8 has at most so many, and a tokenizer of bytes may spend a token on each
# A line break with up to two empty lines and an indentation, or spaces and tabs that align a column, are even.
GAPS = re.compile(r"\s{2,}")
EVEN_GAP = re.compile(r"( {0,4}\r?\n(?:[ \t]*\r?\n){0,2})?[ \t]*")
LONG_GAP = 100
# So much of a text may be empty lines, alignment, and what indents lines, as in data that is nested deeply
BLANK, ALIGNED, INDENTED = 0.25, 0.55, 0.85
LONE_SIGN = r"[^\w\s=+|*#~<>/\\─│┼═-]"  # not what draws tables and formulas
ROWS_OF_SIGNS = re.compile(rf"{LONE_SIGN}(?:\s?{LONE_SIGN}){{15,}}")
STACKED_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4,}")
SIGNS_ALLOWED = GAPS_ALLOWED = 0.05  # of a text
# For a quick look: white space as one byte, and as one byte what may be a sign.
SPACES = bytes.maketrans(b"\n\t\v\f\r", b"     ")
AS_SIGNS = bytes(33 if one < 128 and re.match(LONE_SIGN, chr(one)) else 65 for one in range(256))


def shown(text: str) -> str:
    """The text without control characters and invisible ones."""
    data = text.encode("ascii", "ignore")
    has_controls = len(data.translate(None, CONTROL_BYTES)) < len(data)  # many times as fast as the search
    return CONTROLS.sub("", visible(text)) if has_controls else visible(text)


def empty_tokens(text: str) -> int:
    """The greatest number of tokens that a tokenizer may spend on what a reader of the text does not see."""
    if _shows_all(text):
        return 0
    spelled = JOINERS.sub("", text)
    seen = shown(spelled)
    invisible = max(len(spelled) - len(seen) - len(text) // CHARACTERS_PER_INVISIBLE, 0)
    return BYTES_PER_CHARACTER * invisible + _gaps(seen) + _signs(seen)


def _shows_all(text: str) -> bool:
    """Whether one look shows that a text has no control character, no row of signs, and few gaps and other signs."""
    data = text.encode("ascii", "replace")
    others = len(text) - len(text.encode("ascii", "ignore"))
    return (
        others <= len(text) // CHARACTERS_PER_INVISIBLE
        and 2 * data.translate(SPACES).count(b"  ") <= GAPS_ALLOWED * len(text)
        and len(data.translate(None, CONTROL_BYTES)) == len(data)
        and b"!" * 16 not in data.translate(AS_SIGNS, b" \t\n\v\f\r")
    )


def _gaps(text: str) -> int:
    odd = blank = aligned = indented = 0
    for gap in GAPS.findall(text):
        even = EVEN_GAP.fullmatch(gap)
        if even is None or len(gap) > LONG_GAP:
            odd += len(gap.encode(errors="surrogatepass")) - 1
        elif even[1]:
            blank += len(even[1]) - 1
            indented += len(gap) - len(even[1])
        else:
            aligned += len(gap) - 1
    shares = (blank, BLANK), (aligned, ALIGNED), (indented, INDENTED)
    return odd + sum(size for size, allowed in shares if size > allowed * len(text))


def _signs(text: str) -> int:
    rows = ROWS_OF_SIGNS.findall(text) + ([] if text.isascii() else STACKED_MARKS.findall(text))
    signs = "".join(rows)
    return len(signs.encode(errors="surrogatepass")) if len(signs) > SIGNS_ALLOWED * len(text) else 0


# Cyrillic and Greek letters that are drawn like Latin ones, in lower case
LOOKALIKES = str.maketrans("аеорсхуіјѕԁһвнкмтɡοικαρτυνε", "aeopcxyijsdhbhkmtgoikaptuve")
DRAWN_ALIKE = re.compile("[" + "".join(map(chr, LOOKALIKES)) + "]")
OTHER_DIGITS = re.compile(r"[^\x00-\x7f\D]")


def alike(text: str) -> str:
    """The text in one spelling: lower case, no letters that are drawn like others, digits from 0 to 9."""
    if text.isascii():
        return text.lower()
    text = compatible(text)[: len(text)].casefold()[: len(text)]  # one character may become eighteen
    text = text.translate(LOOKALIKES) if DRAWN_ALIKE.search(text) else text
    return OTHER_DIGITS.sub(lambda digit: str(int(digit[0])), text)


NUMERALS = re.compile(r"(\d[\da-f]{0,17})")  # decimal or hexadecimal
REMEMBERED_NUMBERS = 8
LONGEST_PERIOD = 4  # numbers of one line of a list that counts
WIDE_LETTERS = re.compile("([\u2e80-\uffef])")  # a character of these scripts says as much as three letters
# A word of up to twelve characters is one piece. What is written without spaces is cut at vowels, or if it has none,
# after every character.
PIECES = re.compile("[\u2e80-\uffef]~~|\\S{1,12}+(?!\\S)|[^\\saeiou~]{0,5}+[aeiou]|[^\\saeiou~]{1,3}|\\S")


def counted(one_spelling: str) -> str:
    """The text with zeros for numbers that count, and three characters for one of a script without spaces.

    A number counts if it is, or is next to, one of the last eight, or is as far from the one a period ago as that is
    from the one two periods ago. All others stay: they are what a table or a calculation says. Numerals are compared
    as hexadecimal ones, and the decimal ones among them with each other as decimal ones.
    """
    parts = NUMERALS.split(one_spelling)
    numerals = parts[1::2]
    decimals = [at for at, one in enumerate(numerals) if one.isdecimal()]
    are_decimal = len(decimals) == len(numerals)  # then what is near as a hexadecimal one is so as a decimal one, too
    follows = [False] * len(numerals) if are_decimal else _near([int(one, 16) for one in numerals])
    for at, is_next in zip(decimals, _counting([int(numerals[at]) for at in decimals]), strict=True):
        follows[at] = follows[at] or is_next
    parts[1::2] = ["0" * len(one) if is_next else one for one, is_next in zip(numerals, follows, strict=True)]
    text = "".join(parts)
    if not text.isascii():
        parts = WIDE_LETTERS.split(text)
        parts[1::2] = [one + "~~" for one in parts[1::2]]
        text = "".join(parts)
    return text


def _counting(values: list[int]) -> list[bool]:
    """Whether each value is near to one before, or goes on by the step of its period."""
    follows = _near(values)
    for period in range(1, LONGEST_PERIOD + 1):
        steps = [*map(sub, values[period:], values)]
        for at, (step, next_step) in enumerate(zip(steps, steps[period:], strict=False), 2 * period):
            follows[at] = follows[at] or step == next_step
    return follows


def _near(values: list[int]) -> list[bool]:
    """Whether each value is, or is next to, one of the last eight."""
    near_to: dict[int, int] = {}  # where a value would be near to that before it
    found = []
    for at, value in enumerate(values):
        found.append(at - near_to.get(value, -REMEMBERED_NUMBERS - 1) <= REMEMBERED_NUMBERS)
        near_to[value - 1] = near_to[value] = near_to[value + 1] = at
    return found


def pieces(folded: str) -> Sequence[str]:
    """What stands between white space; of what is longer than twelve characters, its syllables."""
    return PIECES.findall(folded)
