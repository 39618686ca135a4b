"""Folds away what hides a repetition, counts what shows nothing, and screens out cheaply what cannot be padding.

Spaces, case, letters that look alike and numbers that only count hide repetitions. Invisible characters, gaps without
end and rows of signs show nothing. A screen lets through whatever may be padding of its kind, and a few texts more.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress, count
from operator import eq, sub
from typing import NamedTuple

from grpo_rewards.completion.text import compatible, visible

__all__ = [
    "NUMERALS",
    "Before",
    "alike",
    "compressible_share",
    "counted",
    "empty_tokens",
    "folded_sentences",
    "following",
    "may_have_few_words",
    "may_repeat_sentences",
    "pieces",
    "plain",
    "shown",
]

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


NUMERALS = re.compile(r"(\d[\da-f]{0,17})")  # decimal, of any script, or hexadecimal
REMEMBERED_NUMBERS = 8
LONGEST_PERIOD = 4  # numbers of one line of a list that counts


class Before(NamedTuple):
    """The last eight numerals before a passage, and the last eight decimal ones."""

    numerals: tuple[str, ...]
    decimals: tuple[str, ...]


def following(numerals: list[str], before: Before) -> tuple[list[str], Before]:
    """The numerals, with zeros for those that follow from those before, so that counting is a repetition.

    A number follows if it is, or is next to, one of the last eight, or is as far from the one a period ago as that is
    from the one two periods ago. All others stay: they are what a table or a calculation says. Numerals are compared
    as hexadecimal ones, and the decimal ones among them with each other as decimal ones.

    Returns:
        The numerals, and what those behind them may follow from.
    """
    known, known_decimals = len(before.numerals), len(before.decimals)
    every = [*before.numerals, *numerals]
    is_decimal = [one.isdecimal() for one in numerals]
    decimals = [*before.decimals, *compress(numerals, is_decimal)]
    found = _counting([*map(int, decimals)])[known_decimals:]
    # decimal numerals that are next to each other as hexadecimal ones are so as decimal ones
    if not all(is_decimal) or before.numerals != before.decimals:
        near = _near([int(one, 16) for one in every])[known:]
        for at, is_next in zip(compress(count(), is_decimal), found, strict=True):
            near[at] |= is_next
        found = near
    written = ["0" * len(one) if is_next else one for one, is_next in zip(numerals, found, strict=True)]
    return written, Before(tuple(every[-REMEMBERED_NUMBERS:]), tuple(decimals[-REMEMBERED_NUMBERS:]))


def _counting(values: list[int]) -> bytearray:
    follows = _near(values)
    for period in range(1, LONGEST_PERIOD + 1):
        if 0 not in follows:
            break
        steps = [*map(sub, values[period:], values)]
        for at in compress(count(2 * period), map(eq, steps[period:], steps)):
            follows[at] = 1
    return follows


def _near(values: list[int]) -> bytearray:
    """Whether each value is, or is next to, one of the last eight."""
    near_to: dict[int, int] = {}  # where a value would be near to that before it
    found = bytearray(len(values))
    for at, value in enumerate(values):
        found[at] = at - near_to.get(value, -REMEMBERED_NUMBERS - 1) <= REMEMBERED_NUMBERS
        near_to[value - 1] = near_to[value] = near_to[value + 1] = at
    return found


# Cyrillic and Greek letters that are drawn like Latin ones, in lower case
LOOKALIKES = str.maketrans("аеорсхуіјѕԁһвнкмтɡοικαρτυνε", "aeopcxyijsdhbhkmtgoikaptuve")
DRAWN_ALIKE = re.compile("[" + "".join(map(chr, LOOKALIKES)) + "]")
WIDE_LETTERS = re.compile("[\u2e80-\uffef]+")  # a character of these scripts says as much as three letters
WIDER = "~~"
LONGEST_WHOLE = 12  # characters of a word that is one piece
# A word is one piece. What is written without spaces is cut at vowels, or if it has none, after every character.
PIECES = re.compile("[\u2e80-\uffef]~~|\\S{1,12}+(?!\\S)|[^\\saeiou~]{0,5}+[aeiou]|\\S")
ENDS_OF_SENTENCES = re.compile(r"[.!?\n。！？؟।]+(?=\s|$)|[\n。！？]+")
SENTENCE_WORDS = 4
# Text is folded block by block, and a block like one of the last is not folded again: a loop costs next to nothing.
BLOCK = 240  # characters; whole periods of many short loops
LONG_BLOCK = 960
NUMBERED_BLOCKS = re.compile(rf"(?s).{{1,{LONG_BLOCK}}}[\da-f]*")  # none ends inside a numeral
SEEN_BEHIND = LONGEST_WHOLE + 1  # so many characters from where a piece begins decide where it ends
REMEMBERED_BLOCKS = 256


def alike(text: str) -> str:
    """The text in one spelling: lower case, and no letters that are drawn like others."""
    if text.isascii():
        return text.lower()
    text = compatible(text)[: len(text)].casefold()[: len(text)]  # one character may become eighteen
    return text.translate(LOOKALIKES) if DRAWN_ALIKE.search(text) else text


def counted(one_spelling: str) -> str:
    """The text with zeros for numbers that count, and three characters for one of a script without spaces."""
    parts, before = [], Before((), ())
    for block in NUMBERED_BLOCKS.findall(one_spelling):
        is_short = len(block) <= 2 * LONG_BLOCK  # a run of digits may be as long as the text
        part, before = (_remembered_block if is_short else _counted_block)(block, before)
        parts.append(part)
    return "".join(parts)


def _counted_block(block: str, before: Before) -> tuple[str, Before]:
    """A block as ``counted``, and what the numbers of the next one may follow from."""
    parts = NUMERALS.split(block)
    if len(parts) > 1:
        parts[1::2], before = following(parts[1::2], before)
        block = "".join(parts)
    if not block.isascii():
        block = WIDE_LETTERS.sub(lambda run: WIDER.join(run[0]) + WIDER, block)
    return block, before


_remembered_block = lru_cache(maxsize=REMEMBERED_BLOCKS)(_counted_block)


def pieces(folded: str) -> list[str]:
    """What stands between white space; of what is longer than twelve characters, its syllables."""
    found: list[str] = []
    has_wide = WIDER in folded
    for word in folded.split():
        if len(word) <= LONGEST_WHOLE and not (has_wide and WIDER in word):
            found.append(word)
        elif len(word) <= BLOCK:
            found += _cut_block(word)[0]
        else:
            found += _syllables(word)
    return found


def _syllables(word: str) -> list[str]:
    """The pieces of a long word, cut block by block."""
    found: list[str] = []
    at = 0
    while at < len(word):
        cut, size = _cut_block(word[at : at + BLOCK + SEEN_BEHIND])
        found += cut
        at += size
    return found


@lru_cache(maxsize=REMEMBERED_BLOCKS)
def _cut_block(block: str) -> tuple[Sequence[str], int]:
    """The pieces that begin in the block, and their characters; behind it is what decides where the last one ends."""
    cut, size = PIECES.findall(block), len(block)
    if size == BLOCK + SEEN_BEHIND:  # the word goes on
        while size - len(cut[-1]) >= BLOCK:
            size -= len(cut.pop())
    return tuple(cut), size


def folded_sentences(one_spelling: str) -> list[str]:
    """The sentences and lines of a text, without white space; ``""`` for those of few words.

    Numbers stay as they are. A line of data or of code has few words, and occurs again in honest data and code.
    """
    words = [one.split() for one in ENDS_OF_SENTENCES.split(one_spelling)]
    return ["".join(one) if len(one) >= SENTENCE_WORDS or not all(map(str.isascii, one)) else "" for one in words]


FEW_OTHERS = 0.02  # characters beyond ASCII, of a text that is screened by those of ASCII
OTHER_DIGITS = re.compile(r"(?![0-9])\d")
HEXADECIMAL = re.compile(b"0[a-f][0a-f]*")
ZEROS = bytes.maketrans(b"123456789", b"000000000")
# Repetitions are deflated to a tenth and less, honest prose and mathematics to a third, where numbers count as alike.
SEGMENT, DENSE = 1024, 0.25  # bytes, and the share of them that is left of a segment of repetitions
SHORT, DENSE_SHORT = 2048, 0.45  # a short text has nothing before it to refer to
REMEMBERED_BYTES = 1 << zlib.MAX_WBITS  # that deflate looks back
KNOWN_TEXTS = 8192
LATIN_LETTERS = bytes(one if chr(one).isalpha() else 32 for one in range(128)) + bytes([32]) * 128
FEW_OF_WORDS = (50, 18), (200, 50), (400, 80)  # so many words, of which so few distinct ones are few
LEAST_SCREENED_WORDS = 24  # of a text that is screened
LEAST_SHARE = 0.3  # of the words in a text that may have few
FULL_STOPS = tuple(end.encode() for end in "\n!?。！？؟।")
REPEATED_SENTENCES = 0.2  # of a text that may repeat its sentences

_known: dict[int, float] = {}  # by the hash of a text: several rewards look at each completion


def plain(text: str) -> bytes:
    """The text for the screens: in one spelling, with a zero for each digit.

    Hexadecimal digits behind another one are zeros too. Where nearly all is ASCII, the rest are question marks.
    """
    if len(text) - len(text.encode("ascii", "ignore")) <= FEW_OTHERS * len(text):
        data = text.encode("ascii", "replace").lower()
    else:
        data = OTHER_DIGITS.sub("0", alike(shown(text))).encode(errors="surrogatepass")
    return HEXADECIMAL.sub(lambda number: b"0" * len(number[0]), data.translate(ZEROS, CONTROL_BYTES))


def compressible_share(text: str) -> float:
    """The share of a text that is in segments of 1 KB which deflate makes a quarter of their size or less.

    Case, look-alike letters and numbers do not matter. 0 or 1 for a short text, which is looked at as a whole; 1 for
    one of more bytes than deflate looks back.
    """
    key = hash(text)
    share = _known.get(key)
    if share is None:
        share = _compressible_share(plain(text))
        if len(_known) >= KNOWN_TEXTS:
            _known.clear()
        _known[key] = share
    return share


def _compressible_share(data: bytes) -> float:
    if len(data) > REMEMBERED_BYTES:
        return 1.0
    if len(data) < SHORT:
        return float(len(zlib.compress(data, 1)) < DENSE_SHORT * len(data))
    deflate, dense = zlib.compressobj(1), 0
    for at in range(0, len(data), SEGMENT):
        segment = data[at : at + SEGMENT]
        size = len(deflate.compress(segment)) + len(deflate.flush(zlib.Z_SYNC_FLUSH))
        dense += len(segment) if size < DENSE * len(segment) else 0
    return dense / len(data)


def may_have_few_words(data: bytes) -> bool:
    """Whether a good part of a ``plain`` text may get along with few distinct words; always, if few are Latin."""
    words = data.translate(LATIN_LETTERS).split()
    if len(words) < LEAST_SCREENED_WORDS:
        return True
    poor = bytearray(len(words))
    for size, few in FEW_OF_WORDS:
        for at in range(0, len(words), size):
            some = words[at : at + size]
            if len(set(some)) <= few * len(some) / size + 2:
                poor[at : at + size] = b"\x01" * len(some)
    return poor.count(1) > LEAST_SHARE * len(words)


def may_repeat_sentences(data: bytes) -> bool:
    """Whether a good part of a ``plain`` text may be sentences that occur again."""
    data = data.replace(b" ", b"")
    for end in FULL_STOPS:
        data = data.replace(end, b".")
    sentences = data.split(b".")
    distinct, size = sum(map(len, set(sentences))), sum(map(len, sentences))
    return size - distinct > REPEATED_SENTENCES * size
