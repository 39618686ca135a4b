"""Whether completions give the right answer: where they say it, and how that compares. No points here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.answers.comparison import Comparison, can_read, compare_all
from grpo_rewards.answers.finding import find_final_answer, one_answer
from grpo_rewards.answers.settling import Patience
from grpo_rewards.answers.taste import DEFAULT_TASTE, Taste
from grpo_rewards.boxes import boxes, last_boxes, lone_box
from grpo_rewards.text import before_end_of_turn, last_tagged, response

__all__ = [
    "BOX_OUTCOMES",
    "FINAL_OUTCOMES",
    "Judgement",
    "Search",
    "find_box",
    "find_final",
    "find_said",
    "find_tagged",
    "judge",
]

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

# What was found and where, or None and the outcome that it is to have found nothing.
Search: TypeAlias = "tuple[str | None, str]"


class Judgement(NamedTuple):
    """``prediction`` is what was found, ``source`` says where, and ``comparison`` how it compared with the gold."""

    outcome: str
    prediction: str | None = None
    source: str | None = None
    comparison: Comparison | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the next comparison of the two comes to the same.

        What workers find depends on more than the two: on how many there are, and how long they may take.
        """
        decided = self.outcome in ("correct", "wrong")
        return decided and self.comparison is not None and self.comparison.step != "symbolic"


def find_box(completion: str, think_opened: bool, boxed: str = "last", in_reasoning: bool = False) -> Search:
    """The box that counts, or ``unfinished_thinking``, ``no_box``, ``several_boxes``.

    Where the last box counts, boxes that make a list (``\\boxed{1}`` or ``\\boxed{2}``) are one answer, a list.
    """
    text = before_end_of_turn(completion) if in_reasoning else response(completion, opened=think_opened)
    if text is None:
        return None, "unfinished_thinking"
    if boxed == "last":
        alone = lone_box(text)
        if alone is not None:
            return alone, "box"
        found = last_boxes(text)
        return (one_answer(found), "box") if found else (None, "no_box")
    found = boxes(text)
    if len(found) > 1 and boxed == "only":
        return None, "several_boxes"
    return (found[0], "box") if found else (None, "no_box")


def find_final(completion: str, think_opened: bool) -> Search:
    """The final answer after the reasoning, in a box or not, or ``unfinished_thinking``, ``no_answer``."""
    text = response(completion, opened=think_opened)
    if text is None:
        return None, "unfinished_thinking"
    found = find_final_answer(text)
    return (None, "no_answer") if found is None else (found.text, found.source)


def find_tagged(completion: str, think_opened: bool, tag: str) -> Search:
    """What the last ``<tag>…</tag>`` after the reasoning holds, or ``unfinished_thinking``, ``no_answer``."""
    text = response(completion, opened=think_opened)
    if text is None:
        return None, "unfinished_thinking"
    inside = last_tagged(text, tag)
    if inside is None:
        return None, "no_answer"
    found = last_boxes(inside)
    return (one_answer(found), "box") if found else (inside.strip(), "answer_tag")


def find_said(completion: str, think_opened: bool) -> Search:
    """What a completion says, in words: its last box, else its last ``<answer>``, else all after the reasoning."""
    text = response(completion, opened=think_opened)
    if text is None:
        return None, "unfinished_thinking"
    found = last_boxes(text)
    if found:
        return one_answer(found), "box"
    tagged = last_tagged(text, "answer")
    return (text.strip(), "response") if tagged is None else (tagged.strip(), "answer_tag")


def judge(
    found: Sequence[Search], answers: Sequence[Any], taste: Taste = DEFAULT_TASTE, patience: Patience | None = None
) -> list[Judgement]:
    """Judges what was found for each of the answers; what needs symbolic algebra is compared in one round trip."""
    rows = list(zip(found, answers, strict=True))
    comparisons = iter(compare_all([(said, gold) for (said, _), gold in rows if said is not None], taste, patience))
    return [
        _judged(said, source, next(comparisons))
        if said is not None
        # A row whose gold cannot be read is the row's fault, also where the completion says nothing.
        else Judgement(source if can_read(gold) else "bad_answer")
        for (said, source), gold in rows
    ]


def _judged(prediction: str, source: str, comparison: Comparison) -> Judgement:
    return Judgement(comparison.outcome, prediction, source, comparison)
