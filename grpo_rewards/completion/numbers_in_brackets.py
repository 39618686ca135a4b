"""Finds groups of four numbers in a text, which is how models write a box in an image. One linear scan."""

from __future__ import annotations

import re
from itertools import islice

__all__ = ["MOST_GROUPS", "groups_of_four"]

MOST_GROUPS = 41  # of one text; further ones are not looked at
# Nothing here gives back what it took: what follows never begins with it.
NUMBER_IN_GROUP = r"[-+]?(?:[0-9]{1,9}+(?:\.[0-9]{0,12}+)?+|\.[0-9]{1,12}+)"
GAP = r"(?:\s|\\[,;: ]){0,8}+"  # LaTeX has spaces of its own
APART = rf"{GAP}(?:,{GAP}|(?<=[\s,;:]))"
PAIR = rf"{NUMBER_IN_GROUP}{APART}{NUMBER_IN_GROUP}"
# A bracket, also as \\left[ and \\{ in LaTeX.
LATEX_START, LATEX_END = r"(?:\\left\s?)?\\?", r"(?:\\right\s?)?\\?"
GROUP_END = rf"{GAP}{LATEX_END}[\])}}](?!\w)"
# A bracket that belongs to no word and no number, or is LaTeX's \\left[.
OWN_BRACKET = r"(?<=[\[({])(?:(?<![\w.].)|(?<=\\left.))"
# The character that everything begins with comes first: it is what the pattern is searched for by.
FOUR_NUMBERS = re.compile(
    r"[\[({<](?:"
    rf"{OWN_BRACKET}{GAP}({PAIR}{APART}{PAIR}){GROUP_END}"  # [1, 2, 3, 4]
    rf"|(?<=\(){GAP}({PAIR}){GAP}{LATEX_END}\)"  # (1, 2), (3, 4)
    rf"{GAP},?{GAP}{LATEX_START}\({GAP}({PAIR}){GAP}{LATEX_END}\)"
    rf"|{OWN_BRACKET}{GAP}\[{GAP}({PAIR}){GAP}\]{GAP},{GAP}\[{GAP}({PAIR}){GAP}\]{GROUP_END}"  # [[1, 2], [3, 4]]
    rf"|(?<=<)b?box>\s{{0,8}}({PAIR}{APART}{PAIR})\s{{0,8}}</b?box>)"
)
ONLY_NUMBERS = re.compile(rf"\s{{0,8}}{PAIR}{APART}{PAIR}\s{{0,8}}")  # and nothing else in the text
ONE_DIGIT = re.compile("[0-9]")
PLAIN_SIGNS = (("［", "["), ("］", "]"), ("（", "("), ("）", ")"), ("，", ","), ("、", ","), ("−", "-"))
ONE_NUMBER = re.compile(NUMBER_IN_GROUP)


def groups_of_four(text: str) -> list[tuple[float, float, float, float]]:
    """The groups of four numbers of a text, in order: in one bracket, in two of two numbers, in ``<box>``, or alone.

    >>> groups_of_four('{"bbox_2d": [10, 20, 30.5, 40]} and (1,2),(3,4)')
    [(10.0, 20.0, 30.5, 40.0), (1.0, 2.0, 3.0, 4.0)]
    """
    for sign, plain in () if text.isascii() else PLAIN_SIGNS:
        text = text.replace(sign, plain)
    if ONE_DIGIT.search(text) is None:
        return []
    if ONLY_NUMBERS.fullmatch(text) is not None:
        return [_four(text)]
    groups = islice(FOUR_NUMBERS.finditer(text), MOST_GROUPS)
    return [_four(" ".join(part for part in group.groups() if part)) for group in groups]


def _four(text: str) -> tuple[float, float, float, float]:
    one, two, three, four = map(float, ONE_NUMBER.findall(text))
    return one, two, three, four
