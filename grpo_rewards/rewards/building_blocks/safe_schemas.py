"""JSON schemas that no document can stall: patterns run on RE2, ``uniqueItems`` hashes, nothing is fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from grpo_rewards.registry import RewardError
from grpo_rewards.rewards.building_blocks.safe_patterns import check_regex, compiled, encodable

__all__ = ["check_schema", "validator"]

# Keywords under which a schema holds other schemas: a single one, a list of them, or a mapping of names to them.
SUBSCHEMA_KEYWORDS = tuple(
    """
    items additionalItems contains not if then else propertyNames additionalProperties unevaluatedItems
    unevaluatedProperties
    """.split()
)
SUBSCHEMA_LIST_KEYWORDS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
SUBSCHEMA_MAPPING_KEYWORDS = ("properties", "$defs", "definitions", "dependentSchemas")


def check_schema(schema: dict[str, Any] | bool) -> None:
    """Raises RewardError if this is not a JSON schema, could take long on some document, or refers to another file."""
    import jsonschema
    import referencing.exceptions
    import referencing.jsonschema

    try:
        text = json.dumps(schema)
        jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator).check_schema(schema)
    except (jsonschema.SchemaError, TypeError, ValueError) as error:
        why = error.message if isinstance(error, jsonschema.SchemaError) else error
        raise RewardError(f"schema is no JSON schema: {why}") from None
    dialect = schema.get("$schema", "") if isinstance(schema, dict) else ""
    draft = referencing.jsonschema.specification_with(dialect, default=referencing.jsonschema.DRAFT202012)
    resource = draft.create_resource(schema)
    resolver = referencing.Registry().with_resource("", resource).resolver()
    for one in _schemas(schema):
        if "patternProperties" in one:
            raise RewardError("schema: patternProperties cannot be held to linear time; name the properties.")
        if isinstance(one.get("pattern"), str):
            check_regex(one["pattern"])
        reference = one.get("$ref")
        try:
            if isinstance(reference, str):
                resolver.lookup(reference)
        except referencing.exceptions.Unresolvable:
            raise RewardError(
                f"schema: $ref {reference!r} is not in the schema itself; put what it means under $defs."
            ) from None
    validator(text)


@lru_cache(maxsize=64)
def validator(schema: str) -> Any:
    """The jsonschema validator of a checked schema, which is given as JSON text so that it can be cached."""
    import jsonschema

    def pattern(_: Any, regex: str, instance: Any, __: Any) -> Iterator[Any]:
        if isinstance(instance, str) and compiled(regex).search(encodable(instance)) is None:
            yield jsonschema.ValidationError(f"{instance[:80]!r} does not match {regex!r}")

    def unique_items(_: Any, wanted: bool, instance: Any, __: Any) -> Iterator[Any]:
        if wanted and isinstance(instance, list) and len({_key(item) for item in instance}) < len(instance):
            yield jsonschema.ValidationError("its items are not distinct")

    loaded = json.loads(schema)
    kind = jsonschema.validators.validator_for(loaded, jsonschema.Draft202012Validator)
    return jsonschema.validators.extend(kind, {"pattern": pattern, "uniqueItems": unique_items})(loaded)


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema and all schemas in it, but not what only looks like one, such as a value under ``enum``."""
    if not isinstance(schema, dict):
        return
    yield schema
    for name in SUBSCHEMA_KEYWORDS:
        yield from _schemas(schema.get(name))
    for name in SUBSCHEMA_LIST_KEYWORDS:
        for one in schema[name] if isinstance(schema.get(name), list) else ():
            yield from _schemas(one)
    for name in SUBSCHEMA_MAPPING_KEYWORDS:
        for one in schema[name].values() if isinstance(schema.get(name), dict) else ():
            yield from _schemas(one)


def _key(value: Any) -> Any:
    """A hashable key, the same for two values that JSON considers equal: for 1 and 1.0, but not for 1 and true."""
    if isinstance(value, bool):
        return "true" if value else "false", None
    if isinstance(value, list):
        return "list", tuple(map(_key, value))
    if isinstance(value, dict):
        return "dict", frozenset((name, _key(one)) for name, one in value.items())
    return value
