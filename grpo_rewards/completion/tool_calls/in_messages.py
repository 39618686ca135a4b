"""Finds the calls of a whole completion: of all assistant turns of a transcript, parsed or in the raw text of a turn.

What all formats share: calls in the reasoning, or behind the end of the turn, do not count.
"""

from __future__ import annotations

import re
from typing import Any

from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.reasoning.harmony import ANALYSIS, COMMENTARY, channels, is_harmony
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.sections import response
from grpo_rewards.completion.text import completion_text
from grpo_rewards.completion.tool_calls.blocks import ACTION, json_in_sequence, next_block, read_block, read_react
from grpo_rewards.completion.tool_calls.calls import (
    MALFORMED,
    MOST_CALLS,
    NotJson,
    ToolCall,
    arguments_of,
    call_of,
    decode,
)
from grpo_rewards.completion.tool_calls.literals import python_calls

__all__ = ["calls_in_messages", "calls_in_text"]

# The analysis of a text without special tokens, which ends where the next message begins.
MESSAGE_MARK = "<|message|>"
DECODED_ANALYSIS = re.compile(
    r"(?:\A\s{0,9}|assistant)analysis.*?(?=assistant(?:commentary|final|\s?to=)|\Z)", re.DOTALL
)
# The same with special tokens left out by the decoder: "assistantcommentary to=functions.add json{…}".
DECODED_CALL = re.compile(
    r"(?:assistant(?:commentary)?|\A(?:commentary)?)\s{0,3}to=functions\.([\w.-]{1,200}?)(?:commentary)?\s{0,3}(?:json|code)?\s{0,3}(?=\{)"
)


def has_channels(completion: str) -> bool:
    """Whether a completion has messages with headers, or sends one to a tool as gpt-oss does."""
    if MESSAGE_MARK in completion:
        return is_harmony(completion)
    return "to=functions." in completion and DECODED_CALL.search(completion) is not None


def parts_of_channels(completion: str) -> list[ToolCall | str]:
    """The calls of gpt-oss's messages, and between them in order the other text; the analysis is left out."""
    if MESSAGE_MARK not in completion:
        return _of_words(DECODED_ANALYSIS.sub("", completion))
    parts: list[ToolCall | str] = []
    for message in channels(completion):
        behind = 0
        if message.channel == COMMENTARY and message.tool:
            call, behind = _call(message.tool, message.text, 0)
            parts.append(call)
        if message.channel != ANALYSIS:
            parts.append(message.text[behind:])
    return parts


def _of_words(text: str) -> list[ToolCall | str]:
    parts: list[ToolCall | str] = []
    behind = 0
    while len(parts) <= 2 * MOST_CALLS and (found := DECODED_CALL.search(text, behind)) is not None:
        parts.append(text[behind : found.start()])
        call, behind = _call(found[1], text, found.end())
        parts.append(call)
    return [*parts, text[behind:]]


def _call(name: str, text: str, at: int) -> tuple[ToolCall, int]:
    try:
        value, end = decode(text, at)
    except NotJson:
        return arguments_of(name, "unreadable"), at
    return arguments_of(name, value), end


NEXT_MESSAGE = "<|eom|><|start|>assistant"  # Muse writes a message for each call; the turn goes on
ENDS_OF_CALLS = ("}", "]", "`", "~")  # without tags
LONGEST_BARE_CALLS = 100_000  # characters of a response; without tags, calls of more are not read
DECODED_NAME = re.compile(r"\s{0,20}(?:functions\.)?([A-Za-z_][\w.-]{0,200}?)(?::[0-9]{1,9})?(?=\{)")


def calls_in_text(completion: str, *, opened: bool = False, marks: Marks = THINK) -> list[ToolCall] | None:
    """The calls of a turn, in order; ``None`` if its reasoning never ends.

    Tags count wherever they stand behind the reasoning, in prose or a fenced block, too: a parser runs what they hold.
    Formats without tags (``{"name": …, "parameters": …}``, ``[f(a=1)]``) count only if nothing but calls stands
    beside them.

    Args:
        completion: what the model wrote in one turn.
        opened: whether the prompt already opened the reasoning.
        marks: the delimiters of the reasoning.

    >>> [call.shown for call in calls_in_text('<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>')]
    ['add(a=1)']
    """
    is_raw = not opened and marks.closing not in completion and not completion.lstrip().startswith(marks.opening)
    if is_raw and has_channels(completion):  # whose end-of-message marks are not the end of the turn
        found = _calls_in_parts(parts_of_channels(completion))
        return found if found or response(completion, marks=marks) is not None else None
    if NEXT_MESSAGE in completion:
        completion = completion.replace(NEXT_MESSAGE, "")
    text = response(completion, opened=opened, marks=marks)
    if text is None:
        return None
    return _calls_in_parts(parts_of_channels(text) if has_channels(text) else [text])


