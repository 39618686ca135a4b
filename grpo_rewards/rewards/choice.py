"""Is the right option chosen?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import Any

from grpo_rewards.answers import choice_of_gold, find_choice
from grpo_rewards.completion.sections import opens_thinking, response
from grpo_rewards.registry import reward
from grpo_rewards.verdict import Verdict

__all__ = ["multiple_choice"]


@reward(
    reasons=("correct", "wrong", "no_choice", "several_choices", "unfinished_thinking", "bad_answer"),
    range=(0.0, 1.0),
)
def multiple_choice(
    completion: str,
    answer: Any,
    choices: Any = None,
    prompt: Any = None,
    *,
    think_opened: bool | None = None,
) -> Verdict:
    """1 if the right option of a multiple-choice question is chosen, else 0.

    Read from the last box, else the last ``<answer>``, else behind "the answer is", else from the last line: a letter
    alone, dotted, in parentheses or in ``\\text{}``, a letter with its text, or, where the options are known, the text
    of one. A letter with the text of another option chooses none, and so do two letters; what follows
    "because" is not looked at.

    Args:
        completion: the text of the last assistant message.
        answer: the gold, a dataset column: a letter, the option's text, its label, or its index from 0 as an int.
        choices: the options, a dataset column, where there is one: a sequence of their texts, or, as in ARC, a mapping
            with their texts as ``text`` and their labels as ``label``.
        prompt: read to see whether it ends inside ``<think>``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.

    Returns:
        1.0 or 0.0; ``None`` with ``bad_answer`` where the gold is none of the options. Reasons: ``correct``, ``wrong``,
        ``no_choice``, ``several_choices``, ``unfinished_thinking``, ``bad_answer``.

    >>> multiple_choice.score("It is Rome.\\nThe answer is (B).", answer="B")
    1.0
    >>> multiple_choice.score(r"\\boxed{B. Paris}", answer="B", choices=["Paris", "Rome"])
    0.0
    """
    options, labels = _options(choices)
    right = choice_of_gold(answer, options, labels)
    if right is None:
        return Verdict(None, "bad_answer")
    text = response(completion, opened=opens_thinking(prompt, think_opened))
    if text is None:
        return Verdict(0.0, "unfinished_thinking", answer=str(answer))
    chosen = find_choice(text, options, labels)
    if chosen.option is None:
        return Verdict(0.0, chosen.reason, chosen.text, str(answer))
    return Verdict(
        float(chosen.option == right), "correct" if chosen.option == right else "wrong", chosen.text, str(answer)
    )


def _options(choices: Any) -> tuple[list[str] | None, list[str]]:
    """The options' texts, ``None`` where there are none, and their labels, where they have some."""
    if isinstance(choices, Mapping):
        texts, labels = _texts(choices.get("text")), _texts(choices.get("label"))
        return texts, labels if texts and labels and len(texts) == len(labels) else []
    return _texts(choices), []


def _texts(several: Any) -> list[str] | None:
    # numpy's arrays are no sequences to Python
    is_several = isinstance(several, Sized) and isinstance(several, Iterable) and not isinstance(several, str | bytes)
    return [str(one) for one in several] if is_several else None
