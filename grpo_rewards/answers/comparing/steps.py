"""The steps of a comparison, cheap and exact first: the strings, their spellings, their values, symbolic algebra."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.answers.comparing.equality import Equality
from grpo_rewards.answers.comparing.options import DEFAULT_TASTE, Taste
from grpo_rewards.answers.finding.gold import gold_text
from grpo_rewards.answers.formulas.budget import TooLarge, start
from grpo_rewards.answers.latex.limits import too_large, too_long
from grpo_rewards.answers.latex.tree import Malformed, Nodes, parse, render
from grpo_rewards.answers.reading.dispatch import read
from grpo_rewards.answers.reading.phrases import choice_letter, stripped
from grpo_rewards.answers.reading.plain_numbers import read_plain
from grpo_rewards.answers.symbolic.remembered import Patience, settle
from grpo_rewards.answers.values.kinds import Text, Value
from grpo_rewards.completion.text import is_blank

__all__ = ["STEPS", "Comparison", "can_read", "compare", "compare_all", "compare_here", "compare_plain"]

CACHED_PAIRS = 16_384  # a step of a large run has a few thousand distinct ones
CACHED_CHARACTERS = 400  # longer predictions are not kept, which bounds the cache to some 80 MB, mostly to a tenth
# So few digits that no rule about long numbers applies.
PLAIN_DIGITS = 20
PLAIN_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,5})?")
Pair: TypeAlias = tuple[str, str]


class Comparison(NamedTuple):
    """Whether a prediction answers the gold, and how that was found out.

    Attributes:
        outcome: ``correct``, ``wrong``, ``not_compared`` (no step could tell), ``too_large`` (refused before anything
            evaluates it), ``timeout`` and ``worker_killed`` (of the symbolic step), or ``bad_answer`` (the gold cannot
            be read).
        step: what decided: ``gold``, ``string``, ``limits``, ``spelling``, ``value`` or ``symbolic``; ``""`` where
            nothing did.
        prediction, answer: both in their canonical spelling, where they were read.
        why: what makes them differ, where that can be said in a few words.
        left: pairs of formulas, gold first, that a symbolic comparison could still tell.
    """

    outcome: str
    step: str
    prediction: str | None = None
    answer: str | None = None
    why: str = ""
    left: tuple[Pair, ...] = ()


STEPS = ("gold", "string", "limits", "spelling", "value", "symbolic")
BAD_ANSWER = Comparison("bad_answer", "gold")


def compare(prediction: str, answer: Any, taste: Taste = DEFAULT_TASTE, patience: Patience | None = None) -> Comparison:
    """Compares a prediction with a gold answer (str, int or float). Never raises on what either holds.

    >>> compare(r"\\dfrac12", "0.5").outcome
    'correct'
    """
    return compare_all([(prediction, answer)], taste, patience)[0]


def compare_all(
    pairs: Sequence[tuple[str, Any]], taste: Taste = DEFAULT_TASTE, patience: Patience | None = None
) -> list[Comparison]:
    """Compares pairs of a prediction and a gold; what needs symbolic algebra goes to the workers in one round trip.

    Raises:
        RuntimeError, ValueError: the workers cannot be started; see ``workers.compare_symbolically``.
    """
    known: dict[tuple[str, str | int], Comparison] = {}
    found = []
    for prediction, answer in pairs:
        key = prediction, answer if type(answer) is str else id(answer)
        if key not in known:  # a group may write the same too long answer over and over
            known[key] = compare_here(prediction, answer, taste)
        found.append(known[key])
    left = dict.fromkeys(pair for one in found for pair in one.left)
    if not left:
        return found
    settled = settle(list(left), patience or Patience())
    return [
        _concluded(one, prediction, answer, taste, settled) if one.left else one
        for one, (prediction, answer) in zip(found, pairs, strict=True)
    ]


def compare_here(prediction: str, answer: Any, taste: Taste = DEFAULT_TASTE) -> Comparison:
    """All steps but the symbolic one: what that could tell is in the comparison's ``left``."""
    gold = answer if type(answer) is str else gold_text(answer)
    if gold is None:
        return BAD_ANSWER
    if len(prediction) > CACHED_CHARACTERS:
        return _compare.__wrapped__(prediction, gold, taste)
    plain = compare_plain(prediction, gold)
    if plain is None:
        return _compare(prediction, gold, taste)
    return Comparison(*plain, prediction, gold, "the values differ" if plain[0] == "wrong" else "")


