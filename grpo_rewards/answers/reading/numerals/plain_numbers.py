r"""Reads numbers that can mean only one thing, without parsing them: ``-3``, ``1,000.50``, ``\$5``, ``25\%``,
``\frac{3}{4}``, ``10 \text{ cm}``.

This is a shortcut for speed: most answers are such numbers. The result must be the one that the parser and ``dispatch``
would give, in a fraction of their time.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from grpo_rewards.answers.latex.tree import SYMBOL_LETTERS
from grpo_rewards.answers.reading.quantities.after_number import unit_of_words
from grpo_rewards.answers.reading.wording.words import multiplier
from grpo_rewards.answers.values.kinds import Number

__all__ = ["read_plain"]

# With at most 20 digits on each side of the point, no limit of size is near.
NUMBER_WITH_UNIT = re.compile(
    r"(-?)(\\?\$)?([0-9]{1,20}|[1-9][0-9]{0,2}(?:(?:,|,\\!|\{,\})[0-9]{3}){1,5})(?:\.([0-9]{1,20}))?"
    r"(?:(\\?%)|(\^\\circ|\^\{\\circ\})| ?\\(?:text|mbox)\{([A-Za-z ]{1,40})\})?"
)
FRACTION = re.compile(r"(-?)\\[dt]?frac\{(-?[0-9]{1,20})\}\{([0-9]{1,20})\}")


def read_plain(text: str) -> tuple[str, Number] | None:
    """(canonical spelling, value) of a plain number; ``None`` for everything else."""
    number = NUMBER_WITH_UNIT.fullmatch(text)
    if number is not None:
        return _number(number)
    fraction = FRACTION.fullmatch(text)
    return None if fraction is None else _fraction(fraction)


def _number(found: re.Match[str]) -> tuple[str, Number] | None:
    """(canonical spelling, value) of a match of ``NUMBER_WITH_UNIT``; ``None`` if its words need a closer look."""
    sign, dollar, whole, decimals, percent, degree, words = found.groups()
    if dollar and (percent or degree or words):
        return None
    named = _unit(words.strip()) if words else None
    if words and named is None:
        return None
    whole = whole if whole.isdecimal() else whole.replace("{,}", ",").replace("\\!", "")
    digits = whole.replace(",", "")
    unit = "dollar" if dollar else "percent" if percent else "degree" if degree else named
    spelled = sign + ("\\$" if dollar else "") + whole
    if decimals is None:
        value = Fraction(int(sign + digits))
    else:
        value = Fraction(int(sign + digits + decimals), 10 ** len(decimals))
        spelled += "." + decimals
    spelled += "\\%" if percent else "^{\\circ }" if degree else _spelled(words.strip()) if words else ""
    return spelled, Number(value, unit, None if decimals is None else len(decimals))


@lru_cache(maxsize=1_024)
def _unit(words: str) -> str | None:
    """The unit that words name; ``None`` if they change the number ("million") or need a closer look."""
    first = words.partition(" ")[0]
    return None if multiplier(first) else unit_of_words(words)


def _spelled(words: str) -> str:
    """The canonical spelling of words, as ``latex.tree`` writes it."""
    word = "".join(words.split())
    return word if len(word) <= SYMBOL_LETTERS else word.casefold()


def _fraction(found: re.Match[str]) -> tuple[str, Number] | None:
    """(canonical spelling, value) of a match of ``FRACTION``; ``None`` if it divides by zero."""
    sign, above, below = found.groups()
    if not int(below):
        return None
    value = Fraction(int(above), int(below))
    return f"{sign}\\frac{{{above}}}{{{below}}}", Number(-value if sign else value)
