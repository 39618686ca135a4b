"""A tool call as it is compared: its name, and for each argument the values that it may stand for; and strict JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

MOST_CALLS = 40  # of one completion or gold; more are not read
NAME_KEYS = ("name", "tool_name", "action", "function")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "action_input", "tool_input", "input")
VALUE_DEPTH = 60  # how deep lists and objects may nest in an argument
JSON_SPACES = " \t\r\n"
PYTHON_SPELLINGS = {"True": "true", "False": "false", "None": "null"}
SHOWN_ARGUMENTS, SHOWN_VALUES, SHOWN_OF_VALUE = 20, 5, 60  # of a call, of an argument, and of a value

# For each argument the values that it may stand for, each as its JSON in one spelling. One value, except for text whose
# type the format does not say, and for golds that allow several.
Arguments: TypeAlias = "dict[str, frozenset[str]]"


class NotJson(ValueError):
    """A text is not JSON: malformed, a key twice, ``NaN``, nested too deeply, a number of too many digits."""


class Untyped(str):
    """The text of an argument in a format that does not say whether it is text, a number or JSON."""


class ToolCall(NamedTuple):
    """One call. ``name`` is ``None`` if the call cannot be read, ``arguments`` if only they cannot."""

    name: str | None
    arguments: Arguments | None

    @property
    def shown(self) -> str:
        """The call for people, with values as JSON writes them, so that 1 and "1" differ; long ones are cut."""
        if self.name is None:
            return "(unreadable call)"
        if self.arguments is None:
            return f"{self.name}(?)"
        some = islice(self.arguments.items(), SHOWN_ARGUMENTS)
        return f"{self.name}({', '.join(f'{name}={shown_values(values)}' for name, values in some)})"


MALFORMED = ToolCall(None, None)


def shown_values(values: Iterable[str]) -> str:
    """Any of the values that an argument may stand for."""
    some = sorted(values)[:SHOWN_VALUES]
    return " or ".join(one if len(one) <= SHOWN_OF_VALUE else f"{one[:SHOWN_OF_VALUE]}…" for one in some)


def listed_calls(value: Any) -> list[Any]:
    """The objects that a value holds, each a call: of a list, of ``{"tool_calls": […]}``, or the value alone.

    One more than the most that are read shows that there are too many.
    """
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    return value[: MOST_CALLS + 1] if isinstance(value, list) else [value]


def call_of(value: Any, *, needs_arguments: bool = False) -> ToolCall | None:
    """The call that an object stands for: ``{"name": …, "arguments": …}``, or OpenAI's with ``function`` around it.

    Args:
        value: what JSON holds. ``arguments`` may be an object or, as OpenAI writes it, a text that holds one.
        needs_arguments: whether an object without arguments is no call; else it calls without any.

    Returns:
        ``None`` if it is no call.

    >>> call_of({"name": "add", "parameters": {"a": 1}}).shown
    'add(a=1)'
    """
    if not isinstance(value, dict):
        return None
    objects = [value, value["function"]] if isinstance(value.get("function"), dict) else [value]
    names = {one[key].strip() for one in objects for key in NAME_KEYS if isinstance(one.get(key), str)}
    given = [objects[-1][key] for key in ARGUMENT_KEYS if key in objects[-1]]
    if len(names) != 1 or "" in names or (needs_arguments and not given):
        return None  # of two names, parsers take one or the other
    several = [one for one in given if one is not None]
    return arguments_of(names.pop(), "unreadable" if len(several) > 1 else several[0] if several else {})


def arguments_of(name: str, given: Any) -> ToolCall:
    """The call of a tool with arguments as an object, or as a text that holds one; ``None`` are none."""
    with suppress(NotJson):
        if isinstance(given, str):
            given = loads(given) if given.strip() else {}
        given = {} if given is None else given
        if isinstance(given, dict):
            return ToolCall(name, {str(key): _meanings(value) for key, value in given.items()})
    return ToolCall(name, None)


def _meanings(value: Any) -> frozenset[str]:
    """The keys of what a value may stand for: one, or several for text whose type is not known."""
    keys = {key_of(value)}
    if isinstance(value, Untyped):
        with suppress(NotJson):
            keys.add(key_of(loads(PYTHON_SPELLINGS.get(value, value))))
    return frozenset(keys)


def key_of(value: Any) -> str:
    """The value as JSON in one spelling, equal where JSON considers values equal: for 1 and 1.0, not for 1 and "1".

    Raises:
        NotJson: the value is nested too deeply, or a number of thousands of digits.

    >>> key_of({"b": [1.0, None], "a": "x"})
    '{"a": "x", "b": [1, null]}'
    """
    try:
        return json.dumps(plain(value), sort_keys=True, ensure_ascii=False)
    except ValueError as error:
        raise NotJson(str(error)) from None


def plain(value: Any, depth: int = VALUE_DEPTH) -> Any:
    """A value of lists, dictionaries, texts and numbers alone, for arrays and numbers that data frames hold.

    Raises:
        NotJson: it is nested too deeply.
    """
    if depth < 0:
        raise NotJson("nested too deeply")
    if isinstance(value, Mapping):
        return {str(name): plain(one, depth - 1) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one, depth - 1) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str | int | float | None):
        return value
    return plain(value.tolist(), depth - 1) if hasattr(value, "tolist") else str(value)


def without_nulls_inside(key: str) -> str:
    """The key of the value without what is null in its objects, at every depth; in lists a null is an item.

    >>> without_nulls_inside('{"a": 1, "b": [{"c": null}, null]}')
    '{"a": 1, "b": [{}, null]}'
    """
    return key_of(json.loads(key, object_pairs_hook=_without_nulls)) if "null" in key else key


def _without_nulls(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in pairs if value is not None}


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise NotJson("a key occurs twice")
    return made


def refuse_constant(constant: str) -> Any:
    raise NotJson(constant)


DECODER = json.JSONDecoder(parse_constant=refuse_constant, object_pairs_hook=unique_keys)


def decode(text: str, at: int = 0) -> tuple[Any, int]:
    """The value that starts at an index, behind white space, and the index behind it.

    Raises:
        NotJson: there is none.
    """
    while at < len(text) and text[at] in JSON_SPACES:
        at += 1
    try:
        value: tuple[Any, int] = DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from None
    return value


def loads(text: str) -> Any:
    """The value of a text that is JSON and nothing else.

    Raises:
        NotJson: it is not.

    >>> loads(' {"a": [1, null]} ')
    {'a': [1, None]}
    """
    value, end = decode(text)
    if text[end:].strip():
        raise NotJson("something follows the value")
    return value
