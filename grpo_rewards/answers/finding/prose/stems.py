"""Tells quickly that a clause has none of the words of some patterns. Most clauses have none, and patterns are slow.

Look here if a clause is not recognised although its pattern matches it.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["REMEMBERED_CLAUSES", "has_stem", "stems"]

# A clause is asked about several times in a row, and a policy may write one clause a thousand times.
REMEMBERED_CLAUSES = 64

ESCAPES = re.compile(r"\\[A-Za-z]|\(\?[P<:!=]{1,2}")
LETTERS = re.compile(r"[a-z]+")
STEM_LETTERS = 4  # of a word, that are compared
# Words of which no alternative of a pattern consists alone.
COMMON_WORDS = (
    "the a an is are was were be it its this that i we you he she of to in on at and as my our your will have"
)
COMMON_STEMS = frozenset(word[:STEM_LETTERS] for word in COMMON_WORDS.split())


def stems(*patterns: re.Pattern[str]) -> frozenset[str]:
    """The beginnings of all words in some patterns, without common words. A text that matches has one of them."""
    words = (word for one in patterns for word in LETTERS.findall(ESCAPES.sub(" ", one.pattern.lower())))
    return frozenset(word[:STEM_LETTERS] for word in words) - COMMON_STEMS


def has_stem(text: str, known: frozenset[str]) -> bool:
    """Whether a text has a word that begins like one of ``known``, or is not only ASCII."""
    return not text.isascii() or not known.isdisjoint(_stems_of(text))


@lru_cache(maxsize=REMEMBERED_CLAUSES)
def _stems_of(text: str) -> tuple[str, ...]:
    return tuple(word[:STEM_LETTERS] for word in LETTERS.findall(text.lower()))
