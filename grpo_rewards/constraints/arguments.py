"""Reads the arguments of an instruction as data sets hold them, and refuses those that make no sense."""

import operator
from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from typing import Any

from grpo_rewards.completion.whole_words import folded
from grpo_rewards.constraints.reading.languages import LANGUAGES, MORE_LANGUAGES
from grpo_rewards.constraints.reading.texts import composed

MOST_CHARACTERS_OF_ARGUMENT = 100_000  # a longer one is no instruction that somebody wrote
MOST_CHARACTERS_OF_WORD = 500  # what a check looks for at every place of the text
MOST_TEXTS = 200  # in one list
MOST_COUNTED = 10_000_000
RELATIONS = ("less than", "at least")

Reader = Callable[[Any], Any]  # from what the row holds to what a check takes


def quoted(value: Any) -> str:
    """A value for a message, cut to 80 characters."""
    try:
        return repr(value)[:80]
    except (ValueError, RecursionError):  # an integer of thousands of digits, lists inside lists
        return f"a value of type {type(value).__name__}"


# Each reader raises ValueError or TypeError for what it cannot take.


def count(value: Any) -> int:
    """A whole number from 0 on; data sets with missing values make floats of them."""
    number = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    if isinstance(value, bool) or not 0 <= number <= MOST_COUNTED:
        raise ValueError
    return number


def number_from_one(value: Any) -> int:
    """A whole number from 1 on."""
    number = count(value)
    if number < 1:
        raise ValueError
    return number


def percentage(value: Any) -> float:
    """A number from 0 to 100."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise ValueError
    return float(value)


def relation(value: Any) -> str:
    """``less than`` or ``at least``."""
    return RELATIONS[RELATIONS.index(value)]


def text(value: Any) -> str:
    """A text that is not blank, without the white space around it."""
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS_OF_ARGUMENT or not (one := composed(value).strip()):
        raise ValueError
    return one


def word(value: Any) -> str:
    """A text; IFTrain puts some into lists of one."""
    one = text(value[0] if isinstance(value, list | tuple) and len(value) == 1 else value)
    if len(one) > MOST_CHARACTERS_OF_WORD or not folded(one):
        raise ValueError
    return one


def texts(value: Any) -> tuple[str, ...]:
    """A list or an array of texts, one at least."""
    if isinstance(value, str | bytes) or not 0 < len(value) <= MOST_TEXTS:
        raise ValueError
    return tuple(word(one) for one in value)


def letter(value: Any) -> str:
    """One character, in lower case."""
    one = text(value)
    if len(one) != 1:
        raise ValueError
    return one.lower()


def language_code(value: Any) -> str:
    """A code of ISO 639-1, such as ``de``; what follows a hyphen, as in ``zh-cn``, does not matter."""
    code = text(value).lower().partition("-")[0].partition("_")[0]
    if code not in LANGUAGES and code not in MORE_LANGUAGES:
        raise ValueError
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
WANTED_BY: dict[Reader, str] = {
    count: f"a whole number from 0 to {MOST_COUNTED:,}",
    number_from_one: f"a whole number from 1 to {MOST_COUNTED:,}",
    percentage: "a number from 0 to 100",
    relation: "'less than' or 'at least'",
    text: f"a text that is not blank, of at most {MOST_CHARACTERS_OF_ARGUMENT:,} characters",
    word: f"a word or phrase of at most {MOST_CHARACTERS_OF_WORD} characters",
    texts: f"a list of at most {MOST_TEXTS} words or phrases, each of at most {MOST_CHARACTERS_OF_WORD} characters",
    letter: "one letter",
    language_code: "the code of a known language, such as 'de'",
}


@cache
def readers_of(check: Callable[..., Any]) -> Mapping[str, Reader]:
    """What reads the arguments of a check: each has the name that it has in the data sets, and none has a default."""
    _, *parameters = signature(check).parameters.values()
    return {one.name: READER_OF[one.name] for one in parameters if one.default is one.empty}
