"""Is the chosen option the right one?"""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.text import from_json, without_arrays
from grpo_rewards.extraction import Options, choice_of_gold, find_choice, usual_labels
from grpo_rewards.registry import reward
from grpo_rewards.verdict import Verdict

__all__ = ["multiple_choice"]

# What the records of options call their texts and labels in the common data sets.
TEXT_FIELDS, LABEL_FIELDS = ("text", "content", "value", "option_text"), ("label", "key", "id", "letter")


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
    thinking: Thinking,
) -> Verdict:
    """1 if the completion chooses the right option of a multiple-choice question, else 0.

    The choice is, in this order: the last box; the last ``<answer>``; JSON (``{"answer": "B"}``); a text that is
    nothing but an option; what the prose announces or concludes last ("the answer is B", "I'd go with B", "B is
    correct", "故选B"); a letter that is the last sentence; the only line that begins with a label, if it is the first
    or last; the option in which the last sentence ends, if no other one is named ("The capital is Rome."), or named
    by letter and text. What is denied, doubted, supposed, cited or taken back is no choice. An option is named by
    its letter (``b)``, ``(B)``, ``\\text{B}``), its place ("Option 2") or, where ``choices`` is given, by its label
    or text. Two different options, or a letter with the text of another option, are no choice.

    Args:
        completion (str): the text of the last assistant message.
        answer (str | int): the gold, a dataset column: the right option's letter, label or text, or its index as an
            int, counted from 0.
        choices (list | dict | str | None): the options, a dataset column: a list or an array of texts; as in ARC
            ``{"text": […], "label": […]}``; as in MedQA ``{"A": "Paris", "B": "Rome"}``; a list of
            ``{"label": "A", "text": "Paris"}``; or any of these as JSON. ``None``, the default: only letters are
            understood, or labels such as ``1``, ``IV``, ``Б`` or ``ウ`` where the gold is one.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside
            the reasoning.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0; ``None`` if the gold is not one of the options. Reasons:

        - ``correct``: the right option (1.0).
        - ``wrong``: another option.
        - ``no_choice``: nothing that can be read as an option.
        - ``several_choices``: more than one option, or a letter with the text of another option.
        - ``unfinished_thinking``: the reasoning was never closed.
        - ``bad_answer``: the gold is not one of the options, or the options cannot be read (``None``).

    A policy would try to name several options ("A or B", one in each line, one late or in passing), or a letter with
    the text of another option. All of these earn 0.

    >>> multiple_choice.score("It is Rome.\\nThe answer is (B).", answer="B")
    1.0
    >>> multiple_choice.score(r"\\boxed{B. Paris}", answer="B", choices=["Paris", "Rome"])
    0.0
    """
    options = _options(choices, answer)
    right = None if options is None else choice_of_gold(answer, options)
    if options is None or right is None:
        return Verdict(None, "bad_answer")
    text = thinking.response_without_calls(completion, prompt)
    if text is None:
        return Verdict(0.0, "unfinished_thinking", answer=str(answer))
    chosen = find_choice(text, options)
    if chosen.option is None:
        return Verdict(0.0, chosen.reason, chosen.text, str(answer))
    is_right, labels = chosen.option == right, options.labels or ascii_uppercase
    label = labels[chosen.option] if chosen.option < len(labels) else chosen.text
    return Verdict(float(is_right), "correct" if is_right else "wrong", label, str(answer))


def _options(choices: Any, answer: Any) -> Options | None:
    """The options of a row, or the usual labels if it has none; ``None`` if they stand there and cannot be read."""
    choices = without_arrays(from_json(choices))
    if choices is None:
        return Options(None, usual_labels(answer))
    pairs = _labelled(choices)
    if not pairs or not all(_is_plain(text) for _, text in pairs):
        return None
    labels, texts = [str(label) for label, _ in pairs], [str(text) for _, text in pairs]
    if not all(_is_plain(label) for label, _ in pairs) or len(set(labels)) < len(labels):
        return Options(texts)
    letters = [label.strip().upper() for label in labels]
    if sorted(letters) == sorted(ascii_uppercase[: len(texts)]):  # also {"b": "Rome", "a": "Paris"}
        return Options([text for _, text in sorted(zip(letters, texts, strict=True))])
    return Options(texts, labels)


def _labelled(choices: Any) -> list[tuple[Any, Any]]:
    """(label, text) of each option of a row; either is ``None`` where it has none, and there are none in what has none.

    Arrow gives each row the fields of all, and as many options as one has: what it fills up with ``None`` is left out.
    """
    if isinstance(choices, Mapping):
        texts, labels = choices.get("text"), choices.get("label") or []
        if not isinstance(texts, list):  # as in MedQA: {"A": "Paris", "B": "Rome"}
            return [(str(label), text) for label, text in choices.items() if text is not None]
        return list(zip(labels if len(labels) == len(texts) else [None] * len(texts), texts, strict=True))  # as in ARC
    items = choices if isinstance(choices, list) else []
    while items and items[-1] is None:
        items.pop()
    return [
        (_field(one, LABEL_FIELDS), _field(one, TEXT_FIELDS)) if isinstance(one, Mapping) else (None, one)
        for one in items
    ]


def _field(record: Mapping[Any, Any], names: Sequence[str]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _is_plain(value: Any) -> bool:
    """Whether a value may be the text or the label of an option."""
    return isinstance(value, str | int | float)
