"""Brings texts into one form, and finds phrases, paragraphs and quotes in them. Everything is linear in the text."""

import re
from functools import lru_cache

from grpo_rewards.completion.text import compatible, visible
from grpo_rewards.completion.whole_words import folded, holds, times, undisguised

SEVERAL_SPACES = re.compile("(?<=\\S) {2,}(?=\\S)")
WORDS_APART = "\ue0f2"  # a character for private use; a phrase has one space, or a line break, between its words
CURLY = {"“": '"', "”": '"', "„": '"', "＂": '"', "‘": "'", "’": "'", "‚": "'"}


def composed(text: str) -> str:
    """The text in one form: no invisible characters, accents joined to their letters, lines ended by ``\\n``."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return compatible(visible(text), "NFC")


def straight_quotes(text: str) -> str:
    """The text with typographic quotation marks made straight."""
    for curly, straight in CURLY.items():
        text = text.replace(curly, straight)
    return text


@lru_cache(maxsize=8)  # a row may have many words to look for in one text and its variants
def _readings(text: str, disguised: bool) -> set[str]:
    """A text as words are compared, and also without what hides a word from a search but not from a reader."""
    plain = folded(SEVERAL_SPACES.sub(f" {WORDS_APART} ", text) if "  " in text else text)
    return {plain, undisguised(plain)} if disguised else {plain}


def count_phrase(text: str, phrase: str, *, disguised: bool = False) -> int:
    """How often a phrase occurs as whole words, whatever the case; occurrences do not overlap.

    >>> count_phrase("Art is not a start. _ART!_", "art")
    2
    >>> count_phrase("我不知道答案", "不知道")
    1
    """
    word = folded(phrase)
    return max(times(one, word) for one in _readings(text, disguised)) if word else 0


def holds_phrase(text: str, phrase: str, *, disguised: bool = False) -> bool:
    """Whether a phrase occurs as whole words, whatever the case.

    With ``disguised``, look-alike letters and emphasis inside a word do not hide it.
    """
    word = folded(phrase)
    return bool(word) and any(holds(one, word) for one in _readings(text, disguised))


def lines(text: str) -> list[str]:
    """The lines that are not blank."""
    return [line for line in text.split("\n") if line.strip()]


def paragraphs(text: str) -> list[str]:
    """What is parted by empty lines and not blank."""
    return [one for one in text.split("\n\n") if one.strip()]
