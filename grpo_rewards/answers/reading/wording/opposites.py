"""Finds words that say the opposite of each other, north and south, or something else of a number: wide and long.

Look here if two answers are paid that differ only in such a word, which is else no part of a value.
"""

from __future__ import annotations

import re

from grpo_rewards.answers.latex.tree import WORD_KINDS, Nodes
from grpo_rewards.answers.reading.quantities.word_lists import PREPOSITIONS, REMARKS, SAYING_MORE

__all__ = ["are_opposite", "say_something_else"]

# Words behind what is counted that say nothing which another answer could contradict.
SAYING_NOTHING = PREPOSITIONS | frozenset(" ".join(REMARKS).split()) | frozenset("needed used more my his her".split())

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


def say_something_else(one: Nodes, other: Nodes) -> bool:
    """Whether words say of two numbers what cannot be said of one: 5 cm wide and 5 cm long, from home and from school.

    One that says less than the other, or says part of it, says nothing else.
    """
    mine, theirs = _said_more(one), _said_more(other)
    return bool(mine) and bool(theirs) and mine != theirs and (set(mine) == set(theirs) or not set(mine) & set(theirs))


def _said_more(nodes: Nodes) -> list[str]:
    """What is said behind what is counted: ``wide`` of ``5 cm wide``, ``home`` of ``km from home``."""
    numbers = [index for index, node in enumerate(nodes) if node.kind == "digits"]
    if not numbers:
        return []
    behind = [node for node in nodes[numbers[-1] + 1 :] if node.kind in ("letter", *WORD_KINDS)]
    every = "".join(node.text if node.kind == "letter" and not node.apart else f" {node.text}" for node in behind)
    words = [word.strip(".,") if word == "A" else word.strip(".,").casefold() for word in every.split()]
    starts = (at for at, word in enumerate(words) if word in PREPOSITIONS or word in SAYING_MORE)
    start = next(starts, len(words))
    return [word.removesuffix("s") for word in words[start:] if word not in SAYING_NOTHING]
