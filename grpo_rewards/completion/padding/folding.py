"""Folds away what hides a repetition: spaces, case, letters that look alike, and numbers that count."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from grpo_rewards.completion.padding.counting import NUMERALS, Before, following
from grpo_rewards.completion.text import compatible

__all__ = ["alike", "counted", "folded_sentences", "pieces"]

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