def compare_plain(prediction: str, gold: str) -> tuple[str, str] | None:
    """Outcome and step of two numbers that can be read in one way only, as most answers are; ``None`` for all others.

    It is what the steps would find, and half of what scoring an average completion would take without it.
    """
    if gold.isdecimal() and prediction.isdecimal():
        if len(gold) > PLAIN_DIGITS or len(prediction) > PLAIN_DIGITS:
            return None
        if prediction == gold:
            return "correct", "string"
        if not gold.isascii() or not prediction.isascii():  # int reads the digits of all scripts
            return None
        same = len(prediction) != len(gold) and int(prediction) == int(gold)
        return "correct" if same else "wrong", "value"
    if PLAIN_NUMBER.fullmatch(gold) is not None and PLAIN_NUMBER.fullmatch(prediction) is not None:
        same = float(prediction) == float(gold)  # of fewer than 16 digits, different numbers are different floats
        return "correct" if same else "wrong", "string" if prediction == gold else "value"
    return None


def can_read(answer: Any) -> bool:
    """Whether an answer of the data set can serve as a gold at all."""
    gold = gold_text(answer)
    return gold is not None and _read_gold(gold) is not None


@lru_cache(maxsize=CACHED_PAIRS)
def _compare(prediction: str, answer: str, taste: Taste) -> Comparison:
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
        return Comparison("wrong", "spelling", None, known.spelled, "nothing that can be read")
    if said.spelled == known.spelled:
        return Comparison("correct", "spelling", said.spelled, known.spelled)
    return _of_values(said, known, taste, {})


def _values(said: _Read, known: _Read) -> tuple[Value, Value] | None:
    """The values of prediction and gold; ``None`` if one is too large to be read.

    Each is read with the whole budget of a pair, so that what a gold says never depends on what was compared before.
    Comparing the two draws on what is left of the prediction's.
    """
    start()
    gold = known.value
    if gold is None:
        return None
    start()
    prediction = said.value
    return None if prediction is None else (prediction, gold)


def _of_values(said: _Read, known: _Read, taste: Taste, settled: Mapping[Pair, bool | None]) -> Comparison:
    values = _values(said, known)
    if values is None:
        return Comparison("too_large", "limits", said.spelled, known.spelled)
    prediction, gold = values
    equality = Equality(taste, settled)
    letters = _choice(known), _choice(said)
    if all(letters):
        outcome, why = ("correct", "") if letters[0] == letters[1] else ("wrong", "another choice")
        return Comparison(outcome, "value", said.spelled, known.spelled, why)
    same = equality.equal(gold, prediction)
    if same is not None:
        why = "" if same else equality.why
        return Comparison("correct" if same else "wrong", "value", said.spelled, known.spelled, why)
    if equality.too_large:
        return Comparison("too_large", "limits", said.spelled, known.spelled)
    return Comparison("not_compared", "", said.spelled, known.spelled, left=tuple(equality.left))


def _choice(answer: _Read) -> str | None:
    """The letter of a choice, alone or before its text."""
    if isinstance(answer.value, Text) and len(answer.value.spelled) == 1:
        return answer.value.spelled
    return choice_letter(answer.nodes) if isinstance(answer, _Answer) else None


def _concluded(
    before: Comparison, prediction: str, answer: Any, taste: Taste, settled: Mapping[Pair, str]
) -> Comparison:
    """A comparison with what the workers found."""
    gold = gold_text(answer)
    said, known = _read(prediction), None if gold is None else _read_gold(gold)
    if said is None or known is None:
        return before  # cannot be: a comparison with something left to tell has read both
    told = {pair: {"equal": True, "different": False}.get(outcome) for pair, outcome in settled.items()}
    found = _of_values(said, known, taste, told)
    if found.outcome != "not_compared":
        return found._replace(step="symbolic")
    failed = {settled[pair] for pair in before.left} - {"equal", "different", "undecided"}
    return found._replace(outcome=min(failed, default="not_compared"), step="symbolic" if failed else "")


@dataclass(frozen=True)
class _Answer:
    """A spelling, and what it says, which is only read where the spelling does not decide."""

    spelled: str
    nodes: Nodes

    @cached_property
    def value(self) -> Value | None:
        """``None`` where it is too large to be read."""
        try:
            return None if too_large(self.nodes) else read(self.nodes)
        except TooLarge:  # what is computed on the way: whether the links of a chain agree
            return None


class _PlainAnswer(NamedTuple):
    spelled: str
    value: Value


_Read: TypeAlias = _Answer | _PlainAnswer


def _read(text: str) -> _Read | None:
    """An answer read; ``None`` where it says nothing or its LaTeX is broken."""
    plain = read_plain(text)
    if plain is not None:
        return _PlainAnswer(*plain)
    try:
        nodes = stripped(parse(text))
    except Malformed:
        return None
    spelled = render(nodes)
    if is_blank(spelled.replace("\\ldots", "")):
        return None
    return _Answer(spelled, nodes)


@lru_cache(maxsize=4096)
def _read_gold(text: str) -> _Read | None:
    # a group shares its gold
    return _read(text)
