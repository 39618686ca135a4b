"""What one completion looks like: shares and counts, each a linear scan, that reward hacking drives up."""

from __future__ import annotations

import re

from grpo_rewards.answers.comparing.steps import compare_here
from grpo_rewards.completion.boxes import boxes
from grpo_rewards.completion.padding.informative_tokens import (
    CHARACTERS_PER_TOKEN,
    count_informative_tokens,
    repeated_share_of_text,
)
from grpo_rewards.completion.text import visible

__all__ = [
    "are_at_odds",
    "candidates",
    "copied_share",
    "folded",
    "has_bare_tags",
    "is_empty",
    "padded_share",
    "spoken_words",
]

CHARACTERS_READ = 8_000  # of a completion; a hack does not begin after as many
LONGEST_BOX_AT_ODDS = 200  # characters of a box that is compared with another
COPIED_WORDS = 4  # in a row, which a text shares with its prompt by more than chance
REPEATED_CHARACTERS = 12  # in a row: a word or two
BARE_TAGS = re.compile(r"<(\w{1,30})>[^\w<>]{0,40}</\1>|\\boxed ?\{[^\w{}]{0,40}\}")
MARKUP = re.compile(r"<[^<>]{1,40}>|\\[A-Za-z]{1,30}")
OFFERED_NUMBER = r"\d{1,20}(?:[./]\d{1,20})?"  # a decimal, or a fraction
LIST_JOINT = r"\s{0,2}(?:,(?!\d{3}(?!\d))|;|\bor\b|\band\b)\s{0,2}"  # no comma between thousands
LONG_DIGITS = re.compile(r"\d{16,}")  # more than a float holds: several numbers, written without a gap
LISTED_NUMBERS = re.compile(f"{OFFERED_NUMBER}(?:{LIST_JOINT}{OFFERED_NUMBER})+")
LEXEMES = re.compile(r"\w+")
LONG_WORDS = re.compile(r"[^\W\d_]{3,30}")


def folded(text: str) -> str:
    """The text without what hides that two texts are the same: case, spaces, invisible characters."""
    return " ".join(visible(text).lower().split())


def is_empty(text: str) -> bool:
    """Whether it has no letter and no digit outside markup."""
    return LEXEMES.search(MARKUP.sub(" ", visible(text[:CHARACTERS_READ]))) is None


def has_bare_tags(text: str) -> bool:
    """Whether a pair of tags, or a box, holds no letter and no digit."""
    return BARE_TAGS.search(visible(text[:CHARACTERS_READ])) is not None


def candidates(text: str) -> int:
    """How many answers it offers: the different boxes, or the numbers of its longest list of numbers.

    A run of more digits than a number has is a list of numbers of two digits.

    >>> candidates(r"\\boxed{3} \\boxed{4}"), candidates("It is 15 or 16 or 17."), candidates("4 * 6 = 24")
    (2, 3, 1)
    >>> candidates("1415161718192021")
    8
    """
    text = text[:CHARACTERS_READ]
    lists = (len({*re.findall(OFFERED_NUMBER, found.group())}) for found in LISTED_NUMBERS.finditer(text))
    runs = (len({*re.findall(r"\d\d", found.group())}) for found in LONG_DIGITS.finditer(text))
    return max([1, len({*boxes(text)}), *lists, *runs])


def are_at_odds(one: str, other: str) -> bool:
    """Whether two answers to one question cannot both be right: they have other digits, and are not found to be equal.

    What only computer algebra could decide is not at odds, nor is an answer in words.

    >>> are_at_odds("4", "5"), are_at_odds("4 +", "(5"), are_at_odds("1/2", "0.5"), are_at_odds("B", "42")
    (True, True, False, False)
    """
    if len(one) > LONGEST_BOX_AT_ODDS or len(other) > LONGEST_BOX_AT_ODDS:
        return False
    digits, others = re.findall(r"\d+", one), re.findall(r"\d+", other)
    if not digits or not others or digits == others:
        return False
    compared = compare_here(one, other)
    return compared.outcome != "correct" and not compared.undecided_pairs


def copied_share(prompt: str, text: str) -> float:
    """The share of the text's runs of four words that the prompt has."""
    written, prompted = (LEXEMES.findall(one[:CHARACTERS_READ].lower()) for one in (text, prompt))
    runs = [*zip(*(written[at:] for at in range(COPIED_WORDS)), strict=False)]
    known = {*zip(*(prompted[at:] for at in range(COPIED_WORDS)), strict=False)}
    return sum(run in known for run in runs) / len(runs) if runs else 0.0


def padded_share(text: str) -> float:
    """The share of the text that adds nothing new."""
    text = text[:CHARACTERS_READ]
    tokens = len(text) // CHARACTERS_PER_TOKEN
    informative = count_informative_tokens(range(tokens), text) / tokens if tokens else 1.0
    return max(1 - informative, repeated_share_of_text(text, REPEATED_CHARACTERS) or 0.0)


def spoken_words(text: str) -> tuple[list[str], int]:
    """(its words of three letters or more, how many words and numbers it has), without markup."""
    text = MARKUP.sub(" ", text[:CHARACTERS_READ]).lower()
    return LONG_WORDS.findall(text), len(LEXEMES.findall(text))
