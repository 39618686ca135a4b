"""Reads calls written as JSON, as a name before JSON, in Python's syntax, or as XML. Nothing is ever run."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from grpo_rewards.completion.tool_calls.calls import (
    MALFORMED,
    MOST_CALLS,
    NotJson,
    ToolCall,
    Untyped,
    arguments_of,
    call_of,
    decode,
    loads,
)


class Read(NamedTuple):
    """The calls that were read, and the index behind them."""

    calls: list[ToolCall]
    end: int


JOINTS = re.compile(r"[\s;,]{0,1000}")
# A name before its arguments: Mistral's, DeepSeek's, Kimi's, Gemma's, and what is left of them without special tokens.
CALL_NAME = re.compile(
    r"(?:function<｜tool▁sep｜>|functions\.|call:)?([A-Za-z_][\w.:/-]{0,200}?)(?::[0-9]{1,9})?"
    r"(?:\s{0,20}(?:<｜tool▁sep｜>|<\|tool_call_argument_begin\|>|\[CALL_ID\]\w{1,40}|\[ARGS\]|```json)\s{0,20}){0,3}(?=\{)"
)


def json_calls(text: str, at: int = 0, *, most: int = MOST_CALLS, needs_arguments: bool = False) -> Read:
    """The calls of JSON values and named objects one behind the other, parted by ``;``, commas or spaces.

    Args:
        text: the text.
        at: where they begin. What is neither ends them.
        most: how many values are read.
        needs_arguments: whether an object without arguments is no call.

    Raises:
        NotJson: the first value is not JSON.
    """
    found: list[ToolCall] = []
    end = at
    for _ in range(most):
        at = JOINTS.match(text, end).end()  # type: ignore[union-attr]  # it matches the empty text, too
        begin = text[at : at + 1]
        if begin in ("{", "["):
            try:
                value, end = decode(text, at)
            except NotJson:
                if not found:
                    raise
                found += [MALFORMED] if begin == "{" else []  # "[" may begin another tag
                break
            found += _calls_of_value(value, needs_arguments)
        elif (name := CALL_NAME.match(text, at)) is not None:
            call, end = read_named_call(name[1], text, name.end())
            found.append(call)
            if call.arguments is None:
                break
        else:
            break
    return Read(found[: MOST_CALLS + 1], end)


def read_named_call(name: str, text: str, at: int) -> tuple[ToolCall, int]:
    """The call with this name and the arguments at an index, and the index behind it; that one if unreadable."""
    try:
        value, end = decode(text, at)
    except NotJson:
        return ToolCall(name, None), at
    return arguments_of(name, value), end


def _calls_of_value(value: object, needs_arguments: bool) -> list[ToolCall]:
    """The calls of an object, of a list of objects, or of ``{"tool_calls": […]}``."""
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    items = value if isinstance(value, list) else [value]
    return [call_of(one, needs_arguments=needs_arguments) or MALFORMED for one in items[: MOST_CALLS + 1]]


TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|<\|"\|>.*?<\|"\|>)"""
    r"""|(?P<number>-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?![\w.])"""
    # data sets have names of several words: [Market Trends API(trend_type="X")]
    r"""|(?P<call>[A-Za-z_](?:[\w.:/& -]{0,200}[\w.:/&-])?)[ ]{0,4}\("""
    r"""|(?P<name>[A-Za-z_][\w.-]*)|(?P<mark>[()\[\]{},:=;]))""",
    re.DOTALL,
)
CALL_LIST = re.compile(r"\s*\[\s*[A-Za-z_][\w.:/& -]{0,204}\(")
QUOTE_TOKEN = '<|"|>'  # Gemma's, around a text
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}
NAMED_VALUES = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
CLOSING = {"[": ("]", "]"), "(": (")", "]"), "{": ("}", "}")}  # of a bracket, and what it is in JSON
CLOSING_CALL = (")", "}}")
MOST_LITERAL_TOKENS = 3_000  # of one text


def python_calls(text: str, *, bare: bool = False) -> list[ToolCall]:
    """The calls of ``[f(a=1), g()]``; with ``bare`` also of calls without brackets, one a line.

    Raises:
        NotJson: it is anything else, such as a call with a value without a name, or with one that is no literal.

    >>> [call.shown for call in python_calls('[get_weather(city="Oslo")]')]
    ['get_weather(city="Oslo")']
    """
    is_list = CALL_LIST.match(text) is not None
    if not is_list and not bare:
        raise NotJson("no list of calls")
    written = _as_json(text, has_calls=True)
    calls = loads(written if is_list else f"[{written}]")
    return [call_of(one) or MALFORMED for one in calls[: MOST_CALLS + 1]]


def python_value(text: str) -> Any:
    """The value of a text that is one literal of Python or JSON and nothing else; keys of objects need no quotes.

    Raises:
        NotJson: it is not.

    >>> python_value("{'a': [True, None], b: .5}")
    {'a': [True, None], 'b': 0.5}
    """
    return loads(_as_json(text))


