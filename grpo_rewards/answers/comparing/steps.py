"""Compares a prediction with an answer in steps, the cheapest first: strings, spellings, values, symbolic algebra.

In this file "gold" is the answer, as a text or a value. ``said`` is the prediction as it was read, ``known`` the gold.
"""

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

CACHED_PAIRS = 16_384  # one step of a large run has a few thousand distinct ones
CACHED_PREDICTION_CHARACTERS = 400  # longer ones are not cached; so the cache stays below 80 MB, mostly below 8 MB
PLAIN_DIGITS = 20  # of a whole number; a longer one might be refused as too large
PLAIN_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,5})?")
Pair: TypeAlias = tuple[str, str]


class Comparison(NamedTuple):
    """Whether a prediction equals the answer, and how that was found out.

    Attributes:
        outcome: ``correct``, ``wrong``, ``not_compared`` (no step could decide), ``too_large`` (refused, not computed),
            ``timeout`` or ``worker_killed`` (in the symbolic step), or ``bad_answer`` (the answer cannot be read).
        step: which of ``STEPS`` decided; ``""`` if none did.
        prediction, answer: each in its canonical spelling; ``None`` if it was not read.
        why: why they differ, in a few words; ``""`` if that cannot be said.
        undecided_pairs: the pairs (gold, prediction) of LaTeX that a symbolic comparison could still decide.
    """

    outcome: str
    step: str
    prediction: str | None = None
    answer: str | None = None
    why: str = ""
    undecided_pairs: tuple[Pair, ...] = ()


STEPS = ("gold", "string", "limits", "spelling", "value", "symbolic")
BAD_ANSWER = Comparison("bad_answer", "gold")


def compare(prediction: str, answer: Any, taste: Taste = DEFAULT_TASTE, patience: Patience | None = None) -> Comparison:
    """Compares a prediction with an answer (str, int or float). No text makes it raise.

    >>> compare(r"\\dfrac12", "0.5").outcome
    'correct'
    """
    return compare_all([(prediction, answer)], taste, patience)[0]


def compare_all(
    pairs: Sequence[tuple[str, Any]], taste: Taste = DEFAULT_TASTE, patience: Patience | None = None
) -> list[Comparison]:
    """Compares pairs (prediction, answer), in order. What needs symbolic algebra goes to the workers in one round trip.

    Raises:
        RuntimeError, ValueError: the workers cannot be started; see ``symbolic.client.compare_symbolically``.
    """
    known: dict[tuple[str, str | int], Comparison] = {}
    found = []
    for prediction, answer in pairs:
        key = prediction, answer if type(answer) is str else id(answer)
        if key not in known:  # a group may repeat one prediction that is too long for the cache
            known[key] = compare_here(prediction, answer, taste)
        found.append(known[key])
    undecided = dict.fromkeys(pair for one in found for pair in one.undecided_pairs)
    if not undecided:
        return found
    settled = settle(list(undecided), patience or Patience())
    return [
        _concluded(one, prediction, answer, taste, settled) if one.undecided_pairs else one
        for one, (prediction, answer) in zip(found, pairs, strict=True)
    ]


def compare_here(prediction: str, answer: Any, taste: Taste = DEFAULT_TASTE) -> Comparison:
    """Compares by all steps but the symbolic one; what that one could decide is in ``undecided_pairs``."""
    gold = answer if type(answer) is str else gold_text(answer)
    if gold is None:
        return BAD_ANSWER
    if len(prediction) > CACHED_PREDICTION_CHARACTERS:
        return _compare.__wrapped__(prediction, gold, taste)
    plain = compare_plain(prediction, gold)
    if plain is None:
        return _compare(prediction, gold, taste)
    return Comparison(*plain, prediction, gold, "the values differ" if plain[0] == "wrong" else "")


def compare_plain(prediction: str, gold: str) -> tuple[str, str] | None:
    """(outcome, step) for two plain numbers, such as 12, -7 or 0.5; ``None`` for anything else.

    A shortcut: the steps would find the same. It halves the time of scoring, since most answers are plain numbers.
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
    """Whether an answer of the dataset can be read at all."""
    gold = gold_text(answer)
    return gold is not None and _read_gold(gold) is not None


@lru_cache(maxsize=CACHED_PAIRS)
def _compare(prediction: str, answer: str, taste: Taste) -> Comparison:
    gold = gold_text(answer)
    known = None if gold is None else _read_gold(gold)
    if gold is None or known is None:
        return BAD_ANSWER
    if prediction.strip() == gold:  # before any limit: 2^{100000} equals itself
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
    """(prediction, gold): the values of both; ``None`` if one is too large to be read.

    Each is read with a full budget, so that the value of a gold never depends on what was compared before. The
    comparison gets what reading the prediction left of its budget.
    """
    start()
    gold = known.value
    if gold is None:
        return None
    start()
    prediction = said.value
    return None if prediction is None else (prediction, gold)


def _of_values(said: _Read, known: _Read, taste: Taste, settled: Mapping[Pair, bool | None]) -> Comparison:
    """Compares the values of both. ``settled`` has what workers found about pairs of formulas."""
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
    return Comparison("not_compared", "", said.spelled, known.spelled, undecided_pairs=tuple(equality.undecided_pairs))


def _choice(answer: _Read) -> str | None:
    """The letter of a choice, alone (``C``) or before its text (``C. 5``); ``None`` if there is none."""
    if isinstance(answer.value, Text) and len(answer.value.spelled) == 1:
        return answer.value.spelled
    return choice_letter(answer.nodes) if isinstance(answer, _Answer) else None


def _concluded(
    before: Comparison, prediction: str, answer: Any, taste: Taste, settled: Mapping[Pair, str]
) -> Comparison:
    """The comparison, once the workers have settled the pairs that it left undecided."""
    gold = gold_text(answer)
    said, known = _read(prediction), None if gold is None else _read_gold(gold)
    if said is None or known is None:
        return before  # cannot happen: a comparison with undecided pairs has read both
    told = {pair: {"equal": True, "different": False}.get(outcome) for pair, outcome in settled.items()}
    found = _of_values(said, known, taste, told)
    if found.outcome != "not_compared":
        return found._replace(step="symbolic")
    failed = {settled[pair] for pair in before.undecided_pairs} - {"equal", "different", "undecided"}
    return found._replace(outcome=min(failed, default="not_compared"), step="symbolic" if failed else "")


@dataclass(frozen=True)
class _Answer:
    """An answer in its canonical spelling, with its value, which is read only if the spelling does not decide."""

    spelled: str
    nodes: Nodes

    @cached_property
    def value(self) -> Value | None:
        """The value; ``None`` if it is too large to be read."""
        try:
            return None if too_large(self.nodes) else read(self.nodes)
        except TooLarge:  # reading also computes: whether the sides of "x = 2 + 3 = 5" agree
            return None


class _PlainAnswer(NamedTuple):
    spelled: str
    value: Value


_Read: TypeAlias = _Answer | _PlainAnswer


def _read(text: str) -> _Read | None:
    """Reads an answer; ``None`` if it says nothing or its LaTeX is broken."""
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
    # cached, because all completions of a group have the same gold
    return _read(text)
