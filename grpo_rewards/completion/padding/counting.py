"""Which numbers of a text only count on from those before?"""

from __future__ import annotations

import re
from itertools import compress, count
from operator import eq, sub
from typing import NamedTuple

__all__ = ["NUMERALS", "Before", "following"]

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