def _calls_in_parts(parts: list[ToolCall | str]) -> list[ToolCall]:
    found: list[ToolCall] = []
    for part in parts:
        found += [part] if isinstance(part, ToolCall) else _calls_between(part)
        if len(found) > MOST_CALLS:
            break
    return found


def _calls_between(text: str) -> list[ToolCall]:
    """The calls of blocks and of lines ``Action:``, and of what stands between these if it is nothing but calls."""
    found: list[ToolCall] = []
    at = 0
    block, action = next_block(text), ACTION.search(text)
    while len(found) <= MOST_CALLS and (block is not None or action is not None):
        if block is not None and (action is None or block.start() < action.start()):
            start, read = block.start(), read_block(text, block)
        elif action is not None:
            start, read = action.start(), read_react(text, action)
        found += _whole_piece(text[at:start].strip()) + read.calls
        at = max(read.end, start + 1)
        block = next_block(text, at) if block is not None and block.start() < at else block
        action = ACTION.search(text, at) if action is not None and action.start() < at else action
    return found + _whole_piece(text[at:].strip())


def _whole_piece(text: str) -> list[ToolCall]:
    """The calls of a text that is nothing but calls without tags; none if it is anything else."""
    if not text.endswith(ENDS_OF_CALLS) or len(text) > LONGEST_BARE_CALLS:
        return []
    if text.startswith(("```", "~~~")):
        text = _inside_fences(text)
    if text.startswith(("{", "[")):
        found, end = json_in_sequence(text, 0, needs_arguments=True)
        if end == len(text) and all(call.name is not None for call in found):
            return found
    try:
        return python_calls(text) if text.startswith("[") else _named_objects(text)
    except NotJson:
        return []


def _inside_fences(text: str) -> str:
    """What fenced blocks hold; nothing if anything stands outside them."""
    blocks = fenced_blocks(text)
    ends = [0, *(block.end for block in blocks)]
    is_all = not any(text[end : block.start].strip() for end, block in zip(ends, blocks, strict=False))
    return "\n".join(block.inside for block in blocks).strip() if is_all and ends[-1] == len(text) else ""


def _named_objects(text: str) -> list[ToolCall]:
    """The calls of ``name{…}``, which is what is left of some formats without their special tokens."""
    found: list[ToolCall] = []
    at = 0
    while at < len(text) and len(found) <= MOST_CALLS:
        name = DECODED_NAME.match(text, at)
        if name is None:
            return []
        value, at = decode(text, name.end())
        found.append(arguments_of(name[1], value))
    return found


def calls_in_messages(
    messages: list[dict[str, Any]], *, opened: bool = False, marks: Marks = THINK
) -> list[ToolCall] | None:
    """The calls of all assistant messages, in order; ``None`` if the reasoning of the last one never ends.

    A message's field ``tool_calls`` holds them if a parser has found them. Else they are looked for in its text.

    Args:
        messages: a completion as messages.
        opened: whether the prompt already opened the reasoning.
        marks: the delimiters of the reasoning.

    >>> [call.shown for call in calls_in_messages([{"role": "assistant", "tool_calls": [{"name": "ls"}]}])]
    ['ls()']
    """
    found: list[ToolCall] = []
    written = [message for message in messages if message.get("role", "assistant") == "assistant"]
    for message in written:
        parsed = message.get("tool_calls")
        if isinstance(parsed, list | tuple) and parsed:
            found += [call_of(one) or MALFORMED for one in parsed[: MOST_CALLS + 1]]
            continue
        calls = calls_in_text(completion_text([message]), opened=opened, marks=marks)
        if calls is None and message is written[-1]:
            return None
        found += calls or []
        if len(found) > MOST_CALLS:
            break
    return found
