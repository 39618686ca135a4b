"""Where a completion says what: the end of its turn, its reasoning, its tags. Linear scans."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from grpo_rewards.completion.text import THINK_CLOSE, THINK_OPEN, prompt_text

__all__ = [
    "Parts",
    "before_end_of_turn",
    "count_tags",
    "is_tag_name",
    "last_tagged",
    "opens_tag",
    "opens_thinking",
    "response",
    "split_reasoning",
]


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
