"""Reads numbers and dates in words: ``seven``, ``twenty-one apples``, ``March 15``, ``2024-02-29``."""

from __future__ import annotations

import re
from fractions import Fraction

from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes
from grpo_rewards.answers.reading.quantities.after_number import unit_of_words
from grpo_rewards.answers.values.kinds import Number, Text

__all__ = ["NUMBER_WORDS", "read_date", "read_number_in_words", "value_of_words"]

ONES = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
LARGE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
NUMBER_WORDS = frozenset((*ONES, *TENS, *LARGE, "and"))
MOST_NUMBER_WORDS = 12
LONGEST_DATE = 8  # nodes
_MONTHS = "january february march april may june july august september october november december".split()
MONTHS = {name: index for index, month in enumerate(_MONTHS, 1) for name in (month, month[:3])}
DATE = re.compile(r"([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})")
DAY = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?")
YEAR_DIGITS = 4
YEAR = re.compile(r"[0-9]{4}")


def read_number_in_words(nodes: Nodes) -> Number | None:
    """The number that words spell, perhaps with what is counted behind it; ``None`` for other words."""
    if not nodes or any(node.kind not in WORD_KINDS and node.text != "-" for node in nodes):
        return None
    words = " ".join(node.text for node in nodes).casefold().replace("-", " ").strip(" .").split()
    size = next((index for index, word in enumerate(words) if word not in NUMBER_WORDS), len(words))
    value = value_of_words(words[:size]) if 0 < size <= MOST_NUMBER_WORDS else None
    if value is None:
        return None
    unit = unit_of_words(" ".join(words[size:])) if size < len(words) else None
    return None if size < len(words) and unit is None else Number(Fraction(value), unit)


def value_of_words(words: list[str]) -> int | None:
    """The number that number words spell; ``None`` if they do not follow each other as in a number."""
    total = group = 0
    last = 1_000  # the size of the word before: after "twenty" only ones may come
    for index, word in enumerate(words):
        if word == "and":
            if index in (0, len(words) - 1) or last < 100:
                return None
        elif word in LARGE:
            if not group or (word == "hundred" and group > 9):
                return None
            group, last = group * LARGE[word], LARGE[word]
            if word != "hundred":
                total, group = total + group, 0
        else:
            value = ONES.get(word, TENS.get(word, 0))
            if last < 100 and (last != 20 or not 0 < value < 10):
                return None
            group, last = group + value, 20 if word in TENS else 1
    return total + group


def read_date(nodes: Nodes) -> Text | None:
    """A date as a ``Text`` of its month, day and year: ``March 15``, ``15 March 2024``, ``2024-03-15``.

    ``None`` for anything else, as for the difference ``2024-3-15``.
    """
    if not 2 <= len(nodes) <= LONGEST_DATE or not (nodes[0].kind in WORD_KINDS or nodes[0].kind == "digits"):
        return None
    if any(node.args for node in nodes):
        return None
    if not any(node.kind in WORD_KINDS for node in nodes) and len(nodes[0].text) != YEAR_DIGITS:
        return None
    spelled = "".join(node.text if node.kind == "digits" else f" {node.text} " for node in nodes)
    found = DATE.fullmatch(spelled.replace(" ", ""))
    if found:
        year, month, day = map(int, found.groups())
        return Text(f"date {month} {day} {year}") if month <= 12 and day <= 31 else None
    words = spelled.replace(",", " ").replace(".", " ").casefold().split()
    months = [word for word in words if word in MONTHS]
    years = [word for word in words if YEAR.fullmatch(word)]
    days = [match.group(1) for word in words if (match := DAY.fullmatch(word))]
    rest = len(words) - len(months) - len(years) - len(days) - words.count("of") - words.count("th")
    if len(months) != 1 or len(days) != 1 or len(years) > 1 or rest:
        return None
    return Text(f"date {MONTHS[months[0]]} {int(days[0])} {years[0] if years else ''}".strip())
