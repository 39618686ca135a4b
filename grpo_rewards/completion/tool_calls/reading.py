"""Reads the calls of a whole completion: of all assistant turns of a transcript, parsed or in the raw text of a turn.

What all formats share: calls in the reasoning, or behind the end of the turn, do not count. They are written as JSON,
as a name before JSON, in Python's syntax, or as XML. Nothing is ever run.
"""

import json
import re
from contextlib import suppress
from typing import Any, NamedTuple

from grpo_rewards.completion.reasoning.harmony import ANALYSIS, channels, is_harmony
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.sections import response
from grpo_rewards.completion.text import completion_text
from grpo_rewards.completion.tool_calls.calls import (
    MALFORMED,
    MOST_CALLS,
    PYTHON_SPELLINGS,
    NotJson,
    ToolCall,
    Untyped,
    arguments_of,
    call_of,
    decode,
    listed_calls,
    loads,
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


class Read(NamedTuple):
    """The calls that were read, and the index behind them."""

    calls: list[ToolCall]
    end: int


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
    found = []
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
    text = response(completion, opened, marks)
    return None if text is None else _calls_between(text)


def _calls_in_channels(completion: str) -> list[ToolCall]:
    """The calls of gpt-oss's messages, and those in the text of messages that are no analysis."""
    found = []
    for message in channels(completion):
        behind = 0
        if message.tool:
            calls, behind = read_named_call(message.tool, message.text, 0)
            found += calls
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
    closing = PAIRED_TAGS.get(tag, "")
    with suppress(NotJson):  # first, for texts in JSON may hold tags
        calls, end = json_calls(text, at, most=MOST_CALLS if not closing or tag in SEVERAL_TAGS else 1)
        close = text.find(closing, end)
        if calls and close >= 0 and text[end:close].strip() in ("", "```"):
            return Read(calls, close + len(closing))
    if tag == PYTHON_TAG and not text[at : at + 100].lstrip().startswith("{"):
        return Read([], at)  # Python code is no call
    close = text.find(closing, at)
    if not closing or close < 0 or text.find(tag, at, close) >= 0:
        following = (one.start() for one in START.finditer(text, at) if one["tag"] not in (None, FUNCTION_OPEN))
        return Read([MALFORMED], next(following, len(text)))
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
        return read_named_call(name, text, given.end())
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
            found += [call_of(one, needs_arguments=needs_arguments) or MALFORMED for one in listed_calls(value)]
        elif (name := CALL_NAME.match(text, at)) is not None:
            calls, end = read_named_call(name[1], text, name.end())
            found += calls
            if calls[0].arguments is None:
                break
        else:
            break
    return Read(found[: MOST_CALLS + 1], end)


def read_named_call(name: str, text: str, at: int) -> Read:
    """The call with this name and the arguments at an index; the index behind it is the same if they are unreadable."""
    try:
        value, end = decode(text, at)
    except NotJson:
        return Read([ToolCall(name, None)], at)
    return Read([arguments_of(name, value)], end)


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
    return [call_of(one) or MALFORMED for one in listed_calls(calls)]


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
            pieces.append(json.dumps(written) if is_key else PYTHON_SPELLINGS.get(written, written))
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
        calls = [_xml_call(tag["name"], inside, PARAMETER_TAG) for tag, inside in _tagged(text, CALL_TAG) or []]
        return calls or [MALFORMED]
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
        with suppress(NotJson):
            return loads(value)
    return value if is_text else Untyped(value)
