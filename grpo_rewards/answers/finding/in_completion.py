"""Which part of a completion holds its answer: a box, a tag, or the last words that say one."""

from __future__ import annotations

from typing import TypeAlias

from grpo_rewards.answers.finding.final_answer import find_final_answer, one_answer
from grpo_rewards.completion.boxes import boxes, last_boxes, lone_box
from grpo_rewards.completion.sections import before_end_of_turn, last_tagged, response

__all__ = ["Search", "find_box", "find_final", "find_said", "find_tagged"]

# What was found and where, or None and the outcome that it is to have found nothing.
Search: TypeAlias = "tuple[str | None, str]"


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
