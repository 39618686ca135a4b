"""Reads ReAct's calls: a line ``Action: name``, and behind it ``Action Input: {…}``."""

from __future__ import annotations

import re

from grpo_rewards.completion.tool_calls.blocks import OPENER, Read
from grpo_rewards.completion.tool_calls.calls import MALFORMED, arguments_of, call_of
from grpo_rewards.completion.tool_calls.strict_json import NotJson, decode

__all__ = ["ACTION", "read_react"]

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
