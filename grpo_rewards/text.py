"""Where things are in a completion: its text, the end of its turn, its reasoning, its tags, its boxes.

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
    "box_spans",
    "boxes",
    "completion_text",
    "is_blank",
    "last_box",
    "last_boxes",
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
MARKERS = (
    r"<\|(?:im_end|im_start|eot_id|eom_id|end_of_text|endoftext|end|return|start_header_id|user|END_OF_TURN_TOKEN|endofassistant|endofuser|eom)\|>"
    r"|<end_of_turn>|<start_of_turn>|</s>|<eos>|<｜end▁of▁sentence｜>"
)
END_OF_TURN = re.compile(MARKERS)
TAG_OR_MARKER = re.compile(f"{MARKERS}|</?think>")

SHORT = 2_000  # characters that a pattern goes through in less time than several searches take to start
LOOKED_AT = 64  # '<' in a text that are looked at one by one
BEHIND = frozenset("|｜/es")  # what may follow the '<' of a marker

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
    # A search for one character runs through a text some twenty times as fast as one for a pattern. A text with so many
    # '<' that looking at each takes longer than the pattern is left to that.
    at = text.find("<")
    for _ in range(LOOKED_AT):
        if at < 0:
            return text
        if text[at + 1 : at + 2] in BEHIND and (marker := END_OF_TURN.match(text, at)) is not None:
            return text[: marker.start()]
        at = text.find("<", at + 1)
    marker = END_OF_TURN.search(text, at) if at >= 0 else None
    return text if marker is None else text[: marker.start()]


def opens_thinking(prompt: Any, said: bool | None = None) -> bool:
    """Whether the prompt ends inside ``<think>``, so that a completion starts with reasoning; ``said`` overrides it."""
    if said is not None or prompt is None:
        return bool(said)
    if type(prompt) is list and prompt and type(prompt[-1]) is dict and prompt[-1].get("role") == "user":
        return False  # nearly always
    text = prompt if type(prompt) is str else prompt_text(prompt)
    return bool(text) and text.rstrip().endswith(THINK_OPEN)


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
    if "<" not in completion or (len(completion) < SHORT and TAG_OR_MARKER.search(completion) is None):
        return None if opened else completion
    return _behind_reasoning(before_end_of_turn(completion), opened)


def tag_count(text: str, tag: str) -> tuple[int, int]:
    """How often ``<tag>`` and ``</tag>`` occur."""
    return text.count(f"<{tag}>"), text.count(f"</{tag}>")


def visible(text: str) -> str:
    """The text without characters that show nothing (zero-width, directional, variation selectors)."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def is_blank(text: str) -> bool:
    """Whether a text says nothing: it has no letter, no digit and no sign that is an answer, so ``...`` is blank."""
    return not any(character.isalnum() or character in "∞∅" for character in visible(text))


BOXED = "\\boxed{"
BOXED_LENGTH = len(BOXED)
BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])")
# '\\\\boxed' is how a box looks that was escaped twice; its second backslash still starts a box.
BRACE_OR_BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])|\\(?!\\(?:boxed|fbox)).|[{}]", re.DOTALL)
ESCAPE_OR_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
SPACES = re.compile(r"\s*")
# Without braces a box holds a number, a letter or a command; in prose, "put it in \\boxed is" is no box.
UNBRACED = re.compile(r"\\[A-Za-z]+|[-+]?[0-9][^\s\\${}]*|[A-Za-z](?![A-Za-z])")


# What stands between the boxes of one list, without mathematics delimiters and spaces: "or", ", and", ",x=".
LAYOUT = re.compile(r"\\(?:text|quad|qquad|[\[\](),;! ])|[\s${}~.]")
JOINT = re.compile(r"(?:[,;]?(?:and|or)|[,;])(?:[A-Za-z](?:_\d)?=)?")
JOINT_LENGTH = 60
LIST_REACH = 200  # characters before the contents of a box in which one of the same list begins


