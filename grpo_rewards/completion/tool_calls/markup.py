"""Reads calls that are written as XML, where the values have no types: Qwen3-Coder's, GLM's, MiniMax's, DeepSeek's."""

from __future__ import annotations

import re
from typing import Any

from grpo_rewards.completion.tool_calls.calls import MALFORMED, NotJson, ToolCall, Untyped, arguments_of, loads
from grpo_rewards.completion.tool_calls.tags import FUNCTION_CLOSE, FUNCTION_OPEN

__all__ = ["calls_in_markup", "function_call"]

FUNCTION_TAG = re.compile(r"<function=([^>\n]{1,80})>")
PARAMETER_TAG = re.compile(r"<parameter=([^>\n]{1,80})>")
# Models echo other attributes, too: <parameter name="city" type="string">.
INVOKE_TAG = re.compile(r"<(｜DSML｜|[a-z]{1,20}:)?invoke name=\"?([^\">\n]{1,80})\"?(?: [^>\n]{0,200})?>")
INVOKED_PARAMETER_TAG = re.compile(
    r"<(?:｜DSML｜|[a-z]{1,20}:)?parameter name=\"?([^\">\n]{1,80})\"?(?: string=\"(true|false)\")?(?: [^>\n]{0,200})?>"
)
ARGUMENT_TAG = re.compile(r"<arg_key>([^<]{1,80})</arg_key>\s{0,20}<arg_value>")
TOOL_NAME = re.compile(r"[\w.:/-]{1,80}")
MOST_PARAMETERS = 500  # of one call
Tagged = list[tuple[re.Match[str], str]]


def calls_in_markup(body: str) -> list[ToolCall]:
    """The calls in a block of XML; ``[MALFORMED]`` if there are none, or if text stands around them."""
    if FUNCTION_OPEN in body:
        functions = _tagged(body, FUNCTION_TAG, FUNCTION_CLOSE)
        return [_function(tag[1], inside) for tag, inside in functions or []] or [MALFORMED]
    if "invoke name=" in body:
        first = INVOKE_TAG.search(body)
        prefix = "" if first is None else first[1] or ""
        invoked = _tagged(body, INVOKE_TAG, f"</{prefix}invoke>")
        return [_invoked(tag[2], inside, f"</{prefix}parameter>") for tag, inside in invoked or []] or [MALFORMED]
    name, mark, pairs = body.partition("<arg_key>")
    if TOOL_NAME.fullmatch(name.strip()) is None:
        return [MALFORMED]
    return [
        _call(name.strip(), [(tag[1], Untyped(value.strip())) for tag, value in found])
        if (found := _tagged(mark + pairs, ARGUMENT_TAG, "</arg_value>")) is not None
        else arguments_of(name.strip(), "unreadable")
    ]


def function_call(text: str, at: int) -> tuple[ToolCall, int] | None:
    """The call whose ``<function=`` starts at an index, and the index behind it; ``None`` if it is not closed."""
    close, tag = text.find(FUNCTION_CLOSE, at), FUNCTION_TAG.match(text, at)
    if close < 0:
        return None
    call = MALFORMED if tag is None else _function(tag[1], text[tag.end() : close])
    return call, close + len(FUNCTION_CLOSE)


def _tagged(text: str, opening: re.Pattern[str], closing: str) -> Tagged | None:
    """Each opening tag with the text up to its closing one; ``None`` if one is not closed, or text stands outside."""
    found: Tagged = []
    at = 0
    while (tag := opening.search(text, at)) is not None:
        end = text.find(closing, tag.end())
        if end < 0 or len(found) == MOST_PARAMETERS or text[at : tag.start()].strip():
            return None
        found.append((tag, text[tag.end() : end]))
        at = end + len(closing)
    return None if text[at:].strip() else found


def _function(name: str, inside: str) -> ToolCall:
    name = name.strip()
    if TOOL_NAME.fullmatch(name) is None:
        return MALFORMED
    if inside.lstrip().startswith("{"):
        return arguments_of(name, inside)  # Llama's: JSON between the tags
    parameters = _tagged(inside, PARAMETER_TAG, "</parameter>")
    if parameters is None:  # with another call inside, it was not closed
        return MALFORMED if FUNCTION_OPEN in inside else arguments_of(name, "unreadable")
    return _call(name, [(tag[1], Untyped(_unwrapped(value))) for tag, value in parameters])


def _invoked(name: str, inside: str, closing: str) -> ToolCall:
    parameters = _tagged(inside, INVOKED_PARAMETER_TAG, closing)
    if parameters is None:
        return arguments_of(name, "unreadable")
    return _call(name, [(tag[1], _typed(tag[2], _unwrapped(value))) for tag, value in parameters])


def _typed(is_text: str | None, value: str) -> Any:
    """The value as its tag says: ``true``, a text; ``false``, JSON; else what it may be."""
    if is_text != "false":
        return value if is_text else Untyped(value)
    try:
        return loads(value)
    except NotJson:
        return value


def _call(name: str, pairs: list[tuple[str, Any]]) -> ToolCall:
    """The call with these arguments; unreadable ones if a name comes twice."""
    given = {key.strip(): value for key, value in pairs}
    return arguments_of(name, given if len(given) == len(pairs) else "unreadable")


def _unwrapped(text: str) -> str:
    """The text of a parameter without the line breaks that the format sets around it."""
    return text.removeprefix("\n").removesuffix("\n")
