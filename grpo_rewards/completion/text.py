"""Where things are in a completion: its text, the end of its turn, its reasoning, its tags.

Everything here is a linear scan over text that a model wrote; nothing raises on it.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["as_messages", "completion_text", "is_blank", "prompt_text", "unwrapped", "visible"]


THINK_OPEN, THINK_CLOSE = "<think>", "</think>"

WRAPPING = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox|boxed)\s?\{([^{}]*)\}")
# What Unicode calls default ignorable, its marks of annotation, the control characters behind ASCII that are no white
# space, and the empty Braille pattern.
INVISIBLE = re.compile(
    "[\x80-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def completion_text(completion: Any) -> str:
    """The text of the last assistant message, for every form in which TRL hands over a completion.

    A string is itself; of a message list the last message with role ``assistant`` counts (a tool's output is not the
    policy's answer); content may be ``None``, a string or content blocks, whose text parts are joined. Reasoning that a
    parser moved into a field of its own (``reasoning_content``, ``thinking``) is put back in ``<think>`` tags. Anything
    else is the empty text.

    >>> completion_text([{"role": "assistant", "content": "4"}, {"role": "tool", "content": "5"}])
    '4'
    """
    if isinstance(completion, str):
        return completion
    if type(completion) is list and len(completion) == 1 and type(completion[0]) is dict:
        message = completion[0]  # nearly always with a role and a text, and nothing else
        text = message.get("content")
        if type(text) is str and len(message) == 2 and message.get("role") == "assistant":
            return text
    messages = (completion,) if isinstance(completion, dict) else completion
    if not isinstance(messages, (list, tuple)):
        return ""
    for message in reversed(messages):
        # A message without a role is one that the policy wrote: some data sets leave the role out.
        if isinstance(message, dict) and message.get("role", "assistant") == "assistant":
            return _message_text(message)
    return ""


def as_messages(completion: Any) -> list[dict[str, Any]]:
    """A completion as a list of messages; a string becomes one assistant message."""
    if isinstance(completion, list | tuple):
        return [message for message in completion if isinstance(message, dict)]
    if isinstance(completion, dict):
        return [completion]
    return [{"role": "assistant", "content": completion if isinstance(completion, str) else ""}]


def prompt_text(prompt: Any) -> str:
    """The end of a prompt: a string itself, or the text of its last message if that is a prefilled assistant turn."""
    if isinstance(prompt, str):
        return prompt
    if (
        isinstance(prompt, (list, tuple))
        and prompt
        and isinstance(prompt[-1], dict)
        and prompt[-1].get("role") == "assistant"
    ):
        return _message_text(prompt[-1])
    return ""


def _message_text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if type(content) is not str:
        content = _content_text(content)
    reasoning = message.get("reasoning_content") or message.get("thinking")
    if reasoning and isinstance(reasoning, str) and reasoning.strip():
        return f"{THINK_OPEN}{reasoning}{THINK_CLOSE}{content}"
    return content


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    texts = (block.get("text") if isinstance(block, dict) else block for block in content)
    return "".join(text for text in texts if isinstance(text, str))


def visible(text: str) -> str:
    """The text without characters that show nothing (zero-width, directional, variation selectors)."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def unwrapped(text: str) -> str:
    """The text without the LaTeX commands that only say how words look: ``\\text{Paris}`` is Paris."""
    return WRAPPING.sub(r"\1", WRAPPING.sub(r"\1", text)) if "\\" in text else text


def is_blank(text: str) -> bool:
    """Whether a text says nothing: it has no letter, no digit and no sign that is an answer, so ``...`` is blank."""
    return not any(character.isalnum() or character in "∞∅" for character in visible(text))
