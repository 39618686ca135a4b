"""JSON schemas that no document can stall: checked in time linear in the document, and nothing is fetched.

jsonschema-rs does the work. It remembers what it has compared, so that neither ``unevaluatedItems`` nor a schema that
refers to itself makes it slow; its regular expressions take linear time. What it leaves is bounded here: how deep a
document is nested, how many huge numbers it has, and when a message is built, for which it remembers nothing and
which takes far longer than the verdict.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from grpo_rewards.completion.linear_patterns import encodable
from grpo_rewards.registry import RewardError

__all__ = ["Fault", "check_schema", "fault_of", "is_too_complex"]

MOST_NESTED = 200  # brackets; the validator gives up at 255
MOST_HUGE_NUMBERS = 100  # whole numbers of 19 digits or more, each of which uniqueItems compares with each other one
# A fault is explained where the document's characters times the schema's alternatives (those of anyOf and oneOf, and
# the paths through its references) are so few. The validator works out a message for each alternative and each item.
MOST_EXPLAINED = 10_000
# The closing quote may be missing, so that a text of quotes and backslashes is passed over once.
JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
HUGE_NUMBER = re.compile(r"(?<![\d.])\d{19}")
NO_BRACKET = re.compile(r"[^\[\]{}]+")


class Fault(NamedTuple):
    """Where a document does not fit, as a path such as ``$.names[0]``, and why; both are empty if that is not known."""

    at: str = ""
    why: str = ""


def check_schema(schema: dict[str, Any] | bool) -> None:
    """Raises RewardError if this is no JSON schema, or if it refers to another file."""
    try:
        _validator(json.dumps(schema))
    except (TypeError, ValueError, RecursionError) as error:
        why = getattr(error, "message", None) or str(error)
        raise RewardError(
            f"schema is no JSON schema that can be used: {why}. References must lead to the schema itself, and regular "
            "expressions have no look-around and no back-references."
        ) from None


def is_too_complex(text: str) -> bool:
    """Whether JSON is nested more than 200 deep, or has more than 100 whole numbers of 19 digits or more."""
    bare = JSON_STRING.sub(" ", text)
    if len(HUGE_NUMBER.findall(bare)) > MOST_HUGE_NUMBERS:
        return True
    depths = accumulate(1 if one in "[{" else -1 for one in NO_BRACKET.sub("", bare))
    return max(depths, default=0) > MOST_NESTED


def fault_of(value: Any, schema: dict[str, Any] | bool, size: int) -> Fault | None:
    """Why a value does not fit a checked schema; ``None`` if it fits. What would take long to explain is not explained.

    Args:
        value: what ``json.loads`` made of a text that is not too complex.
        schema: the schema.
        size: the characters of that text.
    """
    validator, alternatives = _validator(json.dumps(schema))
    explains = size * alternatives <= MOST_EXPLAINED
    try:
        return _fault(validator, value, explains)
    except UnicodeEncodeError:  # half of a surrogate pair, which is no character
        return _fault(validator, json.loads(encodable(json.dumps(value, ensure_ascii=False))), explains)


def _fault(validator: Any, value: Any, explains: bool) -> Fault | None:
    import jsonschema_rs

    if validator.is_valid(value):
        return None
    if explains:
        try:
            validator.validate(value)
        except jsonschema_rs.ValidationError as error:
            path = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in error.instance_path)
            return Fault(f"${path}", error.message)
    return Fault()


@lru_cache(maxsize=64)
def _validator(schema: str) -> tuple[Any, float]:
    """The validator of a schema, given as JSON text so that it can be cached, and how many alternatives it weighs."""
    import jsonschema_rs

    loaded = json.loads(schema)
    linear = jsonschema_rs.RegexOptions()
    made = jsonschema_rs.validator_for(loaded, pattern_options=linear, validate_formats=False, retriever=_not_fetched)
    return made, _paths("#", loaded, {}) * _alternatives(loaded)


def _alternatives(schema: Any) -> int:
    """How many schemas stand in lists of alternatives, and one for the schema itself."""
    within = list(schema.values()) if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    of_lists = [schema.get(name) for name in ("anyOf", "oneOf")] if isinstance(schema, dict) else []
    here = sum(len(one) for one in of_lists if isinstance(one, list))
    return 1 + here + sum(_alternatives(one) - 1 for one in within)


def _paths(reference: str, schema: Any, known: dict[str, float]) -> float:
    """How many paths lead through the references from here; infinity if one goes round in a circle, or may do so."""
    if reference not in known:
        known[reference] = math.inf  # until it is counted: whoever comes back here goes round
        within = _target(reference, schema)
        found = [math.inf] if within is None else [_paths(one, schema, known) for one in _references(within)]
        known[reference] = 1 + sum(found)
    return known[reference]


def _target(reference: str, schema: Any) -> Any:
    """What a reference such as ``#/$defs/name`` names; ``None`` for any other kind of reference."""
    within = schema
    for name in reference.removeprefix("#").split("/")[1:]:
        within = within.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(within, dict) else None
    return within if reference == "#" or reference.startswith("#/") else None


def _references(schema: Any) -> Iterator[str]:
    """All references in a schema and in the schemas in it."""
    if isinstance(schema, dict):
        yield from (
            schema[name] for name in ("$ref", "$dynamicRef", "$recursiveRef") if isinstance(schema.get(name), str)
        )
    if isinstance(schema, dict | list):
        for one in schema.values() if isinstance(schema, dict) else schema:
            yield from _references(one)


def _not_fetched(address: str) -> Any:
    raise ValueError(f"{address} is another file, which is not fetched")
