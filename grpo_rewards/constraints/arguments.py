"""Reads the arguments of an instruction as data sets hold them, and refuses those that make no sense."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sized
from functools import cache
from inspect import signature
from typing import Any

from grpo_rewards.completion.whole_words import folded
from grpo_rewards.constraints.reading.languages import LANGUAGES, MORE_LANGUAGES
from grpo_rewards.constraints.reading.texts import composed

__all__ = ["BadArgumentError", "quoted", "readers_of", "relation", "texts"]

MOST_CHARACTERS_OF_ARGUMENT = 100_000  # a longer one is no instruction that somebody wrote
MOST_CHARACTERS_OF_WORD = 500  # what a check looks for at every place of the text
MOST_TEXTS = 200  # in one list
MOST_COUNTED = 10_000_000
RELATIONS = ("less than", "at least")

Reader = Callable[[Any], Any]  # from what the row holds to what a check takes


class BadArgumentError(ValueError):
    """An argument of an instruction is missing or makes no sense. The row is at fault."""


def quoted(value: Any) -> str:
    """A value for a message, cut to 80 characters."""
    try:
        return repr(value)[:80]
    except (ValueError, RecursionError):  # an integer of thousands of digits, lists inside lists
        return f"a value of type {type(value).__name__}"


def count(value: Any) -> int:
    """A whole number from 0 on; data sets with missing values make floats of them."""
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    except TypeError:
        raise BadArgumentError(f"must be a whole number, not {quoted(value)}") from None
    if isinstance(value, bool) or not 0 <= number <= MOST_COUNTED:
        raise BadArgumentError(f"must be a whole number from 0 to {MOST_COUNTED:,}, not {quoted(value)}")
    return number


def number_from_one(value: Any) -> int:
    """A whole number from 1 on."""
    number = count(value)
    if number < 1:
        raise BadArgumentError("must be at least 1, not 0")
    return number


def percentage(value: Any) -> float:
    """A number from 0 to 100."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise BadArgumentError(f"must be a number from 0 to 100, not {quoted(value)}")
    return float(value)


def relation(value: Any) -> str:
    """``less than`` or ``at least``."""
    if value not in RELATIONS:
        raise BadArgumentError(f"must be 'less than' or 'at least', not {quoted(value)}")
    return str(value)


def text(value: Any) -> str:
    """A text that is not blank, without the white space around it."""
    if not isinstance(value, str) or not composed(value).strip() or len(value) > MOST_CHARACTERS_OF_ARGUMENT:
        raise BadArgumentError(f"must be a text that is not blank, not {quoted(value)}")
    return composed(value).strip()


def word(value: Any) -> str:
    """A text; IFTrain puts some into lists of one."""
    one = text(value[0] if isinstance(value, list | tuple) and len(value) == 1 else value)
    if len(one) > MOST_CHARACTERS_OF_WORD or not folded(one):
        raise BadArgumentError(f"must be a word or phrase of at most {MOST_CHARACTERS_OF_WORD} characters")
    return one


def texts(value: Any) -> tuple[str, ...]:
    """A list or an array of texts, one at least."""
    # not Sequence: numpy's arrays are not instances of it
    if isinstance(value, str | bytes) or not (isinstance(value, Iterable) and isinstance(value, Sized) and len(value)):
        raise BadArgumentError(f"must be a list of texts, not {quoted(value)}")
    if len(value) > MOST_TEXTS:
        raise BadArgumentError(f"must be a list of at most {MOST_TEXTS} texts, not of {len(value)}")
    return tuple(word(one) for one in value)


def letter(value: Any) -> str:
    """One character, in lower case."""
    one = text(value)
    if len(one) != 1:
        raise BadArgumentError(f"must be one letter, not {quoted(value)}")
    return one.lower()


def language_code(value: Any) -> str:
    """A code of ISO 639-1, such as ``de``; what follows a hyphen, as in ``zh-cn``, does not matter."""
    code = text(value).lower().partition("-")[0].partition("_")[0]
    if code not in LANGUAGES and code not in MORE_LANGUAGES:
        raise BadArgumentError(f"must be the code of a known language, such as 'de', not {quoted(value)}")
    return code


# What reads each argument, by its name in the data sets.
NAMES_READ_BY = {
    count: "capital_frequency frequency let_frequency max_words min_words N n_end n_start num_bullets num_highlights "
    "num_paragraphs num_placeholders num_sections num_sentences num_words small_n",
    number_from_one: "m n n_sent n_words nth_paragraph",
    percentage: "percentage",
    relation: "capital_relation let_relation relation",
    text: "end_phrase options phrase prompt_to_repeat reference_text",
    word: "first_word keyword keyword1 keyword2 keyword3 keyword4 keyword5 last_word postscript_marker section_spliter "
    "sep word",
    texts: "forbidden_words keywords",
    letter: "letter",
    language_code: "language",
}
READER_OF: dict[str, Reader] = {name: reader for reader, names in NAMES_READ_BY.items() for name in names.split()}


@cache
def readers_of(check: Callable[..., Any]) -> Mapping[str, Reader]:
    """What reads the arguments of a check: each has the name that it has in the data sets."""
    _, *names = signature(check).parameters
    return {name: READER_OF[name] for name in names}