def last_box(text: str) -> str | None:
    """The contents of the last box that is closed and not inside another; ``None`` where there is none.

    Reads ``\\boxed{…}``, ``\\boxed {…}``, ``\\boxed 5`` and ``\\fbox{…}``. Of nested boxes the outermost counts, with
    the inner one in its contents. Linear in the length of the text.

    >>> last_box(r"\\boxed{7} no, \\boxed{\\frac{1}{2}}")
    '\\\\frac{1}{2}'
    """
    span = _last_span(text)
    return None if span is None else text[span[0] : span[1]]


def last_boxes(text: str) -> list[str]:
    """The last box, after those that it makes a list with: ``\\boxed{1}`` or ``\\boxed{2}`` is one answer.

    >>> last_boxes(r"\\boxed{3}. So $x = \\boxed{1}$ or $x = \\boxed{2}$")
    ['1', '2']
    """
    # Nearly always the last box is the only one far and wide, and what it holds and what follows it is plain.
    start = text.rfind(BOXED) + BOXED_LENGTH
    end = text.find("}", start)
    if start >= BOXED_LENGTH <= end:
        inside, behind = text[start:end], text[end + 1 :]
        before = text[start - LIST_REACH if start > LIST_REACH else 0 : start - BOXED_LENGTH]
        is_plain = "\\" not in inside and "{" not in inside and "}" not in behind
        if is_plain and "box" not in behind and "box" not in before:
            return [inside]
    span = _last_span(text)
    if span is None:
        return []
    if text.find("box", max(span[0] - LIST_REACH, 0), span[0] - len("boxed{")) < 0:
        return [text[span[0] : span[1]]]
    spans = box_spans(text)
    first = len(spans) - 1
    while first > 0 and _are_listed(text, spans[first - 1], spans[first]):
        first -= 1
    return [text[start:end] for start, end in spans[first:]]


def boxes(text: str) -> list[str]:
    """The contents of all closed outermost boxes, in order."""
    return [text[start:end] for start, end in box_spans(text)]


def _are_listed(text: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    between = text[one[1] : text.rfind("\\", 0, other[0])]
    return len(between) <= JOINT_LENGTH and JOINT.fullmatch(LAYOUT.sub("", between)) is not None


def _last_span(text: str) -> tuple[int, int] | None:
    """Where the contents of the last box start and end."""
    # Nearly always it can be read off from the end.
    start = text.rfind(BOXED) + BOXED_LENGTH
    if start >= BOXED_LENGTH:
        end = _closing_brace(text, start)
        if end >= 0 and _is_last(text, start, end):
            return start, end
    return next(reversed(box_spans(text)), None)


def _is_last(text: str, start: int, end: int) -> bool:
    """Whether no box of another spelling follows the one with these contents, and none can be around it; if in doubt,
    ``False``."""
    behind = text[end + 1 :]
    if "box" in behind:
        return False
    return "}" not in behind or text.find("box", 0, start - len("boxed{")) < 0 or _closing_brace(behind, 0) < 0


def _closing_brace(text: str, start: int) -> int:
    """Where a brace that was opened before ``start`` closes, or -1."""
    depth = 1
    for token in ESCAPE_OR_BRACE.finditer(text, start):
        piece = token.group()
        depth += (piece == "{") - (piece == "}")
        if not depth:
            return token.start()
    return -1


def box_spans(text: str) -> list[tuple[int, int]]:
    """Where the contents of all closed outermost boxes start and end, in order."""
    first = BOX.search(text)
    depth = 0
    opened: list[tuple[int, int]] = []  # (depth, where its contents start) of each open box
    closed: list[tuple[int, int]] = []  # an outer box replaces its inner ones
    pending = -1  # where the brace of a box just named stands
    for token in BRACE_OR_BOX.finditer(text, first.start()) if first else ():
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
                closed.append((after, after + len(unbraced.group().rstrip(".,;:!?"))))
    return closed
