"""Gets the text of a completion or a prompt, whatever form it is handed over in, and its visible part.

Everything is a linear scan, and nothing that a model writes makes it raise.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["as_messages", "completion_text", "is_blank", "prompt_text", "unwrapped", "visible"]


THINK_OPEN, THINK_CLOSE = "<think>", "</think>"

WRAPPING = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox|boxed)\s?\{([^{}]*)\}")
# The characters that Unicode calls "default ignorable", its annotation marks, the control characters beyond ASCII
# (except white space), and the empty Braille pattern.
INVISIBLE = re.compile(
    "[\x80-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def completion_text(completion: Any) -> str:
    """The text of the last assistant message, for every form in which TRL hands over a completion.

    A string is returned as it is. Of a list of messages, the last one with the role ``assistant`` counts: a tool's
    output is not the policy's answer. Its content may be ``None``, a string, or blocks, whose texts are joined.
    Reasoning that a parser moved to its own field (``reasoning_content``, ``thinking``) is put back in ``<think>``
    tags. Anything else gives ``""``.

    >>> completion_text([{"role": "assistant", "content": "4"}, {"role": "tool", "content": "5"}])
    '4'
    """
    if isinstance(completion, str):
        return completion
    if type(completion) is list and len(completion) == 1 and type(completion[0]) is dict:
        message = completion[0]  # nearly always it has a role, a text and nothing else
        text = message.get("content")
        if type(text) is str and len(message) == 2 and message.get("role") == "assistant":
            return text
    messages = (completion,) if isinstance(completion, dict) else completion
    if not isinstance(messages, (list, tuple)):
        return ""
    for message in reversed(messages):
        # Some datasets leave out the role; then the policy wrote the message.
        if isinstance(message, dict) and message.get("role", "assistant") == "assistant":
            return _message_text(message)
    return ""


def as_messages(completion: Any) -> list[dict[str, Any]]:
    """A completion as a list of messages. A string becomes one assistant message; an unknown type, an empty one."""
    if isinstance(completion, list | tuple):
        return [message for message in completion if isinstance(message, dict)]
    if isinstance(completion, dict):
        return [completion]
    return [{"role": "assistant", "content": completion if isinstance(completion, str) else ""}]


def prompt_text(prompt: Any) -> str:
    """The text that a completion continues; ``""`` if there is none.

    It is the prompt itself if that is a string, or its last message's text if that is a prefilled assistant turn.
    """
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
    """The text without invisible characters, such as zero-width spaces, direction marks and variation selectors."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def unwrapped(text: str) -> str:
    """The text without LaTeX commands that only set a style: ``\\text{Paris}`` becomes ``Paris``."""
    return WRAPPING.sub(r"\1", WRAPPING.sub(r"\1", text)) if "\\" in text else text


def is_blank(text: str) -> bool:
    """Whether a text says nothing: it has no letter, no digit, no ``∞`` and no ``∅``. ``...`` is blank."""
    return not any(character.isalnum() or character in "∞∅" for character in visible(text))
