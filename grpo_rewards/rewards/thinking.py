"""Does the completion have the form that was asked for?"""

from __future__ import annotations

from typing import Any

from grpo_rewards.completion.boxes import last_box
from grpo_rewards.completion.sections import before_end_of_turn, count_tags, opens_thinking, response
from grpo_rewards.completion.text import is_blank, visible
from grpo_rewards.registry import reward
from grpo_rewards.verdict import Verdict

__all__ = ["boxed_format", "think_answer_format", "think_format"]

THINKING = (
    "well_formed",
    "no_thinking",
    "unfinished_thinking",
    "repeated_tags",
    "blank_reasoning",
    "answer_in_reasoning",
)


@reward(reasons=(*THINKING, "blank_response"), range=(0.0, 1.0))
def think_format(completion: str, prompt: Any = None, *, think_opened: bool | None = None) -> Verdict:
    """1 if the completion is ``<think>reasoning</think>`` and then a response, else 0.

    Each tag stands exactly once; the reasoning and the response say something (a letter or a digit, so ``...`` does
    not) and the reasoning holds no ``<answer>`` tags. White space before ``<think>`` is allowed. Where the chat
    template opened ``<think>`` already, the completion starts inside the reasoning and must not open it again.

    Args:
        completion: the text of the last assistant message.
        prompt: read to see whether it ends inside ``<think>``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt. With message lists as
            prompts what the template adds is not in them: say ``think_opened=True`` for models whose template does it.

    Returns:
        1.0 or 0.0, never ``None``. Reasons: ``well_formed``, ``no_thinking`` (does not begin with ``<think>``),
        ``unfinished_thinking``, ``repeated_tags``, ``blank_reasoning``, ``answer_in_reasoning``, ``blank_response``.

    >>> think_format.score("I add.</think>It is 4.", prompt="What is 2 + 2? <think>")
    1.0
    """
    opened = opens_thinking(prompt, think_opened)
    text = before_end_of_turn(completion)
    reason = _thinking(text, opened)
    if reason == "well_formed" and is_blank(_response(text)):
        reason = "blank_response"
    return Verdict(float(reason == "well_formed"), reason)


@reward(reasons=(*THINKING, "no_answer", "repeated_answer", "blank_answer", "text_outside"), range=(0.0, 1.0))
def think_answer_format(completion: str, prompt: Any = None, *, think_opened: bool | None = None) -> Verdict:
    """1 if the completion is ``<think>reasoning</think><answer>answer</answer>`` and nothing else, else 0.

    The rules of ``think_format``, and: one ``<answer>`` that says something, with nothing but white space around it.

    Args:
        completion: the text of the last assistant message.
        prompt: read to see whether it ends inside ``<think>``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0, never ``None``. Reasons: those of ``think_format`` up to the response, then ``no_answer``,
        ``repeated_answer``, ``blank_answer``, ``text_outside``.

    >>> think_answer_format.explain("<think>I add.</think><answer>4</answer> Bye!").reason
    'text_outside'
    """
    opened = opens_thinking(prompt, think_opened)
    text = before_end_of_turn(completion)
    reason = _thinking(text, opened)
    if reason == "well_formed":
        reason = _answer(_response(text))
    return Verdict(float(reason == "well_formed"), reason)


@reward(reasons=("boxed", "no_box", "blank_box", "unfinished_thinking"), range=(0.0, 1.0))
def boxed_format(completion: str, prompt: Any = None, *, think_opened: bool | None = None) -> Verdict:
    """1 if there is a box after the reasoning that is closed and says something, right or wrong, else 0.

    Args:
        completion: the text of the last assistant message.
        prompt: read to see whether it ends inside ``<think>``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0, never ``None``. Reasons: ``boxed``, ``no_box``, ``blank_box``, ``unfinished_thinking``.

    >>> boxed_format.score(r"It is \\boxed{5}."), boxed_format.score(r"It is \\boxed{5.")
    (1.0, 0.0)
    """
    opened = opens_thinking(prompt, think_opened)
    text = response(completion, opened=opened)
    if text is None:
        return Verdict(0.0, "unfinished_thinking")
    prediction = last_box(text)
    if prediction is None:
        return Verdict(0.0, "no_box")
    reason = "blank_box" if is_blank(prediction) else "boxed"
    return Verdict(float(reason == "boxed"), reason, prediction=prediction)


def _thinking(text: str, opened: bool) -> str:
    """The reason that the reasoning part earns."""
    opens, closes = count_tags(text, "think")
    if not opened and not visible(text).lstrip().startswith("<think>"):
        return "no_thinking"
    if closes == 0:
        return "unfinished_thinking"
    if closes > 1 or opens != (0 if opened else 1):
        return "repeated_tags"
    reasoning = text[: text.index("</think>")].replace("<think>", "", 1)
    if any(count_tags(reasoning, "answer")):
        return "answer_in_reasoning"
    return "blank_reasoning" if is_blank(reasoning) else "well_formed"


def _response(text: str) -> str:
    return text.rpartition("</think>")[2]


def _answer(rest: str) -> str:
    """The reason that what follows the reasoning earns."""
    opens, closes = count_tags(rest, "answer")
    if not opens or not closes or rest.index("<answer>") > rest.index("</answer>"):
        return "no_answer"
    if opens > 1 or closes > 1:
        return "repeated_answer"
    before, _, inside = rest.partition("<answer>")
    answer, _, after = inside.partition("</answer>")
    if visible(before).strip() or visible(after).strip():
        return "text_outside"
    return "blank_answer" if is_blank(answer) else "well_formed"
