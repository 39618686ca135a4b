"""Reads the calls that a row wants, as data sets hold them, compares calls, and says how they differ."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from math import prod
from typing import Any, TypeAlias

from grpo_rewards.completion.tool_calls.calls import (
    ARGUMENT_KEYS,
    MALFORMED,
    MOST_CALLS,
    NotJson,
    ToolCall,
    call_of,
    key_of,
    listed_calls,
    loads,
    plain,
    shown_values,
    without_nulls_inside,
)
from grpo_rewards.completion.tool_calls.reading import calls_in_text, python_value

# Reads the values that an argument may have where a gold names several, as BFCL's do at every depth of objects.

MOST_VALUES = 5_000  # that one argument may have, which multiply with the depth
Keys: TypeAlias = "frozenset[str]"


def keys_of_possible(values: Any) -> Keys:
    """The keys of the values in a list of possible ones; what is no list, or an empty one, stands for itself.

    Raises:
        NotJson: one is nested too deeply, or they are more than 5,000.

    >>> sorted(keys_of_possible([1, "one"])), sorted(keys_of_possible([{"lat": [1.5, 2]}]))
    (['"one"', '1'], ['{"lat": 1.5}', '{"lat": 2}'])
    """
    several = values if isinstance(values, list) and values else [values]
    keys: Keys = frozenset().union(*map(_possible, several))
    if len(keys) > MOST_VALUES:
        raise NotJson("too many possible values")
    return keys


def _possible(value: Any) -> Keys:
    """The keys of one value: several for an object, whose members are lists of possible ones, and for lists of it."""
    key = key_of(value)  # raises where a value is nested too deeply
    if isinstance(value, dict):
        parts = [_members(name, value[name]) for name in sorted(value)]
    elif isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        parts = [_possible(one) for one in value]
    else:
        return frozenset([key])
    if prod(map(len, parts)) > MOST_VALUES:
        raise NotJson("too many possible values")
    opening, closing = key[0], key[-1]
    return frozenset(f"{opening}{', '.join(filter(None, chosen))}{closing}" for chosen in product(*parts))


def _members(name: str, values: Any) -> Keys:
    """What an object may have under a name; ``""`` for nothing, which an empty text among several values allows."""
    keys = keys_of_possible(values)
    absent = [""] if keys > EMPTY_TEXT else []
    return frozenset([*absent, *(f"{key_of(name)}: {key}" for key in keys)])


# Reads the calls that a row wants, in the forms in which data sets hold them, and compares calls with them.

# Where BFCL's possible values are an empty text and others, a proper superset of this, the argument may be left out.
EMPTY_TEXT = frozenset([key_of("")])
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
        answer = _read(plain(answer))
        if isinstance(answer, str):
            found = calls_in_text(TAGGED.sub(_as_json, answer)) or [MALFORMED]
        else:
            found = [_one_gold(item, null_is_absent) for item in listed_calls(answer)]
    except NotJson:
        return None
    if len(found) > MOST_CALLS or any(call.arguments is None for call in found):
        return None
    return [without_nulls(call) for call in found] if null_is_absent else found


def _read(value: Any) -> Any:
    """What a text says as JSON or as a literal of Python; the text itself if it is neither. No text stays as it is."""
    for read in (loads, python_value) if isinstance(value, str) else ():
        with suppress(NotJson):
            return read(value)
    return value


def _as_json(inside: re.Match[str]) -> str:
    """What stands in a tag as JSON if it is a literal of Python, as some data sets have it."""
    value = _read(inside[0])
    return inside[0] if isinstance(value, str) else json.dumps(value)


def without_nulls(call: ToolCall) -> ToolCall:
    """The call without what is null in its arguments, at any depth of objects."""
    if call.arguments is None:
        return call
    return call._replace(
        arguments={
            name: frozenset(map(without_nulls_inside, values))
            for name, values in call.arguments.items()
            if values != {key_of(None)}
        }
    )


def _one_gold(item: Any, null_is_absent: bool) -> ToolCall:
    item = _read(item)
    if not isinstance(item, dict):
        return MALFORMED
    if null_is_absent:  # a column of BFCL's objects has every tool in every row
        item = {key: one for key, one in item.items() if one is not None}
    if len(item) == 1 and "function" not in item:
        ((name, given),) = item.items()
        if isinstance(given, dict) and name not in ARGUMENT_KEYS:
            # BFCL's: for each argument a list of the values that it may have; with "" among them it may be absent
            return ToolCall(name, {key: keys_of_possible(values) for key, values in given.items()})
    called = item["function"] if isinstance(item.get("function"), dict) else item
    # plain has copied what the row holds
    called |= {key: _read(called[key]) for key in ARGUMENT_KEYS if key in called}  # also literals of Python
    return call_of(item) or MALFORMED


def call_similarity(made: ToolCall, wanted: ToolCall) -> float:
    """How much of a call is right: of its arguments, those that are equal as a share of all that either side names.

    0 for another tool; 1 if neither has arguments.
    """
    if made.name != wanted.name or made.arguments is None or wanted.arguments is None:
        return 0.0
    equal = sum(not values.isdisjoint(wanted.arguments.get(name, ())) for name, values in made.arguments.items())
    named = made.arguments.keys() | {name for name, values in wanted.arguments.items() if not values > EMPTY_TEXT}
    return equal / len(named) if named else 1.0


# Says how the calls that were made differ from those that were wanted, for a reader.

MOST_DIFFERENCES = 50  # differences


def call_differences(made: Sequence[ToolCall], wanted: Sequence[ToolCall]) -> list[tuple[str, str]]:
    """What is wrong with the calls that were made, as (call or argument, how), at most 50.

    Each call is compared with the call of that tool which it is most like, of those that are left; first those that are
    as wanted.

    Args:
        made: the calls that were made.
        wanted: the calls of the gold.

    Returns:
        ``[]`` if nothing differs but the order.

    >>> from grpo_rewards.completion.tool_calls.calls import arguments_of
    >>> made, wanted = arguments_of("add", {"a": 1, "c": "x"}), arguments_of("add", {"a": 2, "b": None})
    >>> call_differences([made], [wanted, arguments_of("stop", {})])
    [('add(a)', '1, wanted 2'), ('add(b)', 'missing'), ('add(c)', 'not wanted'), ('stop', 'not called')]
    """
    found: list[tuple[str, str]] = []
    left = list(wanted)
    others = []
    for call in made:
        same = next((one for one in left if call_similarity(call, one) == 1), None)
        if same is None:
            others.append(call)
        else:
            left.remove(same)
    for call in others:
        rivals = [one for one in left if one.name == call.name]
        if rivals:
            nearest = max(rivals, key=lambda one: call_similarity(call, one))
            left.remove(nearest)
            found += _of_arguments(call, nearest)
        else:
            found.append((call.name or call.shown, "not wanted" if call.name else ""))
    found += [(one.name or one.shown, "not called") for one in left]
    return found[:MOST_DIFFERENCES]


def _of_arguments(made: ToolCall, wanted: ToolCall) -> Iterator[tuple[str, str]]:
    if made.arguments is None or wanted.arguments is None:
        yield f"{made.name}", "its arguments cannot be read"
        return
    for name, values in wanted.arguments.items():
        if name in made.arguments:
            given = made.arguments[name]
            if given.isdisjoint(values):
                yield f"{made.name}({name})", f"{shown_values(given)}, wanted {shown_values(values)}"
        elif not values > EMPTY_TEXT:
            yield f"{made.name}({name})", "missing"
    for name in made.arguments:
        if name not in wanted.arguments:
            yield f"{made.name}({name})", "not wanted"
