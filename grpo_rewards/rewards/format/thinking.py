"""Does the completion have the requested form: reasoning in ``<think>``, then a response, an ``<answer>`` or a box?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from grpo_rewards.completion.boxes import last_box
from grpo_rewards.completion.reasoning.marks import Marks
from grpo_rewards.completion.reasoning.thinking import DEFAULT_THINKING, Thinking
from grpo_rewards.completion.sections import CLOSING_QUOTES, count_tags, without_quoted
from grpo_rewards.completion.text import is_only_markup, visible
from grpo_rewards.completion.tool_calls.tags import without_calls
from grpo_rewards.registry import batch_reward, reward
from grpo_rewards.rewards.building_blocks.opened_hint import hint_at_template
from grpo_rewards.verdict import Verdict

__all__ = ["boxed_format", "think_answer_format", "think_format"]

# Between two turns of the policy's own: markers and its role, and no word of anybody else.
OWN_NEXT_TURN = re.compile(r"(?:<[^<>\s]{1,40}>|\s|assistant|model)*+")
ANSWER = Marks("<answer>", "</answer>")
REASONING_REASONS = (
    "well_formed",
    "no_thinking",
    "unfinished_thinking",
    "repeated_tags",
    "blank_reasoning",
    "answer_in_reasoning",
)


@batch_reward(reasons=(*REASONING_REASONS, "blank_response"), range=(0.0, 1.0))
def think_format(completions: Sequence[str], prompts: Sequence[Any], *, thinking: Thinking) -> list[Verdict]:
    """1 if the completion is ``<think>reasoning</think>`` followed by a response, else 0.

    Each tag must occur exactly once; one that is only quoted, as in ``"</think>"``, opens and closes nothing. The
    reasoning and the response must each have a content: a letter or a digit that is no mark-up, so ``...``,
    ``\\boxed{}`` and ``<answer></answer>`` have none. The reasoning must not hold ``<answer>`` tags. White space before
    ``<think>`` is allowed. If the chat template already opened ``<think>``, the completion starts inside the reasoning
    and must not open it again.

    Args:
        completions (Sequence[str]): the texts of the last assistant messages.
        prompts (Sequence): the prompts, as text or messages; only used to see whether they end inside the reasoning.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of each prompt. If prompts are
            messages, they do not show what the template adds: bind ``True`` for a model whose template opens it.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``well_formed``: all is as it should be (1.0).
        - ``no_thinking``: does not begin with ``<think>``.
        - ``unfinished_thinking``: ``</think>`` is missing, or ``<think>`` is opened again and not closed.
        - ``repeated_tags``: a tag occurs more than once, or reasoning begins again in a second turn of its own.
        - ``answer_in_reasoning``: ``<answer>`` or ``</answer>`` in the reasoning.
        - ``blank_reasoning``: the reasoning has no content.
        - ``blank_response``: the response has no content.

    A policy would try empty tags, ``...``, invisible characters, or tags spelled with look-alike letters. All of these
    earn 0.

    >>> think_format.score("I add.</think>It is 4.", prompt="What is 2 + 2? <think>")
    1.0
    """
    _hint("think_format", completions, prompts, thinking)
    reasons = [
        _reason(completion, prompt, thinking, _response)
        for completion, prompt in zip(completions, prompts, strict=True)
    ]
    return [Verdict(float(reason == "well_formed"), reason) for reason in reasons]


@batch_reward(
    reasons=(*REASONING_REASONS, "no_answer", "repeated_answer", "blank_answer", "text_outside"), range=(0.0, 1.0)
)
def think_answer_format(completions: Sequence[str], prompts: Sequence[Any], *, thinking: Thinking) -> list[Verdict]:
    """1 if the completion is ``<think>reasoning</think><answer>answer</answer>`` and nothing else, else 0.

    The rules for the reasoning are those of ``think_format``. After it there must be one ``<answer>`` that says
    something (a letter or a digit), with only white space around it.

    Args:
        completions (Sequence[str]): the texts of the last assistant messages.
        prompts (Sequence): the prompts, as text or messages; only used to see whether they end inside the reasoning.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of each prompt.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``well_formed``: all is as it should be (1.0).
        - ``no_thinking``, ``unfinished_thinking``, ``repeated_tags``, ``answer_in_reasoning``, ``blank_reasoning``: as
          for ``think_format``.
        - ``no_answer``: no ``<answer>…</answer>`` after the reasoning.
        - ``repeated_answer``: more than one.
        - ``text_outside``: text around the answer.
        - ``blank_answer``: the answer says nothing.

    A policy would try several answers, or text outside the tags. Both earn 0.

    >>> think_answer_format.explain("<think>I add.</think><answer>4</answer> Bye!").reason
    'text_outside'
    """
    _hint("think_answer_format", completions, prompts, thinking)
    reasons = [
        _reason(completion, prompt, thinking, _answer) for completion, prompt in zip(completions, prompts, strict=True)
    ]
    return [Verdict(float(reason == "well_formed"), reason) for reason in reasons]


@reward(reasons=("boxed", "no_box", "blank_box", "unfinished_thinking"), range=(0.0, 1.0))
def boxed_format(completion: str, prompt: Any = None, *, thinking: Thinking) -> Verdict:
    """1 if the response after the reasoning holds a box that is closed and not blank, right or wrong, else 0.

    The last box counts. It must hold a letter or a digit.

    Args:
        completion (str): the text of the last assistant message.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside
            the reasoning.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``boxed``: such a box (1.0).
        - ``no_box``: no closed box after the reasoning.
        - ``blank_box``: the last box holds no letter or digit.
        - ``unfinished_thinking``: the reasoning was never closed.

    A policy would try an empty box, which earns 0, or a box with just anything, which earns 1: give this reward little
    weight.

    >>> boxed_format.score(r"It is \\boxed{5}."), boxed_format.score(r"It is \\boxed{5.")
    (1.0, 0.0)
    """
    text = thinking.response_without_calls(completion, prompt)
    if text is None:
        return Verdict(0.0, "unfinished_thinking")
    prediction = last_box(text)
    if prediction is None:
        return Verdict(0.0, "no_box")
    reason = "blank_box" if is_only_markup(prediction) else "boxed"
    return Verdict(float(reason == "boxed"), reason, prediction=prediction)


def _reason(completion: str, prompt: Any, thinking: Thinking, of_response: Callable[[str], str]) -> str:
    """The reason code of a completion: that of its reasoning, or of its response if nothing is wrong with that."""
    marks = thinking.marks
    text, opened = thinking.as_written(completion, prompt)
    if len(text) < len(completion) and completion.startswith(text):
        between, begins, _ = completion[len(text) :].partition(marks.opening)
        if begins and OWN_NEXT_TURN.fullmatch(between):
            return "repeated_tags"  # it answers the same prompt again; what it writes for others does not count
    reason, end = _thinking(text, opened, marks)
    return of_response(without_calls(text[end:])) if reason == "well_formed" else reason


def _response(response: str) -> str:
    """The reason code of ``think_format`` for what follows the reasoning."""
    return "blank_response" if is_only_markup(response) else "well_formed"


def _hint(reward: str, completions: Sequence[str], prompts: Sequence[Any], thinking: Thinking) -> None:
    """Warns if the chat template seems to open the reasoning."""
    opened, marks, reasoning = thinking.think_opened, thinking.marks, thinking.reasoning
    others = {} if marks == DEFAULT_THINKING.marks else {"reasoning": reasoning}
    hint_at_template(reward, "think_opened", completions, prompts, marks, opened, **others)


def _thinking(text: str, opened: bool, marks: Marks) -> tuple[str, int]:
    """(reason, end): the reason code for the reasoning, ``well_formed`` if nothing is wrong with it, and its end."""
    opening, closing = marks
    opens, closes, close = text.count(opening), text.count(closing), text.rfind(closing)
    if (opens, closes) != (int(not opened), 1) or text[max(close - 1, 0)] in CLOSING_QUOTES:
        text = without_quoted(text, marks)
        opens, closes, close = text.count(opening), text.count(closing), text.rfind(closing)
    end = close + len(closing)
    if opening in text[close + 1 :] or (opened and closes == 0):
        return "unfinished_thinking", end
    if not opened and not visible(text).lstrip().startswith(opening):
        return "no_thinking", end
    if closes > 1 or opens != (0 if opened else 1):
        return "repeated_tags", end
    reasoning = text[:close].replace(opening, "", 1)
    if any(count_tags(reasoning, "answer")) and any(count_tags(without_quoted(reasoning, ANSWER), "answer")):
        return "answer_in_reasoning", end
    return "blank_reasoning" if is_only_markup(reasoning) else "well_formed", end


def _answer(rest: str) -> str:
    """The reason code for what follows the reasoning."""
    opens, closes = count_tags(rest, "answer")
    if not opens or not closes or rest.index("<answer>") > rest.index("</answer>"):
        return "no_answer"
    if opens > 1 or closes > 1:
        return "repeated_answer"
    before, _, inside = rest.partition("<answer>")
    answer, _, after = inside.partition("</answer>")
    if visible(before).strip() or visible(after).strip():
        return "text_outside"
    return "blank_answer" if is_only_markup(answer) else "well_formed"
