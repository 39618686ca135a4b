"""Where things are in a completion: its text, the end of its turn, its reasoning, its tags.

Everything here is a linear scan over text that a model wrote; nothing raises on it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Parts",
    "as_messages",
    "before_end_of_turn",
    "completion_text",
    "count_tags",
    "is_blank",
    "is_tag_name",
    "last_tagged",
    "opens_tag",
    "opens_thinking",
    "prompt_text",
    "response",
    "split_reasoning",
    "unwrapped",
    "visible",
]

THINK_OPEN, THINK_CLOSE = "<think>", "</think>"

# Markers with which the chat templates of common models end a turn (or begin the next). What a model writes after one
# was never said to anyone.
MARKERS = (
    r"<\|(?:im_end|im_start|eot_id|eom_id|end_of_text|endoftext|end|return|start_header_id|user|END_OF_TURN_TOKEN|endofassistant|endofuser|eom)\|>"
    r"|<end_of_turn>|<start_of_turn>|</s>|<eos>|<｜end▁of▁sentence｜>"
)
END_OF_TURN = re.compile(MARKERS)
LIKE_A_TAG = re.compile("<[|｜/est]")  # how every marker and every tag of reasoning starts

SHORT = 2_000  # characters that a pattern goes through in less time than several searches take to start
LOOKED_AT = 64  # '<' in a text that are looked at one by one
BEHIND = frozenset("|｜/es")  # what may follow the '<' of a marker

TAG_NAME = re.compile(r"[A-Za-z_][\w.-]*")
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


def before_end_of_turn(text: str) -> str:
    """The text up to the first end-of-turn marker."""
    marker = _first_marker(text, len(text) - 1)
    return text if marker < 0 else text[:marker]


def _first_marker(text: str, end: int) -> int:
    """Where the first end-of-turn marker before ``end`` starts, or -1; ``end`` is less than the length."""
    # A search for one character runs through a text some twenty times as fast as one for a pattern. A text with so many
    # '<' that looking at each takes longer than the pattern is left to that.
    at = text.find("<", 0, end)
    for _ in range(LOOKED_AT):
        if at < 0:
            return -1
        if text[at + 1] in BEHIND and END_OF_TURN.match(text, at) is not None:
            return at
        at = text.find("<", at + 1, end)
    marker = END_OF_TURN.search(text, at) if at >= 0 else None
    return marker.start() if marker is not None and marker.start() < end else -1


def opens_thinking(prompt: Any, said: bool | None = None) -> bool:
    """Whether the prompt ends inside ``<think>``, so that a completion starts with reasoning; ``said`` overrides it."""
    return opens_tag(prompt, "think", said)


def opens_tag(prompt: Any, tag: str, said: bool | None = None) -> bool:
    """Whether the prompt ends with ``<tag>``, so that a completion starts inside it; ``said`` overrides it."""
    if said is not None or prompt is None:
        return bool(said)
    if type(prompt) is list and prompt and type(prompt[-1]) is dict and prompt[-1].get("role") == "user":
        return False  # nearly always
    text = prompt if type(prompt) is str else prompt_text(prompt)
    return bool(text) and text.rstrip().endswith(f"<{tag}>")


@dataclass(frozen=True, slots=True)
class Parts:
    """A completion split at its reasoning.

    Attributes:
        reasoning: what stands before the last ``</think>``, tags included; ``""`` where nothing was reasoned.
        response: what follows; ``None`` where the reasoning was never finished.
    """

    reasoning: str
    response: str | None


def split_reasoning(text: str, *, opened: bool = False) -> Parts:
    """Splits a text at its last ``</think>``; linear.

    Args:
        text: a completion, cut at its end of turn.
        opened: whether the prompt already opened ``<think>``.

    >>> split_reasoning("<think>2 + 2</think>4").response
    '4'
    >>> split_reasoning("<think>2 + 2").response is None
    True
    """
    rest = _behind_reasoning(text, opened)
    return Parts(text, None) if rest is None else Parts(text[: len(text) - len(rest)], rest)


def _behind_reasoning(text: str, opened: bool) -> str | None:
    if "think>" not in text:  # neither of the two tags
        return None if opened else text
    close = text.rfind(THINK_CLOSE)
    if opened and close < 0:
        return None
    rest = text if close < 0 else text[close + len(THINK_CLOSE) :]
    return None if "<" in rest and THINK_OPEN in rest else rest


def response(completion: str, *, opened: bool = False) -> str | None:
    """What a completion says between its reasoning and its end of turn; ``None`` where the reasoning has no end."""
    if "<" not in completion or (len(completion) < SHORT and LIKE_A_TAG.search(completion) is None):
        return None if opened else completion
    close = completion.rfind(THINK_CLOSE)
    if close >= 0:
        rest = completion[close + len(THINK_CLOSE) :]
        if "<" not in rest and _first_marker(completion, close) < 0:
            return rest  # nearly always
    return _behind_reasoning(before_end_of_turn(completion), opened)


def count_tags(text: str, tag: str) -> tuple[int, int]:
    """How often ``<tag>`` and ``</tag>`` occur."""
    return text.count(f"<{tag}>"), text.count(f"</{tag}>")


def last_tagged(text: str, tag: str) -> str | None:
    """What stands between the last ``</tag>`` and the ``<tag>`` before it; ``None`` where there are none."""
    close = text.rfind(f"</{tag}>")
    opening = text.rfind(f"<{tag}>", 0, max(close, 0))
    return text[opening + len(tag) + 2 : close] if opening >= 0 else None


def is_tag_name(name: Any) -> bool:
    return isinstance(name, str) and TAG_NAME.fullmatch(name) is not None


def visible(text: str) -> str:
    """The text without characters that show nothing (zero-width, directional, variation selectors)."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def unwrapped(text: str) -> str:
    """The text without the LaTeX commands that only say how words look: ``\\text{Paris}`` is Paris."""
    return WRAPPING.sub(r"\1", WRAPPING.sub(r"\1", text)) if "\\" in text else text


def is_blank(text: str) -> bool:
    """Whether a text says nothing: it has no letter, no digit and no sign that is an answer, so ``...`` is blank."""
    return not any(character.isalnum() or character in "∞∅" for character in visible(text))