def _as_json(text: str, *, has_calls: bool = False) -> str:
    """Python's literals as JSON, and with ``has_calls`` calls as objects with ``name`` and ``arguments``.

    What is no Python becomes no JSON, or raises NotJson.
    """
    pieces: list[str] = []
    closings: list[tuple[str, str]] = []  # of each open bracket, the innermost last
    at, end = 0, len(text.rstrip())
    while at < end:
        token = TOKEN.match(text, at)
        if token is None or len(pieces) > MOST_LITERAL_TOKENS:
            raise NotJson("no literal, or too many")
        at, kind = token.end(), str(token.lastgroup)
        written = token[kind]
        if kind == "text":
            pieces.append(json.dumps(_unquoted(written)))
        elif kind == "number":
            pieces.append(json.dumps(float(written)) if "." in written else written)
        elif kind == "call":
            if CLOSING_CALL in closings or not has_calls:
                raise NotJson("a call where a value is expected")
            is_next = pieces and not closings and pieces[-1] != ","
            pieces.append(f'{"," if is_next else ""}{{"name": {json.dumps(written)}, "arguments": {{')
            closings.append(CLOSING_CALL)
        elif kind == "name":
            is_key = text[at : at + 20].lstrip().startswith((":", "="))
            pieces.append(json.dumps(written) if is_key else NAMED_VALUES.get(written, written))
        elif written in CLOSING:
            pieces.append("{" if written == "{" else "[")
            closings.append(CLOSING[written])
        elif written in ("=", ":"):
            if (written == "=") != (closings[-1:] == [CLOSING_CALL]):
                raise NotJson("= stands behind names of arguments, : behind other keys")
            pieces.append(":")
        elif written in (",", ";"):
            pieces.append(",")
        elif closings and closings[-1][0] == written:
            if pieces[-1] == ",":
                pieces.pop()
            pieces.append(closings.pop()[1])
        else:
            raise NotJson("a bracket that is not open")
    return " ".join(pieces)


def _unquoted(written: str) -> str:
    """What a literal in quotes stands for."""
    if written.startswith(QUOTE_TOKEN):
        return written[len(QUOTE_TOKEN) : -len(QUOTE_TOKEN)]
    return ESCAPE.sub(_unescaped, written[1:-1])


def _unescaped(found: re.Match[str]) -> str:
    if found[1] or found[2]:
        return chr(int(found[1] or found[2], 16))
    return ESCAPED.get(found[3], found[3] if found[3] in "'\"\\/" else found[0])


# Qwen3-Coder's <function=…>, Claude's and DeepSeek's <invoke name="…">, and GLM's pairs of tags. Values have no types.
PREFIX = r"(?:｜DSML｜|[a-z]{1,20}:)?"
# Models echo other attributes, too: <parameter name="city" type="string">.
ATTRIBUTES = r"(?: [^>\n]{0,200})?"
CALL_TAG = re.compile(
    rf"<(?P<tag>{PREFIX}(?:function(?==)|invoke))(?:=| name=\"?)(?P<name>[^\">\n]{{1,80}})\"?{ATTRIBUTES}>"
)
PARAMETER_TAG = re.compile(
    rf"<(?P<tag>{PREFIX}parameter)(?:=| name=\"?)(?P<name>[^\">\n]{{1,80}})\"?"
    rf"(?: string=\"(?P<is_text>true|false)\")?{ATTRIBUTES}>"
)
ARGUMENT_TAG = re.compile(r"<arg_key>(?P<name>[^<]{1,80})</arg_key>\s{0,20}<(?P<tag>arg_value)(?P<is_text>)>")
TOOL_NAME = re.compile(r"[\w.:/-]{1,80}")
Tagged = list[tuple[re.Match[str], str]]


def xml_calls(text: str) -> list[ToolCall]:
    """The calls in a block of XML; ``[MALFORMED]`` if there are none, or if text stands around them."""
    if CALL_TAG.search(text) is not None:
        return [_xml_call(tag["name"], inside, PARAMETER_TAG) for tag, inside in _tagged(text, CALL_TAG) or []] or [
            MALFORMED
        ]
    name, mark, pairs = text.partition("<arg_key>")
    return [_xml_call(name, mark + pairs, ARGUMENT_TAG)]


def _tagged(text: str, opening: re.Pattern[str]) -> Tagged | None:
    """Each opening tag with the text up to its closing one; ``None`` if one is not closed, or text stands outside."""
    found: Tagged = []
    at = 0
    while (tag := opening.search(text, at)) is not None:
        closing = f"</{tag['tag']}>"
        end = text.find(closing, tag.end())
        if end < 0 or text[at : tag.start()].strip():
            return None
        found.append((tag, text[tag.end() : end]))
        at = end + len(closing)
    return None if text[at:].strip() else found


def _xml_call(name: str, inside: str, parameter: re.Pattern[str]) -> ToolCall:
    name = name.strip()
    if TOOL_NAME.fullmatch(name) is None:
        return MALFORMED
    if inside.lstrip().startswith("{"):
        return arguments_of(name, inside)  # Llama's: JSON between the tags
    parameters = _tagged(inside, parameter)
    if parameters is None:  # with another call inside, it was not closed
        return MALFORMED if CALL_TAG.search(inside) is not None else ToolCall(name, None)
    given = {tag["name"].strip(): _typed(tag["is_text"], value) for tag, value in parameters}
    return arguments_of(name, given) if len(given) == len(parameters) else ToolCall(name, None)


def _typed(is_text: str | None, value: str) -> Any:
    """The value as its tag says: ``true``, a text; ``false``, JSON; else what it may be."""
    value = value.removeprefix("\n").removesuffix("\n")  # which the format sets around it
    if is_text == "false":
        try:
            return loads(value)
        except NotJson:
            return value
    return value if is_text == "true" else Untyped(value)
