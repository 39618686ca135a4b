"""Finds the calls in the raw text of one assistant turn, in whichever of the common formats it is.

What all formats share: calls in the reasoning, or behind the end of the turn, do not count.
"""

from __future__ import annotations

import re

from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.sections import response
from grpo_rewards.completion.tool_calls.blocks import json_in_sequence, next_block, read_block
from grpo_rewards.completion.tool_calls.calls import MOST_CALLS, ToolCall, arguments_of
from grpo_rewards.completion.tool_calls.channels import has_channels, parts_of_channels
from grpo_rewards.completion.tool_calls.literals import python_calls
from grpo_rewards.completion.tool_calls.react import ACTION, read_react
from grpo_rewards.completion.tool_calls.strict_json import NotJson, decode

__all__ = ["calls_in_text"]

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
