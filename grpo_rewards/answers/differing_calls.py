"""Says how the calls that were made differ from those that were wanted, for a reader."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from itertools import islice
from typing import Any

from grpo_rewards.answers.called_tools import MAY_BE_ABSENT, call_similarity
from grpo_rewards.completion.tool_calls.calls import BOOLEAN, OBJECT, ToolCall

__all__ = ["call_differences"]

MOST_DIFFERENCES = 50  # differences
SHOWN_ITEMS, SHOWN_TEXT, SHOWN_DEPTH = 5, 60, 3  # of a list or object, characters of a text, and lists in lists


def call_differences(
    made: Sequence[ToolCall], wanted: Sequence[ToolCall], *, only_names: bool = False
) -> list[tuple[str, str]]:
    """What is wrong with the calls that were made, as (call or argument, how), at most 50.

    Each call is compared with the call of that tool which it is most like, of those that are left.

    Args:
        made: the calls that were made.
        wanted: the calls of the gold.
        only_names: whether arguments do not matter.

    Returns:
        ``[]`` if nothing differs but the order.

    >>> from grpo_rewards.completion.tool_calls.calls import arguments_of
    >>> made, wanted = arguments_of("add", {"a": 1, "c": "x"}), arguments_of("add", {"a": 2, "b": None})
    >>> call_differences([made], [wanted, arguments_of("stop", {})])
    [('add(a)', '1, wanted 2'), ('add(b)', 'missing'), ('add(c)', 'not wanted'), ('stop', 'not called')]
    """
    return list(islice(_differences(made, list(wanted), only_names), MOST_DIFFERENCES))


def _differences(made: Sequence[ToolCall], left: list[ToolCall], only_names: bool) -> Iterator[tuple[str, str]]:
    others = []
    for call in made:
        same = next((one for one in left if _is_right(call, one, only_names)), None)
        if same is None:
            others.append(call)
        else:
            left.remove(same)
    for call in others:
        rivals = [one for one in left if call.name is not None and one.name == call.name]
        if not rivals:
            yield call.name or call.shown, "not wanted" if call.name else ""
            continue
        nearest = max(rivals, key=lambda one: call_similarity(call, one))
        left.remove(nearest)
        yield from _of_arguments(call, nearest)
    for one in left:
        yield one.name or one.shown, "not called"


def _is_right(made: ToolCall, wanted: ToolCall, only_names: bool) -> bool:
    if only_names:
        return made.name is not None and made.name == wanted.name
    return call_similarity(made, wanted) == 1.0


def _of_arguments(made: ToolCall, wanted: ToolCall) -> Iterator[tuple[str, str]]:
    if made.arguments is None or wanted.arguments is None:
        yield f"{made.name}", "its arguments cannot be read"
        return
    for name, values in wanted.arguments.items():
        if name in made.arguments:
            given = made.arguments[name]
            if given.isdisjoint(values):
                yield f"{made.name}({name})", f"{_written(given)}, wanted {_written(values)}"
        elif len(values) == 1 or MAY_BE_ABSENT not in values:
            yield f"{made.name}({name})", "missing"
    for name in made.arguments:
        if name not in wanted.arguments:
            yield f"{made.name}({name})", "not wanted"


def _written(values: frozenset[Hashable]) -> str:
    """Any of the values that an argument may stand for."""
    return " or ".join(sorted(_as_json(one, SHOWN_DEPTH) for one in islice(values, SHOWN_ITEMS)))


def _as_json(key: Any, depth: int) -> str:
    """A value as JSON writes it, from its key; ``…`` for what is long or deep."""
    if isinstance(key, str):
        return json.dumps(key if len(key) <= SHOWN_TEXT else f"{key[:SHOWN_TEXT]}…", ensure_ascii=False)
    if not isinstance(key, tuple):
        try:
            return json.dumps(key)
        except ValueError:  # an integer of thousands of digits
            return "…"
    kind, inside = key
    if kind == BOOLEAN:
        return json.dumps(inside)
    if not depth:
        return "…"
    more = ["…"] if len(inside) > SHOWN_ITEMS else []
    if kind == OBJECT:
        first = sorted(inside, key=lambda member: member[0])[:SHOWN_ITEMS]
        parts = [f"{_as_json(name, 1)}: {_as_json(value, depth - 1)}" for name, value in first]
        return f"{{{', '.join([*parts, *more])}}}"
    return f"[{', '.join([*(_as_json(one, depth - 1) for one in inside[:SHOWN_ITEMS]), *more])}]"
