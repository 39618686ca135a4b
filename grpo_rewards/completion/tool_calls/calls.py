"""A tool call as it is compared: its name, and for each argument the values that it may stand for; and strict JSON."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "ARGUMENT_KEYS",
    "BOOLEAN",
    "MALFORMED",
    "MOST_CALLS",
    "OBJECT",
    "VALUE_DEPTH",
    "Arguments",
    "NotJson",
    "ToolCall",
    "Untyped",
    "arguments_of",
    "call_of",
    "decode",
    "key_of",
    "list_key",
    "loads",
    "meanings",
    "object_key",
    "shown_call",
    "without_null_members",
]

MOST_OBJECTS = 5_000  # in one value
JSON_SPACES = " \t\r\n"


class NotJson(ValueError):
    """A text is not JSON: malformed, a key twice, ``NaN``, nested too deeply, a number of too many digits."""


def _refuse_constant(constant: str) -> Any:
    raise NotJson(constant)


class _Objects:
    """Makes the objects of one value; raises NotJson for a key that occurs twice, and for too many objects."""

    def __init__(self) -> None:
        self.room = MOST_OBJECTS

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        self.room -= 1
        if len(made) < len(pairs) or self.room < 0:
            raise NotJson("a key occurs twice, or there are too many objects")
        return made


def decode(text: str, at: int = 0) -> tuple[Any, int]:
    """The value that starts at an index, behind white space, and the index behind it.

    Raises:
        NotJson: there is none.
    """
    while at < len(text) and text[at] in JSON_SPACES:
        at += 1
    try:
        decoder = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_Objects())
        value: tuple[Any, int] = decoder.raw_decode(text, at)
    except NotJson:
        raise
    except (ValueError, RecursionError, OverflowError) as error:
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


# For each argument the values that it may stand for, as keys that are equal where the values are. One value, except for
# text whose type the format does not say, and for golds that allow several.
Arguments: TypeAlias = "dict[str, frozenset[Hashable]]"

MOST_CALLS = 40  # of one completion or gold; more are not read
NAME_KEYS = ("name", "tool_name", "action", "function")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "action_input", "tool_input", "input")
VALUE_DEPTH = 60  # how deep lists and objects may nest in an argument
MOST_CONTAINERS = 2_000  # lists and objects in the arguments of one call
PYTHON_SPELLINGS = {"True": True, "False": False, "None": None}
SHOWN_ARGUMENTS = 300  # characters of the arguments that a verdict shows
SHOWN_PIECES = 100  # into which JSON's encoder cuts a value, which are looked at to show it
OBJECT, LIST, BOOLEAN = "object", "list", "boolean"  # what begins a key that is not the value itself
PLAIN_TYPES = {int, float, str, type(None)}  # whose values are their own keys


class ToolCall(NamedTuple):
    """One call. ``name`` is ``None`` if the call cannot be read, ``arguments`` if only they cannot; ``shown`` is for
    people.
    """

    name: str | None
    arguments: Arguments | None
    shown: str


class Untyped(str):
    """The text of an argument in a format that does not say whether it is text, a number or JSON."""


MALFORMED = ToolCall(None, None, "(unreadable call)")


def call_of(value: Any, *, needs_arguments: bool = False) -> ToolCall | None:
    """The call that an object stands for: ``{"name": …, "arguments": …}``, or OpenAI's with ``function`` around it.

    Args:
        value: what JSON holds. ``arguments`` may be an object or, as OpenAI writes it, a text that holds one.
        needs_arguments: whether an object without arguments is no call; else it calls without any.

    Returns:
        ``None`` if it is no call.

    >>> call_of({"name": "add", "parameters": {"a": 1}}).name
    'add'
    """
    if not isinstance(value, dict):
        return None
    outer = {value[key].strip() for key in NAME_KEYS if isinstance(value.get(key), str)}
    if isinstance(value.get("function"), dict):
        value = value["function"]
    names = outer | {value[key].strip() for key in NAME_KEYS if isinstance(value.get(key), str)}
    given = [value[key] for key in ARGUMENT_KEYS if key in value]
    if len(names) != 1 or "" in names or (needs_arguments and not given):
        return None  # of two names, parsers take one or the other
    several = [one for one in given if one is not None]
    return arguments_of(names.pop(), "unreadable" if len(several) > 1 else several[0] if several else {})


def arguments_of(name: str, given: Any) -> ToolCall:
    """The call of a tool with arguments as an object, or as a text that holds one; ``None`` are none."""
    if isinstance(given, str):
        try:
            given = loads(given) if given.strip() else {}
        except NotJson:
            given = "unreadable"
    given = {} if given is None else given
    arguments = None
    if isinstance(given, dict):
        try:
            room = iter(range(MOST_CONTAINERS))
            arguments = {str(key): meanings(value, room) for key, value in given.items()}
        except NotJson:
            arguments = None
    return ToolCall(name, arguments, f"{name}(?)" if arguments is None else shown_call(name, given))


def meanings(value: Any, room: Iterator[int] | None = None) -> frozenset[Hashable]:
    """The keys of what a value may stand for: one, or several for text whose type is not known.

    Args:
        value: the value.
        room: has an item for each list and object that may still be read.

    >>> meanings(1) == meanings(1.0), meanings(1) == meanings("1"), meanings(1) & meanings(Untyped("1")) == meanings(1)
    (True, False, True)
    """
    if not isinstance(value, Untyped):
        return frozenset([key_of(value, room)])
    text = str(value)
    keys = {key_of(text)}
    if text in PYTHON_SPELLINGS:
        keys.add(key_of(PYTHON_SPELLINGS[text]))
    with suppress(NotJson):
        keys.add(key_of(loads(text), room))
    return frozenset(keys)


def key_of(value: Any, room: Iterator[int] | None = None, depth: int = VALUE_DEPTH) -> Hashable:
    """A key that is equal for values that JSON considers equal: for 1 and 1.0, but not for 1, true and "1".

    Arrays and numbers of other libraries are what their ``tolist`` gives.

    Raises:
        NotJson: the value is nested too deeply, or has too many lists and objects.
    """
    if type(value) in PLAIN_TYPES:
        return value  # type: ignore[no-any-return]
    if isinstance(value, bool):
        return BOOLEAN, value
    if isinstance(value, Mapping | list | tuple):
        return _key_inside(value, iter(range(MOST_CONTAINERS)) if room is None else room, depth - 1)
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) and hasattr(value, "tolist"):
        return key_of(value.tolist(), room, depth - 1)
    return str(value)


def _key_inside(value: Any, room: Iterator[int], depth: int) -> Hashable:
    if depth < 0 or next(room, None) is None:
        raise NotJson("nested too deeply, or too many values")
    if isinstance(value, Mapping):
        return object_key((str(name), key_of(one, room, depth)) for name, one in value.items())
    is_flat = PLAIN_TYPES.issuperset(map(type, value))
    return list_key(value if is_flat else (key_of(one, room, depth) for one in value))


def object_key(members: Iterable[tuple[str, Hashable]]) -> Hashable:
    """The key of an object with these names and keys of values."""
    return OBJECT, frozenset(members)


def list_key(keys: Iterable[Hashable]) -> Hashable:
    """The key of a list of values with these keys."""
    return LIST, tuple(keys)


def without_null_members(key: Any) -> Any:
    """The key of the value without what is null in its objects, at every depth; in lists a null is an item.

    >>> without_null_members(key_of({"a": 1, "b": [{"c": None}, None]})) == key_of({"a": 1, "b": [{}, None]})
    True
    """
    kind, inside = key if isinstance(key, tuple) else (None, key)
    if kind == OBJECT:
        return object_key((name, without_null_members(one)) for name, one in inside if one is not None)
    return list_key(map(without_null_members, inside)) if kind == LIST else key


def shown_call(name: str, given: dict[Any, Any]) -> str:
    """A call as a verdict shows it, with values as JSON writes them, so that 1 and "1" differ; cut if it is long."""
    try:
        shown = ", ".join(f"{key}={_as_json(value)}" for key, value in islice(given.items(), 20))
    except (ValueError, TypeError):  # an integer of thousands of digits, or keys that a parsed message alone may hold
        shown = "…"
    return f"{name}({shown[:SHOWN_ARGUMENTS]})"


def _as_json(value: Any) -> str:
    pieces = json.JSONEncoder(ensure_ascii=False, default=_plainly).iterencode(value)
    return "".join(piece[:SHOWN_ARGUMENTS] for piece in islice(pieces, SHOWN_PIECES))[:SHOWN_ARGUMENTS]


def _plainly(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
