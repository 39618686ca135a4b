"""Finds the prediction that a completion marks: its box, or its tag; ``extraction`` finds those in prose.

Look here if a completion is given ``no_box``, or if the wrong box is compared.
"""

from __future__ import annotations

from typing import TypeAlias

from grpo_rewards.completion.boxes import boxes, last_boxes, lone_box, one_answer
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.sections import as_written, last_tagged, response
from grpo_rewards.completion.tool_calls.around import without_calls

__all__ = ["Search", "find_box", "find_said", "spoken_part"]

# (text, source) if something was found, else (None, reason).
Search: TypeAlias = "tuple[str | None, str]"


def find_box(
    completion: str, think_opened: bool, boxed: str = "last", in_reasoning: bool = False, marks: Marks = THINK
) -> Search:
    """(contents, ``box``) of the box that counts, else (``None``, reason).

    The reason is ``unfinished_thinking``, ``no_box`` or ``several_boxes``.

    Args:
        completion: what the model wrote.
        think_opened: whether the chat template has already written the opening delimiter of the reasoning.
        boxed: which box counts: ``last`` (a list such as ``\\boxed{1}`` or ``\\boxed{2}`` is one answer), ``first``,
            or ``only`` (there must not be several).
        in_reasoning: whether boxes in the reasoning count too.
        marks: the delimiters of the reasoning.
    """
    text = as_written(completion, marks=marks)[0] if in_reasoning else spoken_part(completion, think_opened, marks)
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


def find_said(completion: str, think_opened: bool, marks: Marks = THINK) -> Search:
    """(text, source) of what a completion says: its last box, else its last ``<answer>``, else all of its text.

    Only what follows the reasoning counts; (``None``, ``unfinished_thinking``) if the reasoning does not end.
    """
    text = spoken_part(completion, think_opened, marks)
    if text is None:
        return None, "unfinished_thinking"
    found = last_boxes(text)
    if found:
        return one_answer(found), "box"
    tagged = last_tagged(text, "answer")
    return (text.strip(), "response") if tagged is None else (tagged.strip(), "answer_tag")


def spoken_part(completion: str, think_opened: bool, marks: Marks) -> str | None:
    """The response without the tools that it calls; ``None`` if the reasoning never ends."""
    text = response(completion, opened=think_opened, marks=marks)
    return None if text is None else without_calls(text)
