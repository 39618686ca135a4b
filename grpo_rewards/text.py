"""Where things are in a completion: its text, the end of its turn, its reasoning, its tags, its boxes.

Everything here is a linear scan over text that a model wrote; nothing raises on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Parts",
    "as_messages",
    "before_end_of_turn",
    "boxes",
    "completion_text",
    "is_blank",
    "last_box",
    "opens_thinking",
    "prompt_text",
    "response",
    "split_reasoning",
    "tag_count",
    "visible",
]

THINK_OPEN, THINK_CLOSE = "<think>", "</think>"

# Markers with which the chat templates of common models end a turn (or begin the next). What a model writes after one
# was never said to anyone.
END_OF_TURN = re.compile(
    r"<\|(?:im_end|im_start|eot_id|eom_id|end_of_text|endoftext|end|return|start_header_id|user|END_OF_TURN_TOKEN|endofassistant|endofuser|eom)\|>"
    r"|<end_of_turn>|<start_of_turn>|</s>|<eos>|<｜end▁of▁sentence｜>"
)

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]"
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
    if isinstance(completion, dict):
        completion = [completion]
    if not isinstance(completion, list | tuple):
        return ""
    for message in reversed(completion):
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
        isinstance(prompt, list | tuple)
        and prompt
        and isinstance(prompt[-1], dict)
        and prompt[-1].get("role") == "assistant"
    ):
        return _message_text(prompt[-1])
    return ""


def _message_text(message: dict[str, Any]) -> str:
    content = _content_text(message.get("content"))
    reasoning = message.get("reasoning_content") or message.get("thinking")
    if isinstance(reasoning, str) and reasoning.strip():
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
    # '<' is far rarer than what the pattern would try: most texts have none of the openings.
    if "<|" in text or "_turn>" in text or "</s>" in text or "<eos>" in text or "<｜" in text:
        marker = END_OF_TURN.search(text)
        return text[: marker.start()] if marker else text
    return text


def opens_thinking(prompt: Any, said: bool | None = None) -> bool:
    """Whether the prompt ends inside ``<think>``, so that a completion starts with reasoning; ``said`` overrides it."""
    if said is not None or prompt is None:
        return bool(said)
    return prompt_text(prompt).rstrip().endswith(THINK_OPEN)


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
    close = text.rfind(THINK_CLOSE)
    if close < 0:
        unfinished = opened or THINK_OPEN in text
        return Parts(text, None) if unfinished else Parts("", text)
    rest = text[close + len(THINK_CLOSE) :]
    if THINK_OPEN in rest:
        return Parts(text, None)
    return Parts(text[: close + len(THINK_CLOSE)], rest)


def response(completion: str, *, opened: bool = False) -> str | None:
    """What a completion says between its reasoning and its end of turn; ``None`` where the reasoning has no end."""
    return split_reasoning(before_end_of_turn(completion), opened=opened).response


def tag_count(text: str, tag: str) -> tuple[int, int]:
    """How often ``<tag>`` and ``</tag>`` occur."""
    return text.count(f"<{tag}>"), text.count(f"</{tag}>")


def visible(text: str) -> str:
    """The text without characters that show nothing (zero-width, directional, variation selectors)."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def is_blank(text: str) -> bool:
    """Whether a text says nothing: it has no letter, no digit and no sign that is an answer, so ``...`` is blank."""
    return not any(character.isalnum() or character in "∞∅" for character in visible(text))


BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])")
# '\\\\boxed' is how a box looks that was escaped twice; its second backslash still starts a box.
BRACE_OR_BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])|\\(?!\\(?:boxed|fbox)).|[{}]", re.DOTALL)
SPACES = re.compile(r"\s*")
# Without braces a box holds a number, a letter or a command; in prose, "put it in \\boxed is" is no box.
UNBRACED = re.compile(r"\\[A-Za-z]+|[-+]?[0-9][^\s\\${}]*|[A-Za-z](?![A-Za-z])")


def last_box(text: str) -> str | None:
    """The contents of the last box that is closed and not inside another; ``None`` where there is none.

    Reads ``\\boxed{…}``, ``\\boxed {…}``, ``\\boxed 5`` and ``\\fbox{…}``. Of nested boxes the outermost counts, with
    the inner one in its contents. Linear in the length of the text.

    >>> last_box(r"\\boxed{7} no, \\boxed{\\frac{1}{2}}")
    '\\\\frac{1}{2}'
    """
    start = text.rfind("\\boxed{")
    if start >= 0 and text.find("\\boxed") == start == text.rfind("\\boxed") and "\\fbox" not in text:
        # By far the most common: one box, whose contents hold no brace.
        end = text.find("}", start)
        contents = text[start + 7 : end]
        if end >= 0 and "{" not in contents and "\\" not in contents:
            return contents
    found = None
    for found in boxes(text):  # noqa: B007  # the last one is wanted
        pass
    return found


def boxes(text: str) -> Iterator[str]:
    """The contents of all closed outermost boxes, in order."""
    first = BOX.search(text)
    if first is None:
        return
    depth = 0
    opened: list[tuple[int, int]] = []  # (depth, where its contents start) of each open box
    closed: list[
        tuple[int, int]
    ] = []  # where the contents of boxes start and end; an outer one replaces its inner ones
    pending = -1  # where the brace of a box just named stands
    for token in BRACE_OR_BOX.finditer(text, first.start()):
        piece = token.group()
        if piece == "{":
            depth += 1
            if token.start() == pending:
                opened.append((depth, token.end()))
        elif piece == "}" and depth:
            if opened and opened[-1][0] == depth:
                start = opened.pop()[1]
                while closed and closed[-1][0] >= start:
                    closed.pop()
                closed.append((start, token.start()))
            depth -= 1
        elif len(piece) > 2:
            after = SPACES.match(text, token.end()).end()  # type: ignore[union-attr]  # it matches the empty string
            if text.startswith("{", after):
                pending = after
            elif unbraced := UNBRACED.match(text, after):
                closed.append((after, unbraced.end()))
    for start, end in closed:
        yield text[start:end] if text[start - 1] == "{" else text[start:end].rstrip(".,;:!?")
