"""Reads calls in Python's syntax, ``[f(a=1), g(b="x")]``, and objects with bare keys. Literals only; nothing is run."""

from __future__ import annotations

import re
from typing import Any

from grpo_rewards.completion.tool_calls.calls import MOST_CALLS, VALUE_DEPTH, NotJson, ToolCall, arguments_of

__all__ = ["bare_object", "python_calls", "python_value"]

LITERAL_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|<\|"\|>.*?<\|"\|>)"""
    r"""|(?P<number>-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?![\w.])"""
    r"""|(?P<name>[A-Za-z_][\w.-]*)|(?P<mark>[()\[\]{},:=;]))""",
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}
LITERAL_NAMES = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
# Data sets have names of several words: [Market Trends API(trend_type="X")].
CALL_NAME = re.compile(r"[A-Za-z_](?:[\w.:/& -]{0,200}[\w.:/&-])?(?=[ ]{0,4}\()")
QUOTE_TOKEN = '<|"|>'  # Gemma's, around a text
MOST_LITERAL_TOKENS = 3_000  # of one text
LITERAL_DIGITS = 400  # of one number


class _Reader:
    """Goes over the tokens of a text by recursive descent; raises NotJson where it cannot go on."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.room = text, 0, MOST_LITERAL_TOKENS
        self.kind, self.token = "", ""
        self.step()

    def step(self) -> tuple[str, str]:
        """The kind and the text of the token that is passed; the next one becomes the current one."""
        passed = self.kind, self.token
        self.room -= 1
        if self.room < 0:
            raise NotJson("too many tokens")
        found = LITERAL_TOKEN.match(self.text, self.at)
        if found is None:
            self.kind, self.token = ("end", "") if not self.text[self.at :].strip() else ("unknown", "")
        else:
            self.at = found.end()
            self.kind = str(found.lastgroup)
            self.token = found[self.kind]
        return passed

    def passes(self, mark: str) -> bool:
        """Passes the mark if it is the current token."""
        is_there = self.kind == "mark" and self.token == mark
        if is_there:
            self.step()
        return is_there

    def need(self, mark: str) -> None:
        if not self.passes(mark):
            raise NotJson(f"no {mark}")

    def value(self, depth: int = 0) -> Any:
        if depth > VALUE_DEPTH:
            raise NotJson("nested too deeply")
        if self.passes("["):
            return self.items("]", depth)
        if self.passes("("):
            return self.items(")", depth)
        if self.passes("{"):
            return self.pairs("}", ":", depth)
        kind, token = self.step()
        if kind == "text":
            return _text(token)
        if kind == "number" and len(token) <= LITERAL_DIGITS:
            return float(token) if set(token) & set(".eE") else int(token)
        if kind == "name" and token in LITERAL_NAMES:
            return LITERAL_NAMES[token]
        raise NotJson("no literal")

    def items(self, closing: str, depth: int) -> list[Any]:
        found: list[Any] = []
        while not self.passes(closing):
            if found:
                self.need(",")
                if self.passes(closing):
                    break
            found.append(self.value(depth + 1))
        return found

    def pairs(self, closing: str, joint: str, depth: int) -> dict[str, Any]:
        """Keys and values, such as ``a=1, b="x")`` with the joint ``=``. No key may come twice."""
        found: dict[str, Any] = {}
        while not self.passes(closing):
            if found:
                self.need(",")
                if self.passes(closing):
                    break
            kind, key = self.step()
            if kind not in ("name", "text"):
                raise NotJson("no key")
            key = _text(key) if kind == "text" else key
            if key in found:
                raise NotJson("a key occurs twice")
            self.need(joint)
            found[key] = self.value(depth + 1)
        return found

    def call(self) -> ToolCall:
        name = CALL_NAME.match(self.text, self.at - len(self.token)) if self.kind == "name" else None
        if name is None:
            raise NotJson("no name")
        self.at = name.end()
        self.step()
        self.need("(")
        return arguments_of(name[0], self.pairs(")", "=", 0))


def python_calls(text: str, *, bare: bool = False) -> list[ToolCall]:
    """The calls of ``[f(a=1), g()]``; with ``bare`` also of calls without brackets, one a line.

    What stands behind too many calls is not read.

    Raises:
        NotJson: it is anything else, such as a call with a value without a name, or with one that is no literal.

    >>> [call.shown for call in python_calls('[get_weather(city="Oslo")]')]
    ['get_weather(city="Oslo")']
    """
    reader = _Reader(text)
    found: list[ToolCall] = []
    closing = "]" if reader.passes("[") else ""
    if not closing and not bare:
        raise NotJson("no list")
    while not (closing and reader.passes(closing)) and not (not closing and reader.kind == "end"):
        if found and not reader.passes(",") and not reader.passes(";") and closing:
            raise NotJson("no comma")
        found.append(reader.call())
        if len(found) > MOST_CALLS:
            return found
    if reader.kind != "end":
        raise NotJson("something follows the calls")
    return found


def python_value(text: str) -> Any:
    """The value of a text that is one literal of Python or JSON and nothing else.

    Raises:
        NotJson: it is not.

    >>> python_value("{'a': [True, None]}")
    {'a': [True, None]}
    """
    reader = _Reader(text)
    value = reader.value()
    if reader.kind != "end":
        raise NotJson("something follows the value")
    return value


def bare_object(text: str) -> dict[str, Any]:
    """The object of a text whose keys need no quotes: ``{city:'Oslo', days:3}``.

    Raises:
        NotJson: it is anything else.
    """
    reader = _Reader(text)
    reader.need("{")
    found = reader.pairs("}", ":", 0)
    if reader.kind != "end":
        raise NotJson("something follows the object")
    return found


def _text(token: str) -> str:
    """What a literal in quotes stands for."""
    if token.startswith(QUOTE_TOKEN):
        return token[len(QUOTE_TOKEN) : -len(QUOTE_TOKEN)]
    return ESCAPE.sub(_unescaped, token[1:-1]) if "\\" in token else token[1:-1]


def _unescaped(found: re.Match[str]) -> str:
    if found[1] or found[2]:
        return chr(int(found[1] or found[2], 16))
    return ESCAPED.get(found[3], found[3] if found[3] in "'\"\\/" else found[0])
