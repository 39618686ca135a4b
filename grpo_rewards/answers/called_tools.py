"""Reads the calls that a row wants, in the forms in which data sets hold them, and compares calls with them."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping
from contextlib import suppress
from typing import Any

from grpo_rewards.answers.possible_values import TooMany, keys_of_possible
from grpo_rewards.completion.tool_calls.calls import (
    ARGUMENT_KEYS,
    MOST_CALLS,
    VALUE_DEPTH,
    ToolCall,
    call_of,
    shown_call,
    without_null_members,
)
from grpo_rewards.completion.tool_calls.in_text import calls_in_text
from grpo_rewards.completion.tool_calls.literals import python_value
from grpo_rewards.completion.tool_calls.strict_json import NotJson, loads

__all__ = ["MAY_BE_ABSENT", "call_similarity", "calls_of_gold", "without_nulls"]

MAY_BE_ABSENT = ""  # in BFCL's lists of possible values: the argument may be left out
TAGGED = re.compile(r"(?<=<tool_call>)[^<]*(?:<(?!/?tool_call>)[^<]*)*(?=</tool_call>)")


def calls_of_gold(answer: Any, *, null_is_absent: bool = False) -> list[ToolCall] | None:
    """The calls that a row wants; ``None`` if they cannot be read. No calls are a gold, too: ``[]``.

    A list of ``{"name": …, "arguments": …}``, of OpenAI's ``{"function": {…}}``, or of BFCL's ``{"f": {"a": [1, 2]}}``
    with the values that each argument may have; one of these alone; a message with ``tool_calls``; all that as JSON, as
    a literal of Python, or with arrays in place of lists; or the text that a model would write.

    Args:
        answer: what the data set holds.
        null_is_absent: whether what is null in the arguments, at any depth, is left out.

    >>> [call.shown for call in calls_of_gold('[{"name": "add", "arguments": {"a": 1}}]')]
    ['add(a=1)']
    """
    try:
        answer = _plain(answer)
        answer = _value(answer) if isinstance(answer, str) else answer
        found = _calls_in_gold_text(answer) if isinstance(answer, str) else _calls_of_value(answer, null_is_absent)
    except (NotJson, TooMany):
        return None
    if len(found) > MOST_CALLS or any(call.name is None or call.arguments is None for call in found):
        return None
    return [without_nulls(call) for call in found] if null_is_absent else found


def _plain(value: Any, depth: int = VALUE_DEPTH) -> Any:
    """A value with lists for arrays and Python's numbers for those of other libraries, which data frames hold."""
    if depth < 0:
        raise NotJson("nested too deeply")
    if isinstance(value, Mapping):
        return {str(key): _plain(one, depth - 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one, depth - 1) for one in value]
    return value if isinstance(value, str) or not hasattr(value, "tolist") else _plain(value.tolist(), depth - 1)


def _value(text: str) -> Any:
    """What a text says as JSON or as a literal of Python; the text itself if it is neither."""
    for read in (loads, python_value):
        with suppress(NotJson):
            return read(text)
    return text


def _calls_in_gold_text(text: str) -> list[ToolCall]:
    found = calls_in_text(TAGGED.sub(_as_json, text))
    if not found:
        raise NotJson("no calls")
    return found


def _as_json(inside: re.Match[str]) -> str:
    """What stands in a tag as JSON if it is a literal of Python, as some data sets have it."""
    value = _value(inside[0])
    return inside[0] if isinstance(value, str) else json.dumps(value)


def _calls_of_value(answer: Any, null_is_absent: bool) -> list[ToolCall]:
    if isinstance(answer, dict) and isinstance(answer.get("tool_calls"), list):
        answer = answer["tool_calls"]
    items = [answer] if isinstance(answer, dict) else answer
    if not isinstance(items, list) or len(items) > MOST_CALLS:
        raise NotJson("no list of calls")
    return [_one_gold(item, null_is_absent) for item in items]


def without_nulls(call: ToolCall) -> ToolCall:
    """The call without what is null in its arguments, at any depth of objects."""
    stripped = {
        name: frozenset(without_null_members(one) for one in values)
        for name, values in (call.arguments or {}).items()
        if values != {None}
    }
    return call._replace(arguments=None if call.arguments is None else stripped)


def _one_gold(item: Any, null_is_absent: bool) -> ToolCall:
    item = _value(item) if isinstance(item, str) else item
    if not isinstance(item, dict):
        raise NotJson("no call")
    if null_is_absent:  # a column of BFCL's objects has every tool in every row
        item = {key: one for key, one in item.items() if one is not None}
    if len(item) == 1 and "function" not in item:
        ((name, given),) = item.items()
        if isinstance(given, dict) and name not in ARGUMENT_KEYS:
            return _with_possible_values(str(name), given)
    call = call_of(_with_read_arguments(item))
    if call is None:
        raise NotJson("no call")
    return call


def _with_read_arguments(item: dict[str, Any]) -> dict[str, Any]:
    """The call with its arguments as an object if they are the text of a literal of Python."""
    if isinstance(item.get("function"), dict):
        return {**item, "function": _with_read_arguments(item["function"])}
    read = {key: _value(item[key]) for key in ARGUMENT_KEYS if isinstance(item.get(key), str)}
    return {**item, **{key: value for key, value in read.items() if isinstance(value, dict)}}


def _with_possible_values(name: str, given: dict[str, Any]) -> ToolCall:
    """BFCL's gold: for each argument a list of the values that it may have; with ``""`` among them it may be absent."""
    possible: dict[str, frozenset[Hashable]] = {key: keys_of_possible(values) for key, values in given.items()}
    return ToolCall(name, possible, shown_call(name, given))


def call_similarity(made: ToolCall, wanted: ToolCall) -> float:
    """How much of a call is right: of its arguments, those that are equal as a share of all that either side names.

    0 for another tool; 1 if neither has arguments.
    """
    if made.name is None or made.name != wanted.name or made.arguments is None or wanted.arguments is None:
        return 0.0
    equal = sum(not values.isdisjoint(wanted.arguments.get(name, ())) for name, values in made.arguments.items())
    named = made.arguments.keys() | {
        name for name, values in wanted.arguments.items() if not (len(values) > 1 and MAY_BE_ABSENT in values)
    }
    return equal / len(named) if named else 1.0
