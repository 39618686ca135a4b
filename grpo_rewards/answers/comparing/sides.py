"""One side of a comparison, the prediction or the gold: its text, its canonical spelling and its value.

Look here if an answer cannot be read at all, or if its letter as a choice is missed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from grpo_rewards.answers.formulas.budget import TooLarge
from grpo_rewards.answers.golds import alternatives, gold_text
from grpo_rewards.answers.latex.limits import too_large, too_long
from grpo_rewards.answers.latex.tree import WORD_KINDS, Malformed, Nodes, parse, render
from grpo_rewards.answers.reading.dispatch import LONE_SIGNS, read
from grpo_rewards.answers.reading.notations import are_other_substances, chemical_formula
from grpo_rewards.answers.reading.numerals import read_plain
from grpo_rewards.answers.reading.phrases import (
    QUANTITY_OF_WORD,
    Choice,
    announced,
    letters_in_a_row,
    read_choice,
    stripped,
)
from grpo_rewards.answers.reading.words import describe_different_things
from grpo_rewards.answers.values.kinds import Named, Number, Text, Unordered, Value, not_understood
from grpo_rewards.completion.text import is_blank

__all__ = [
    "Side",
    "are_other_letters",
    "choice_of",
    "choices_of",
    "has_words",
    "is_same_substance",
    "name_different_quantities",
    "read_gold",
    "read_side",
    "reading_of",
    "unread_part",
]

CAPITALS_IN_A_ROW = re.compile(r"[A-Z]{3,}")


@dataclass(frozen=True)
class ReadAnswer:
    """An answer in its canonical spelling, with its value, which is read only if the spelling does not decide."""

    spelled: str
    nodes: Nodes
    quantities: frozenset[str] = frozenset()

    @cached_property
    def value(self) -> Value | None:
        """The value; ``None`` if it is too large to be read."""
        try:
            return None if too_large(self.nodes) else read(self.nodes)
        except TooLarge:  # reading also computes: whether the sides of "x = 2 + 3 = 5" agree
            return None


class PlainAnswer(NamedTuple):
    spelled: str
    value: Value
    text: str = ""


Side: TypeAlias = ReadAnswer | PlainAnswer


def read_side(text: str) -> Side | None:
    """Reads an answer; ``None`` if it says nothing or its LaTeX is broken."""
    plain = read_plain(text)
    if plain is not None:
        return PlainAnswer(*plain, text)
    try:
        every = parse(text)
        nodes = stripped(every)
    except Malformed:
        return None
    spelled = render(nodes)
    if is_blank(spelled.replace("\\ldots", "")) and spelled.strip() not in LONE_SIGNS:
        return None
    return ReadAnswer(spelled, nodes, announced(every))


@lru_cache(maxsize=4096)
def read_gold(text: str) -> Side | None:
    # cached, because all completions of a group have the same gold
    return read_side(text)


def reading_of(answer: Any) -> Literal["value", "spelling"] | None:
    """How an answer of the dataset is read: as a value, or only as it is spelled; ``None`` if it cannot be read.

    Only the same spelling meets an answer that is not understood. Of a list of alternatives the best one counts.
    """
    golds = [gold_text(one) for one in alternatives(answer)]
    read_ones = [read_gold(gold) for gold in golds if gold is not None and not too_long(gold)]
    known = [one for one in read_ones if one is not None]
    if not known:
        return None
    return "spelling" if all(map(unread_part, known)) else "value"


def unread_part(answer: Side) -> str:
    """The first part of an answer that is not understood; ``""`` if all of it is.

    A formula of chemistry is compared by what it is made of, and one that is too large was at least read.
    """
    unread = not_understood(answer.value) if answer.value is not None else ""
    is_substance = bool(unread) and isinstance(answer, ReadAnswer) and chemical_formula(answer.nodes) is not None
    return "" if is_substance else unread


def choice_of(answer: Side) -> Choice | None:
    """The choice that an answer is; ``None`` if it is none."""
    if not isinstance(answer, ReadAnswer):
        return None
    if isinstance(answer.value, Text) and len(answer.value.spelled) == 1 and answer.value.spelled.isalpha():
        return Choice(answer.value.spelled, (), answer.nodes[0].kind != "letter")
    return read_choice(answer.nodes)


def choices_of(answer: Side, value: Value) -> set[str] | None:
    """The letters of several choices, of a list or in a row, ``ACD``; ``None`` for anything else."""
    if isinstance(value, Unordered):
        letters = [item.spelled for item in value.items if isinstance(item, Text) and len(item.spelled) == 1]
        return set(letters) if len(letters) == len(value.items) > 1 else None
    return letters_in_a_row(answer.nodes) if isinstance(answer, ReadAnswer) else None


def has_words(side: Side) -> bool:
    """Whether an answer has words in it, besides commands."""
    if isinstance(side, ReadAnswer):
        return any(node.kind in WORD_KINDS for node in side.nodes)
    return isinstance(side.value, Number) and side.value.unit is not None


def name_different_quantities(one: Side, other: Side) -> bool:
    """Whether one answer names another quantity than the other: a sum and a product, a width and a length."""
    if has_words(one) and has_words(other) and describe_different_things(_nodes(one), _nodes(other)):
        return True
    if not any(isinstance(side, ReadAnswer) and side.quantities for side in (one, other)):
        return False  # names without an announcement are compared with the values
    mine, theirs = _quantities(one), _quantities(other)
    are_opposite = {"minimum", "maximum"} <= mine ^ theirs
    return bool(mine) and bool(theirs) and (mine.isdisjoint(theirs) or are_opposite)


def _nodes(side: Side) -> Nodes:
    if isinstance(side, ReadAnswer):
        return side.nodes
    try:
        return parse(side.text)
    except Malformed:
        return ()


def _quantities(side: Side) -> frozenset[str]:
    if not isinstance(side, ReadAnswer):
        return frozenset()
    if not side.quantities and isinstance(side.value, Named):
        return frozenset([side.value.name.casefold()]) & frozenset(QUANTITY_OF_WORD)
    return side.quantities


def is_same_substance(predicted: Side, known: Side) -> bool:
    """Whether both are the same formula of chemistry, with its indices set in two ways."""
    if not isinstance(predicted, ReadAnswer) or not isinstance(known, ReadAnswer):
        return False
    known_formula = chemical_formula(known.nodes)
    return known_formula is not None and known_formula == chemical_formula(predicted.nodes)


def are_other_letters(predicted: Side, known: Side) -> bool:
    """Whether both are capitals in a row, or formulas of chemistry, whose order counts: AUG is no GUA.

    Capitals beside a product with its signs, or behind a name, ``V = LWH``, may still be factors.
    """
    if not isinstance(predicted, ReadAnswer) or not isinstance(known, ReadAnswer) or predicted.spelled == known.spelled:
        return False
    if CAPITALS_IN_A_ROW.fullmatch(predicted.spelled) and CAPITALS_IN_A_ROW.fullmatch(known.spelled):
        return True
    return are_other_substances(chemical_formula(predicted.nodes), chemical_formula(known.nodes))
