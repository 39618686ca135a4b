"""Reads blocks of calls between tags and what they hold (JSON, Python's syntax or XML), and ReAct's lines.

The tags say where calls are; the form of what they hold is seen by itself, for families share both in all mixtures.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import NamedTuple

from grpo_rewards.completion.tool_calls.calls import (
    MALFORMED,
    MOST_CALLS,
    NotJson,
    ToolCall,
    arguments_of,
    call_of,
    decode,
    loads,
)
from grpo_rewards.completion.tool_calls.literals import bare_object, python_calls
from grpo_rewards.completion.tool_calls.markup import calls_in_markup, function_call
from grpo_rewards.completion.tool_calls.tags import (
    FUNCTION_OPEN,
    MISTRAL_TAG,
    OPENING_TAGS,
    PAIRED_TAGS,
    PYTHON_TAG,
)

__all__ = ["ACTION", "OPENER", "Read", "calls_of_json", "json_in_sequence", "next_block", "read_block", "read_react"]


LONGEST_FIRST = sorted(OPENING_TAGS, key=len, reverse=True)
OPENER = re.compile("|".join(map(re.escape, LONGEST_FIRST)) + r"|functools(?=\[)")
SEVERAL_TAGS = frozenset(["<tool_calls>", "<function_calls>"])  # that hold several calls, one a line
MISTRAL_NAME = re.compile(
    r"\s{0,20}([\w.:/-]{1,200})\s{0,20}(?:\[CALL_ID\]\w{1,40})?\s{0,20}(?:\[ARGS\])?\s{0,20}(?=\{)"
)
BUILT_IN_CALL = re.compile(r"\s{0,20}([\w-]{1,200})\.call(?=\()")
DEEPSEEK_CALL = re.compile(
    r"\s{0,20}(?:function<｜tool▁sep｜>([^\n]{1,200})\n```json\n(.*)```\s{0,20}|([\w.:/-]{1,200})<｜tool▁sep｜>(.*))",
    re.DOTALL,
)
KIMI_CALL = re.compile(
    r"\s{0,20}(?:functions\.)?([\w.-]{1,200}?)(?::\d{1,9})?\s{0,20}<\|tool_call_argument_begin\|>(.*)", re.DOTALL
)
GEMMA_CALL = re.compile(r"\s{0,20}call:([\w.-]{1,200})(\{.*)", re.DOTALL)
JOINTS = re.compile(r"[\s;,]{0,1000}")
MENTION_QUOTES = ("`", "'", '"')


class Read(NamedTuple):
    """The calls that were read, and the index behind them."""

    calls: list[ToolCall]
    end: int


def next_block(text: str, at: int = 0) -> re.Match[str] | None:
    """The next opening tag; between quotes, as in ``"<tool_call>"``, one is merely mentioned."""
    for opener in OPENER.finditer(text, at):
        following = text[opener.end() : opener.end() + 1]
        if following not in MENTION_QUOTES or following != text[opener.start() - 1 : opener.start()]:
            return opener
    return None


def read_block(text: str, opener: re.Match[str]) -> Read:
    """The calls behind an opening tag. What looks like a call and cannot be read is ``MALFORMED``, one of its own.

    A tag that is not closed is one, too.
    """
    tag, at = opener[0], opener.end()
    if tag in PAIRED_TAGS:
        return _between_tags(text, tag, at)
    if tag == FUNCTION_OPEN:
        one = function_call(text, opener.start())
        return _unreadable(text, at) if one is None else Read([one[0]], one[1])
    if tag == MISTRAL_TAG and (name := MISTRAL_NAME.match(text, at)) is not None:
        return _named(text, name)
    if tag == PYTHON_TAG:
        return _behind_python_tag(text, at)
    calls, end = json_in_sequence(text, at)
    return Read(calls, end) if calls else _unreadable(text, at)


def _between_tags(text: str, tag: str, at: int) -> Read:
    closing = PAIRED_TAGS[tag]
    with suppress(NotJson):  # first, for its texts may hold tags
        value, end = decode(text, at)
        close = text.find(closing, end)
        if close >= 0 and (close == end or text[end:close].isspace()):
            return Read(calls_of_json(value), close + len(closing))
    close = text.find(closing, at)
    if close < 0 or text.find(tag, at, close) >= 0:
        return _unreadable(text, at)
    return Read(_calls_inside(tag, text[at:close]), close + len(closing))


def _unreadable(text: str, at: int) -> Read:
    """One call that cannot be read. It ends where the next tag opens; a function's may be inside it."""
    following = next((one for one in OPENER.finditer(text, at) if one[0] != FUNCTION_OPEN), None)
    return Read([MALFORMED], len(text) if following is None else following.start())


