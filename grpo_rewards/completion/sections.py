"""Finds the parts of a completion: the end of its turn, its reasoning, its tags. Everything is a linear scan.

Look here if a completion is cut in the wrong place, or if reasoning is taken for the answer.
"""

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


# With these the chat templates of common models end a turn, or begin the next one. What follows one does not count:
# nobody would be shown it.
MARKERS = (
    r"<\|(?:im_end|im_start|eot_id|eom_id|end_of_text|endoftext|end|return|start_header_id|user|END_OF_TURN_TOKEN|endofassistant|endofuser|eom)\|>"
    r"|<end_of_turn>|<start_of_turn>|</s>|<eos>|<｜end▁of▁sentence｜>"
)
END_OF_TURN = re.compile(MARKERS)
LIKE_A_TAG = re.compile("<[|｜/est]")  # every marker and every tag of reasoning starts like this
SHORT_CHARACTERS = 2_000  # in a shorter text, one search for a pattern is faster than several for strings
MARKER_CANDIDATES = 64  # '<' that are checked one by one, before a pattern searches the rest of the text
MARKER_SECOND_CHARACTERS = frozenset("|｜/es")  # the characters that may follow the '<' of a marker
TAG_NAME = re.compile(r"[A-Za-z_][\w.-]*")


def before_end_of_turn(text: str) -> str:
    """The text up to the first end-of-turn marker."""
    marker = _first_marker(text, len(text) - 1)
    return text if marker < 0 else text[:marker]


def _first_marker(text: str, end: int) -> int:
    """Where the first end-of-turn marker before ``end`` starts; -1 if there is none. ``end`` is below the length."""
    # A search for one character is some twenty times as fast as one for a pattern. Only in a text with very many '<'
    # does the pattern win.
    at = text.find("<", 0, end)
    for _ in range(MARKER_CANDIDATES):
        if at < 0:
            return -1
        if text[at + 1] in MARKER_SECOND_CHARACTERS and END_OF_TURN.match(text, at) is not None:
            return at
        at = text.find("<", at + 1, end)
    marker = END_OF_TURN.search(text, at) if at >= 0 else None
    return marker.start() if marker is not None and marker.start() < end else -1


def opens_thinking(prompt: Any, said: bool | None = None) -> bool:
    """Whether the prompt ends with ``<think>``, so that the completion starts with reasoning; ``said`` overrides it."""
    return opens_tag(prompt, "think", said)


def opens_tag(prompt: Any, tag: str, said: bool | None = None) -> bool:
    """Whether the prompt ends with ``<tag>``, so that the completion starts inside it; ``said`` overrides it."""
    if said is not None or prompt is None:
        return bool(said)
    if type(prompt) is list and prompt and type(prompt[-1]) is dict and prompt[-1].get("role") == "user":
        return False  # as nearly always
    text = prompt if type(prompt) is str else prompt_text(prompt)
    return bool(text) and text.rstrip().endswith(f"<{tag}>")


@dataclass(frozen=True, slots=True)
class Parts:
    """A completion split at its reasoning.

    Attributes:
        reasoning: everything up to the last ``</think>``, tags included; ``""`` if there is no reasoning.
        response: what follows; ``None`` if the reasoning never ends.
    """

    reasoning: str
    response: str | None


def split_reasoning(text: str, *, opened: bool = False) -> Parts:
    """Splits a text behind its last ``</think>``, in linear time.

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
    """The text behind the reasoning, all of it if there is no reasoning; ``None`` if the reasoning never ends."""
    if "think>" not in text:  # neither of the two tags
        return None if opened else text
    close = text.rfind(THINK_CLOSE)
    if opened and close < 0:
        return None
    rest = text if close < 0 else text[close + len(THINK_CLOSE) :]
    return None if "<" in rest and THINK_OPEN in rest else rest


def response(completion: str, *, opened: bool = False) -> str | None:
    """What a completion says between its reasoning and the end of its turn; ``None`` if the reasoning never ends."""
    if "<" not in completion or (len(completion) < SHORT_CHARACTERS and LIKE_A_TAG.search(completion) is None):
        return None if opened else completion
    close = completion.rfind(THINK_CLOSE)
    if close >= 0:
        rest = completion[close + len(THINK_CLOSE) :]
        if "<" not in rest and _first_marker(completion, close) < 0:
            return rest  # as nearly always
    return _behind_reasoning(before_end_of_turn(completion), opened)


def count_tags(text: str, tag: str) -> tuple[int, int]:
    """How often ``<tag>`` occurs, and how often ``</tag>``."""
    return text.count(f"<{tag}>"), text.count(f"</{tag}>")


def last_tagged(text: str, tag: str) -> str | None:
    """The text between the last ``</tag>`` and the ``<tag>`` before it; ``None`` if either is missing."""
    close = text.rfind(f"</{tag}>")
    opening = text.rfind(f"<{tag}>", 0, max(close, 0))
    return text[opening + len(tag) + 2 : close] if opening >= 0 else None


def is_tag_name(name: Any) -> bool:
    """Whether a value can name a tag: a letter or ``_``, then letters, digits, ``_``, ``.`` and ``-``."""
    return isinstance(name, str) and TAG_NAME.fullmatch(name) is not None
