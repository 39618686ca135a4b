"""The steps of a comparison, cheap and exact first: the strings, their canonical spellings, then exact values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from grpo_rewards.answers.gold import gold_text
from grpo_rewards.answers.latex import Malformed, parse, render
from grpo_rewards.answers.limits import too_large, too_long
from grpo_rewards.answers.reading import read, stripped
from grpo_rewards.answers.values import Value, equal
from grpo_rewards.text import is_blank

__all__ = ["Comparison", "compare"]

CACHED_PAIRS = 16_384  # a step of a large run has a few thousand distinct ones
CACHED_CHARACTERS = 400  # longer predictions are not kept, which bounds the cache to some 20 MB


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether a prediction answers the gold, and how that was found out.

    Attributes:
        outcome: ``correct``, ``wrong``, ``not_compared`` (only a symbolic comparison could tell), ``too_large``
            (refused before anything evaluates it) or ``bad_answer`` (the gold cannot be read).
        step: what decided: ``gold``, ``string``, ``limits``, ``spelling`` or ``value``; ``""`` where nothing did.
        prediction, answer: both in their canonical spelling, where they were read.
    """

    outcome: str
    step: str
    prediction: str | None = None
    answer: str | None = None


BAD_ANSWER = Comparison("bad_answer", "gold")


def compare(prediction: str, answer: Any) -> Comparison:
    """Compares a prediction with a gold answer (str, int or float). Never raises, whatever either holds.

    >>> compare(r"\\dfrac12", "0.5").outcome
    'correct'
    """
    gold = answer if type(answer) is str else gold_text(answer)
    if gold is None:
        return BAD_ANSWER
    return (
        _compare(prediction, gold) if len(prediction) <= CACHED_CHARACTERS else _compare.__wrapped__(prediction, gold)
    )


def can_read(answer: Any) -> bool:
    """Whether an answer of the data set can serve as a gold at all."""
    gold = gold_text(answer)
    return gold is not None and _read_gold(gold) is not None


@lru_cache(maxsize=CACHED_PAIRS)
def _compare(prediction: str, answer: str) -> Comparison:
    gold = gold_text(answer)
    known = None if gold is None else _read_gold(gold)
    if gold is None or known is None:
        return BAD_ANSWER
    if prediction.strip() == gold:  # before any limit: 2^{100000} is itself
        return Comparison("correct", "string", gold, gold)
    if too_long(prediction):
        return Comparison("too_large", "limits", None, known.spelled)
    said = _read(prediction)
    if said is None:
        return Comparison("wrong", "spelling", None, known.spelled)
    if said.spelled == known.spelled:
        return Comparison("correct", "spelling", said.spelled, known.spelled)
    if said.value is None or known.value is None:
        return Comparison("too_large", "limits", said.spelled, known.spelled)
    same = equal(known.value, said.value)
    if same is None:
        return Comparison("not_compared", "", said.spelled, known.spelled)
    return Comparison("correct" if same else "wrong", "value", said.spelled, known.spelled)


@dataclass(frozen=True, slots=True)
class _Answer:
    spelled: str
    value: Value | None  # None where it is too large to be read


def _read(text: str) -> _Answer | None:
    """An answer read; ``None`` where it says nothing or its LaTeX is broken."""
    try:
        nodes = stripped(parse(text))
    except Malformed:
        return None
    spelled = render(nodes)
    if is_blank(spelled):
        return None
    return _Answer(spelled, None if too_large(nodes) else read(nodes))


@lru_cache(maxsize=4096)
def _read_gold(text: str) -> _Answer | None:
    # a group shares its gold
    return _read(text)