def _named(text: str, name: re.Match[str]) -> Read:
    """Mistral's ``name[ARGS]{…}``."""
    try:
        value, end = decode(text, name.end())
    except NotJson:
        return Read([arguments_of(name[1], "unreadable")], _unreadable(text, name.end()).end)
    return Read([arguments_of(name[1], value)], end)


def _behind_python_tag(text: str, at: int) -> Read:
    """Llama's JSON, ``brave_search.call(query="…")``, or Python code, which is no call."""
    built_in = BUILT_IN_CALL.match(text, at)
    if built_in is not None:
        try:
            return Read(python_calls(f"[{built_in[1]}{text[built_in.end() :]}]"), len(text))
        except NotJson:
            return _unreadable(text, at)
    calls, end = json_in_sequence(text, at)
    return Read(calls, end if calls else at)


def _calls_inside(tag: str, inside: str) -> list[ToolCall]:
    """The calls that a closed block holds."""
    start = inside.lstrip()[:1]
    try:
        if (one := DEEPSEEK_CALL.fullmatch(inside)) is not None:
            return [arguments_of((one[1] or one[3]).strip(), loads(one[2] or one[4]))]
        if (one := KIMI_CALL.fullmatch(inside)) is not None:
            return [arguments_of(one[1], loads(one[2]))]
        if (one := GEMMA_CALL.fullmatch(inside)) is not None:
            return [arguments_of(one[1], bare_object(one[2]))]
        if start == "[" and not _is_json(inside):
            return python_calls(inside)
        if start in ("{", "["):
            return _only_json(inside, tag in SEVERAL_TAGS)
        if tag == "<function_calls>" and "<" not in inside[:2_000].partition("(")[0]:
            return python_calls(inside, bare=True)
    except NotJson:
        return [MALFORMED]
    return calls_in_markup(inside)


def _is_json(text: str) -> bool:
    try:
        decode(text)
    except NotJson:
        return False
    return True


def _only_json(text: str, several: bool) -> list[ToolCall]:
    """The calls of a text that is one JSON value, or with ``several`` a row of them, and nothing else."""
    if not several:
        return calls_of_json(loads(text))
    calls, end = json_in_sequence(text, 0)
    return calls if not text[end:].strip() or calls[-1:] == [MALFORMED] else [*calls, MALFORMED]


def json_in_sequence(text: str, at: int, *, needs_arguments: bool = False) -> tuple[list[ToolCall], int]:
    """The calls of JSON values one behind the other, parted by ``;``, commas or spaces, and the index behind them."""
    found: list[ToolCall] = []
    end = at
    while len(found) <= MOST_CALLS:
        at = JOINTS.match(text, end).end()  # type: ignore[union-attr]  # it matches the empty text, too
        if text[at : at + 1] not in ("{", "["):
            break
        try:
            value, end = decode(text, at)
        except NotJson:
            return [*found, MALFORMED], _unreadable(text, at).end
        found += calls_of_json(value, needs_arguments=needs_arguments)
    return found, end


def calls_of_json(value: object, *, needs_arguments: bool = False) -> list[ToolCall]:
    """The calls of an object, of a list of objects, or of ``{"tool_calls": […]}``."""
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    items = value if isinstance(value, list) else [value]
    return [call_of(one, needs_arguments=needs_arguments) or MALFORMED for one in items[: MOST_CALLS + 1]]


ACTION = re.compile(
    r"^[ \t*#]{0,8}Action(?: [0-9]{1,3})?:[ \t*]{0,8}"
    r"(?:\s{0,4}(?:`{3}(?:json)?)?\s{0,4}(?=[{])|`{0,3}([\w.:/-]{1,200})`{0,3}[ \t\r]{0,8}$)",
    re.MULTILINE,
)
SPACES_BEFORE_BLOCK = re.compile(r"\s{0,20}")
ACTION_INPUT = re.compile(r"\s{0,8}[*#]{0,4}Action Input(?: [0-9]{1,3})?:[ \t*]{0,8}\s{0,4}(?:`{3}(?:json)?)?\s{0,8}")


def read_react(text: str, action: re.Match[str]) -> Read:
    """The call of a line that begins with ``Action:``; an ``Action: {…}`` holds name and input in one.

    A line without input that a block of calls follows is no call, but says which one comes.
    """
    end = action.end()
    try:
        if action[1] is None:
            value, end = decode(text, end)
            return Read([call_of(value) or MALFORMED], end)
        given = ACTION_INPUT.match(text, end)
        if given is None:
            is_heading = OPENER.match(text, SPACES_BEFORE_BLOCK.match(text, end).end())  # type: ignore[union-attr]  # always matches
            return Read([] if is_heading else [arguments_of(action[1], {})], end)
        end = given.end()
        value, end = decode(text, end)
    except NotJson:
        return Read([MALFORMED if action[1] is None else arguments_of(action[1], "unreadable")], end)
    return Read([arguments_of(action[1], value)], end)
