"""Reads the calls of gpt-oss, whose messages name their channel and, for a call, the tool that they are sent to."""

from __future__ import annotations

import re

from grpo_rewards.completion.tool_calls.calls import MOST_CALLS, ToolCall, arguments_of
from grpo_rewards.completion.tool_calls.strict_json import NotJson, decode

__all__ = ["has_channels", "parts_of_channels"]

RECIPIENT = re.compile(r"to=functions\.([\w.-]{1,200})")
MESSAGE_MARK = "<|message|>"
LONGEST_HEADER = 400  # of a message; a longer one is none
HEADER_START = re.compile(r".*(<\|(?:start|end|call|eom|channel)\|>assistant|<\|(?:start|end|call|eom)\|>)", re.DOTALL)
ANALYSIS_BEGINS = re.compile(r"(?:<\|channel\|>|\A\s{0,9})(?:assistant)?analysis|(?:\A|\s)to=self")
OTHER_SPEAKER = re.compile(r"<\|(?:return|eot)\|>|<\|start\|>(?!assistant)")
ENDS = ("<|end|>", "<|call|>", "<|eom|>")  # of messages
# The analysis of a text without special tokens, which ends where the next message begins.
DECODED_ANALYSIS = re.compile(
    r"(?:\A\s{0,9}|assistant)analysis.*?(?=assistant(?:commentary|final|\s?to=)|\Z)", re.DOTALL
)
# The same with special tokens left out by the decoder: "assistantcommentary to=functions.add json{…}".
DECODED_CALL = re.compile(
    r"(?:assistant(?:commentary)?|\A(?:commentary)?)\s{0,3}to=functions\.([\w.-]{1,200}?)(?:commentary)?\s{0,3}(?:json|code)?\s{0,3}(?=\{)"
)


def has_channels(completion: str) -> bool:
    """Whether a completion has messages with headers, or sends one to a tool as gpt-oss does."""
    return MESSAGE_MARK in completion or ("to=functions." in completion and DECODED_CALL.search(completion) is not None)


def parts_of_channels(completion: str) -> list[ToolCall | str]:
    """The calls of gpt-oss's messages, and between them in order the other text; the analysis is left out."""
    other = OTHER_SPEAKER.search(completion)
    text = completion[: other.start()] if other else completion
    return _of_tokens(text) if MESSAGE_MARK in text else _of_words(DECODED_ANALYSIS.sub("", text))


def _of_words(text: str) -> list[ToolCall | str]:
    parts: list[ToolCall | str] = []
    behind = 0
    while len(parts) <= 2 * MOST_CALLS and (found := DECODED_CALL.search(text, behind)) is not None:
        parts.append(text[behind : found.start()])
        call, behind = _call(found[1], text, found.end())
        parts.append(call)
    return [*parts, text[behind:]]


def _of_tokens(text: str) -> list[ToolCall | str]:
    parts: list[ToolCall | str] = []
    behind = mark = 0  # where the text of the message begins, or what follows its call, and where to look for the next
    is_analysis = is_first = not text.lstrip().startswith(("<|", "to="))  # the template wrote the header
    calls = 0
    while calls <= MOST_CALLS and (at := text.find(MESSAGE_MARK, mark)) >= 0:
        first = max(mark, at - LONGEST_HEADER)
        header = text[first:at]
        begins = HEADER_START.match(header)
        recipient = RECIPIENT.search(header, begins.end() if begins else 0)
        is_thought = ANALYSIS_BEGINS.search(header, begins.end() if begins else 0) is not None
        if behind > 0 and begins is None and recipient is None and not is_thought:
            mark = at + len(MESSAGE_MARK)  # the mark is mentioned; the message goes on
            continue
        start = begins.start(1) if begins else recipient.start() if recipient else len(header)
        if not is_analysis or (is_first and begins is None):  # without an end, what comes first is no message
            parts.append(_without_end(text[behind : first + start]))
        is_analysis = is_analysis and begins is None and not is_first
        is_first = False
        mark = behind = at + len(MESSAGE_MARK)
        if recipient is not None and not is_analysis:
            call, behind = _call(recipient[1], text, mark)
            parts.append(call)
            mark, calls = behind, calls + 1
        else:
            is_analysis = is_analysis or is_thought
    return parts if is_analysis else [*parts, _without_end(text[behind:])]


def _without_end(text: str) -> str:
    for mark in ENDS:
        text = text.rstrip().removesuffix(mark)
    return text


def _call(name: str, text: str, at: int) -> tuple[ToolCall, int]:
    try:
        value, end = decode(text, at)
    except NotJson:
        return arguments_of(name, "unreadable"), at
    return arguments_of(name, value), end
