"""Finds words that say the opposite of each other, north and south, or something else of a number: wide and long.

Look here if two answers count as equal that differ only in such a word, which is else no part of a value.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes
from grpo_rewards.answers.reading.quantities.word_lists import DESCRIBING_WORDS, PREPOSITIONS, REMARKS

__all__ = ["are_opposite", "describe_different_things"]

# Words behind what is counted that another answer cannot contradict.
NEUTRAL_WORDS = PREPOSITIONS | frozenset(" ".join(REMARKS).split()) | frozenset("needed used more my his her".split())

# Each row: two groups of words; an answer with one of the left says the opposite of one with one of the right.
_ROWS = """
increas|gain|profit|rise|raised|growth : decreas|loss|discount|fall|drop|reduc|lower
north : south
east : west
right : left
up(?!right)|above|over : down|below|under
older : younger
late(?!r)|after|later : early|before|earlier
fast : slow
(?<!counter)(?<!anti)clockwise : counterclockwise|anticlockwise
prime : composite
max : min(?!u)
even : odd
more|greater|larger : less|fewer|smaller
inside : outside
hotter|warmer : colder|cooler
(?<!ir)rational : irrational
converge : diverge
positive : negative
parallel : perpendicular
open : close
convex : concave
acute : obtuse
(?<!un)bounded : unbounded
(?<!dis)continuous : discontinuous
(?<!in)dependent : independent
(?<!un)equal : unequal
"""
_SIDES = [row.split(" : ") for row in _ROWS.split("\n") if row]
OPPOSITES = [(re.compile(left), re.compile(right)) for left, right in _SIDES]


def are_opposite(one: str, other: str) -> bool:
    """Whether two answers, as they are spelled, differ in a word that says the opposite."""
    one, other = one.casefold(), other.casefold()
    for left, right in OPPOSITES:
        for mine, theirs in ((left, right), (right, left)):
            if mine.search(one) and theirs.search(other) and not mine.search(other) and not theirs.search(one):
                return True
    return False


def describe_different_things(one: Nodes, other: Nodes) -> bool:
    """Whether words describe two numbers as different things: 5 cm wide and 5 cm long, from home and from school.

    A description that is part of the other, or shares a word with it, is no different thing.
    """
    mine, theirs = _description(one), _description(other)
    return bool(mine) and bool(theirs) and mine != theirs and (set(mine) == set(theirs) or not set(mine) & set(theirs))


def _description(nodes: Nodes) -> list[str]:
    """The description behind what is counted: ``wide`` of ``5 cm wide``, ``home`` of ``km from home``."""
    numbers = [index for index, node in enumerate(nodes) if node.kind == "digits"]
    if not numbers:
        return []
    behind = [node for node in nodes[numbers[-1] + 1 :] if node.kind in ("letter", *WORD_KINDS)]
    every = "".join(node.text if node.kind == "letter" and not node.apart else f" {node.text}" for node in behind)
    words = [word.strip(".,") if word == "A" else word.strip(".,").casefold() for word in every.split()]
    starts = (at for at, word in enumerate(words) if word in PREPOSITIONS or word in DESCRIBING_WORDS)
    start = next(starts, len(words))
    return [word.removesuffix("s") for word in words[start:] if word not in NEUTRAL_WORDS]
