"""Whether a completion gives the right answer: where it says it, and how that compares. No points here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grpo_rewards.answers.comparison import Comparison, can_read, compare
from grpo_rewards.answers.finding import Found, find_final_answer
from grpo_rewards.text import last_box, response

__all__ = ["BOX_OUTCOMES", "FINAL_OUTCOMES", "Judgement", "judge_box", "judge_final"]

COMPARED = ("correct", "wrong", "unfinished_thinking", "not_compared", "too_large", "bad_answer")
# What a judgement can be, by where the answer is looked for; with these names as its reasons a reward documents them.
BOX_OUTCOMES = ("no_box", *COMPARED)
FINAL_OUTCOMES = ("no_answer", *COMPARED)


@dataclass(frozen=True, slots=True)
class Judgement:
    """``prediction`` is what was found, ``source`` says where, and ``comparison`` how it compared with the gold."""

    outcome: str
    prediction: str | None = None
    source: str | None = None
    comparison: Comparison | None = None


def judge_box(completion: str, answer: Any, *, think_opened: bool) -> Judgement:
    """Judges the last box after the reasoning; the outcome is one of ``BOX_OUTCOMES``."""
    text = response(completion, opened=think_opened)
    boxed = None if text is None else last_box(text)
    found = None if boxed is None else Found("box", boxed)
    return _judged(found, "unfinished_thinking" if text is None else "no_box", answer)


def judge_final(completion: str, answer: Any, *, think_opened: bool) -> Judgement:
    """Judges the final answer after the reasoning, in a box or not; the outcome is one of ``FINAL_OUTCOMES``."""
    text = response(completion, opened=think_opened)
    found = None if text is None else find_final_answer(text)
    return _judged(found, "unfinished_thinking" if text is None else "no_answer", answer)


def _judged(found: Found | None, otherwise: str, answer: Any) -> Judgement:
    if found is None:
        # A row whose gold cannot be read is the row's fault, also where the completion says nothing.
        return Judgement(otherwise if can_read(answer) else "bad_answer")
    comparison = compare(found.text, answer)
    return Judgement(comparison.outcome, found.text, found.source, comparison)
