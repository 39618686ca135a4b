"""Whether completions give the right answer: where they say it, and how that compares. No points here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.answers.comparison import Comparison, can_read, compare_all
from grpo_rewards.answers.equality import DEFAULT_TASTE, Taste
from grpo_rewards.answers.finding import Found, as_answer, find_final_answer
from grpo_rewards.answers.settling import Patience
from grpo_rewards.text import before_end_of_turn, boxes, last_boxes, response

__all__ = ["BOX_OUTCOMES", "FINAL_OUTCOMES", "Judgement", "find_box", "find_final", "judge"]

COMPARED = (
    "correct",
    "wrong",
    "unfinished_thinking",
    "not_compared",
    "too_large",
    "timeout",
    "worker_killed",
    "bad_answer",
)
# What a judgement can be, by where the answer is looked for; with these names as its reasons a reward documents them.
BOX_OUTCOMES = ("no_box", "several_boxes", *COMPARED)
FINAL_OUTCOMES = ("no_answer", *COMPARED)

Search: TypeAlias = "Found | str"  # what was found, or the outcome that it is to have found nothing


class Judgement(NamedTuple):
    """``prediction`` is what was found, ``source`` says where, and ``comparison`` how it compared with the gold."""

    outcome: str
    prediction: str | None = None
    source: str | None = None
    comparison: Comparison | None = None


def find_box(completion: str, think_opened: bool, boxed: str = "last", in_reasoning: bool = False) -> Search:
    """The box that counts, or ``unfinished_thinking``, ``no_box``, ``several_boxes``.

    Where the last box counts, boxes that make a list (``\\boxed{1}`` or ``\\boxed{2}``) are one answer, a list.
    """
    text = before_end_of_turn(completion) if in_reasoning else response(completion, opened=think_opened)
    if text is None:
        return "unfinished_thinking"
    found = last_boxes(text) if boxed == "last" else boxes(text)
    if not found:
        return "no_box"
    if boxed == "only" and len(found) > 1:
        return "several_boxes"
    return as_answer(found[:1] if boxed == "first" else found)


def find_final(completion: str, think_opened: bool) -> Search:
    """The final answer after the reasoning, in a box or not, or ``unfinished_thinking``, ``no_answer``."""
    text = response(completion, opened=think_opened)
    return "unfinished_thinking" if text is None else find_final_answer(text) or "no_answer"


def judge(
    searches: Sequence[Search],
    answers: Sequence[Any],
    taste: Taste = DEFAULT_TASTE,
    patience: Patience | None = None,
) -> list[Judgement]:
    """Judges what was found for each of the answers; what needs symbolic algebra is compared in one round trip."""
    pairs = [(one.text, answer) for one, answer in zip(searches, answers, strict=True) if isinstance(one, Found)]
    comparisons = iter(compare_all(pairs, taste, patience))
    return [
        _judged(one, next(comparisons))
        if isinstance(one, Found)
        # A row whose gold cannot be read is the row's fault, also where the completion says nothing.
        else Judgement(one if can_read(answer) else "bad_answer")
        for one, answer in zip(searches, answers, strict=True)
    ]


def _judged(found: Found, comparison: Comparison) -> Judgement:
    return Judgement(comparison.outcome, found.text, found.source, comparison)
