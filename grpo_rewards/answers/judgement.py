"""Whether a completion gives the right answer: where it says it, and how that compares. No points here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grpo_rewards.answers.comparison import Comparison, can_read, compare
from grpo_rewards.answers.finding import find_final_answer
from grpo_rewards.text import before_end_of_turn, last_box, split_reasoning

__all__ = ["OUTCOMES", "Judgement", "judge_box", "judge_final"]

# What a judgement can be; a comparison's outcomes, and those of a completion in which there is nothing to compare.
OUTCOMES = ("correct", "wrong", "no_box", "no_answer", "unfinished_thinking", "not_compared", "too_large", "bad_answer")


@dataclass(frozen=True, slots=True)
class Judgement:
    """``outcome`` is one of ``OUTCOMES``; ``prediction`` is what was found and ``source`` says where."""

    outcome: str
    prediction: str | None = None
    source: str | None = None
    comparison: Comparison | None = None


def judge_box(completion: str, answer: Any, *, think_opened: bool) -> Judgement:
    """Judges the last box after the reasoning."""
    response = split_reasoning(before_end_of_turn(completion), opened=think_opened).response
    prediction = None if response is None else last_box(response)
    if prediction is None:
        return _nothing("unfinished_thinking" if response is None else "no_box", answer)
    comparison = compare(prediction, answer)
    return Judgement(comparison.outcome, prediction, "box", comparison)


def judge_final(completion: str, answer: Any, *, think_opened: bool) -> Judgement:
    """Judges the final answer after the reasoning, in a box or not."""
    response = split_reasoning(before_end_of_turn(completion), opened=think_opened).response
    found = None if response is None else find_final_answer(response)
    if found is None:
        return _nothing("unfinished_thinking" if response is None else "no_answer", answer)
    comparison = compare(found.text, answer)
    return Judgement(comparison.outcome, found.text, found.source, comparison)


def _nothing(outcome: str, answer: Any) -> Judgement:
    # A row whose gold cannot be read is the row's fault, also where the completion says nothing.
    return Judgement(outcome if can_read(answer) else "bad_answer")
