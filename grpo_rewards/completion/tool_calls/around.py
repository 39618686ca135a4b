"""Separates the text of a completion from the tools that it calls: a number in a call's arguments is no answer."""

from __future__ import annotations

import re

from grpo_rewards.completion.tool_calls.tags import (
    FUNCTION_CLOSE,
    FUNCTION_OPEN,
    LEADING_TAGS,
    MISTRAL_TAG,
    PAIRED_TAGS,
    PYTHON_TAG,
    SECTION_TAGS,
)

__all__ = ["CALL_MARKS", "without_calls"]

# Sections first, for they hold whole blocks; what has no closing tag goes to the end of the turn.
CALL_MARKS = {
    **SECTION_TAGS,
    **PAIRED_TAGS,
    FUNCTION_OPEN: FUNCTION_CLOSE,
    PYTHON_TAG: "<|eom_id|>",
    MISTRAL_TAG: "</s>",
    **dict.fromkeys((*LEADING_TAGS, "functools["), ""),
}
OPENING_TAG = re.compile(f"<(?:{'|'.join(re.escape(one[1:]) for one in CALL_MARKS if one[0] == '<')})")
BRACKETED_MARKS = [one for one in CALL_MARKS if one[0] != "<"]
# Calls without tags: Llama 3's is a JSON object, that of others a list in Python's syntax.
BARE_CALL = re.compile(
    r'\s*(?:\{\s*"name":\s*"[^"]{1,200}",\s*"(?:parameters|arguments)":\s*\{|\[[A-Za-z_][\w.]{0,200}\((?:\w{1,200}=|\)\]))'
)
BARE_ENDS = ("}", ")]")
REACT_CALL = re.compile(r"^[ \t*#]{0,8}Action(?: [0-9]{1,3})?:[^\n]{0,300}\n[ \t*#]{0,8}Action Input", re.MULTILINE)


def without_calls(text: str) -> str:
    """The text without the calls of tools in it; a call that is cut off goes to the end.

    >>> without_calls('It is 4.<tool_call>{"name": "add", "arguments": {"a": 5}}</tool_call>')
    'It is 4.'
    """
    if _may_hold_marks(text):
        for opening, closing in CALL_MARKS.items():
            if opening in text:
                text = _without(text, opening, closing)
    if "Action Input" in text and (call := REACT_CALL.search(text)) is not None:
        text = text[: call.start()]
    return "" if text.rstrip().endswith(BARE_ENDS) and BARE_CALL.match(text) is not None else text


def _may_hold_marks(text: str) -> bool:
    """Whether an opening mark is in the text. A search for its first character comes first, for it is quick."""
    if "<" in text and OPENING_TAG.search(text) is not None:
        return True
    return "[" in text and any(one in text for one in BRACKETED_MARKS)


def _without(text: str, opening: str, closing: str) -> str:
    kept, at = [], 0
    while (start := text.find(opening, at)) >= 0:
        kept.append(text[at:start])
        end = text.find(closing, start + len(opening)) if closing else -1
        if end < 0:
            return "".join(kept)
        at = end + len(closing)
    return "".join([*kept, text[at:]])
