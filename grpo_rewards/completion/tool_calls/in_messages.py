"""Finds the calls of a whole completion: of all assistant turns of a transcript, parsed or in the raw text of a turn.

What all formats share: calls in the reasoning, or behind the end of the turn, do not count.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from grpo_rewards.completion.reasoning.harmony import ANALYSIS, channels, is_harmony
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.sections import response
from grpo_rewards.completion.text import completion_text
from grpo_rewards.completion.tool_calls.calls import (
    MALFORMED,
    MOST_CALLS,
    NotJson,
    ToolCall,
    arguments_of,
    call_of,
)
from grpo_rewards.completion.tool_calls.syntaxes import (
    Read,
    json_calls,
    python_calls,
    python_value,
    read_named_call,
    xml_calls,
)
from grpo_rewards.completion.tool_calls.tags import (
    BARE_ARGUMENTS_TAG,
    FUNCTION_OPEN,
    OPENING_TAGS,
    PAIRED_TAGS,
    PYTHON_LINES_TAG,
    PYTHON_TAG,
    SEVERAL_TAGS,
)

# Where calls begin: an opening tag, or a line of ReAct's with the name of the tool or all of the call.
START = re.compile(
    rf"(?P<tag>{'|'.join(map(re.escape, sorted(OPENING_TAGS, key=len, reverse=True)))}|functools(?=\[))"
    r"|^[ \t*#]{0,8}Action(?: [0-9]{1,3})?:[ \t*]{0,8}"
    r"(?:\s{0,4}(?:`{3}(?:json)?)?\s{0,4}(?=[{])|`{0,3}(?P<tool>[\w.:/-]{1,200})`{0,3}[ \t\r]{0,8}$)",
    re.MULTILINE,
)
ACTION_INPUT = re.compile(r"\s{0,8}[*#]{0,4}Action Input(?: [0-9]{1,3})?:[ \t*]{0,8}\s{0,4}(?:`{3}(?:json)?)?\s{0,8}")
SPACES_BEFORE_BLOCK = re.compile(r"\s{0,20}")
MAY_BEGIN_CALLS = ("<", "[TOOL_CALLS]", "functools[", "Action")  # one of these stands in all that START finds
MENTION_QUOTES = ("`", "'", '"')
NEXT_MESSAGE = "<|eom|><|start|>assistant"  # Muse writes a message for each call; the turn goes on
FENCE_LINE = re.compile(r"^(?:```|~~~).*$", re.MULTILINE)
ENDS_OF_CALLS = ("}", "]", "`", "~")  # without tags


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
    if not opened and marks.closing not in completion and is_harmony(completion):
        found = _calls_in_channels(completion)
        return found if found or response(completion, marks=marks) is not None else None
    if NEXT_MESSAGE in completion:
        completion = completion.replace(NEXT_MESSAGE, "")
    text = response(completion, opened=opened, marks=marks)
    return None if text is None else _calls_between(text)


def _calls_in_channels(completion: str) -> list[ToolCall]:
    """The calls of gpt-oss's messages, and those in the text of messages that are no analysis."""
    found: list[ToolCall] = []
    for message in channels(completion):
        behind = 0
        if message.tool:
            call, behind = read_named_call(message.tool, message.text, 0)
            found.append(call)
        if message.channel != ANALYSIS:
            found += _calls_between(message.text[behind:])
        if len(found) > MOST_CALLS:
            break
    return found


def _calls_between(text: str) -> list[ToolCall]:
    """The calls of blocks and of lines ``Action:``, and of what stands between these if it is nothing but calls."""
    if not any(sign in text for sign in MAY_BEGIN_CALLS):
        return _whole_piece(text.strip())  # as nearly always, and a quick look is enough
    found: list[ToolCall] = []
    at = 0
    while len(found) <= MOST_CALLS and (start := _next_start(text, at)) is not None:
        read = _read_action(text, start) if start["tag"] is None else _read_block(text, start)
        found += _whole_piece(text[at : start.start()].strip()) + read.calls
        at = read.end
    return found + _whole_piece(text[at:].strip())


def _next_start(text: str, at: int) -> re.Match[str] | None:
    """Where the next calls begin; between quotes, as in ``"<tool_call>"``, a tag is merely mentioned."""
    for start in START.finditer(text, at):
        following = text[start.end() : start.end() + 1]
        if following not in MENTION_QUOTES or following != text[start.start() - 1 : start.start()]:
            return start
    return None


def _read_block(text: str, opener: re.Match[str]) -> Read:
    """The calls behind an opening tag. What looks like a call and cannot be read is ``MALFORMED``, one of its own.

    A tag that is not closed is one, too.
    """
    tag, at = opener[0], opener.end()
    closing = PAIRED_TAGS.get(tag)
    with suppress(NotJson):  # first, for texts in JSON may hold tags
        calls, end = json_calls(text, at, most=MOST_CALLS if closing is None or tag in SEVERAL_TAGS else 1)
        close = end if closing is None else text.find(closing, end)
        if calls and close >= 0 and text[end:close].strip() in ("", "```"):
            return Read(calls, close + len(closing or ""))
    if tag == PYTHON_TAG and not text[at : at + 100].lstrip().startswith("{"):
        return Read([], at)  # Python code is no call
    close = -1 if closing is None else text.find(closing, at)
    if closing is None or close < 0 or text.find(tag, at, close) >= 0:
        following = next((one for one in START.finditer(text, at) if one["tag"] not in (None, FUNCTION_OPEN)), None)
        return Read([MALFORMED], len(text) if following is None else following.start())
    end = close + len(closing)
    if tag == FUNCTION_OPEN:
        return Read(xml_calls(text[opener.start() : end]), end)
    return Read(_calls_inside(tag, text[at:close]), end)


def _calls_inside(tag: str, inside: str) -> list[ToolCall]:
    """The calls that a closed block holds in another syntax than JSON."""
    with suppress(NotJson):
        return python_calls(inside, bare=tag == PYTHON_LINES_TAG)
    if tag == BARE_ARGUMENTS_TAG:
        name, brace, arguments = inside.strip().removeprefix("call:").partition("{")
        with suppress(NotJson):
            return [arguments_of(name, python_value(brace + arguments))]
    return xml_calls(inside)


def _read_action(text: str, action: re.Match[str]) -> Read:
    """The call of a line that begins with ``Action:``; an ``Action: {…}`` holds name and input in one.

    A line without input that a block of calls follows is no call, but says which one comes.
    """
    name, end = action["tool"], action.end()
    if name is not None:
        given = ACTION_INPUT.match(text, end)
        if given is None:
            following = START.match(text, SPACES_BEFORE_BLOCK.match(text, end).end())  # type: ignore[union-attr]  # always matches
            is_heading = following is not None and following["tag"] is not None
            return Read([] if is_heading else [arguments_of(name, {})], end)
        call, end = read_named_call(name, text, given.end())
        return Read([call], end)
    try:
        return json_calls(text, end, most=1)
    except NotJson:
        return Read([MALFORMED], end)


def _whole_piece(text: str) -> list[ToolCall]:
    """The calls of a text that is nothing but calls without tags; none if it is anything else."""
    if text.startswith(("```", "~~~")):
        text = FENCE_LINE.sub("", text).strip()
    if not text.endswith(ENDS_OF_CALLS):
        return []
    with suppress(NotJson):
        calls, end = json_calls(text, needs_arguments=True)
        if end == len(text) and all(call.arguments is not None for call in calls):
            return calls
    with suppress(NotJson):
        return python_calls(text)
    return []
