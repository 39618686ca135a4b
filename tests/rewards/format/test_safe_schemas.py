"""A schema is checked when it is bound, and no document stalls it."""

import json

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.checks import assert_linear

TABLES = tables_beside(__file__)

DRAFT, DRAFT_2019 = "http://json-schema.org/draft-{}/schema#", "https://json-schema.org/draft/2019-09/schema"


@each_row(
    "schema, text, said",
    [
        ({"uniqueItems": True}, "[1, 1.0]", "against_schema"),
        ({"uniqueItems": True}, "[1, true, [1], {}]", "valid"),
        ({"multipleOf": 0.01}, "1e400", "not_json"),
        (None, "[1e999]", "not_json"),
        ({"const": "\u200b"}, '"\u200b"', "valid"),
        ({"minLength": 1}, r'"\ud800"', "valid"),
        ({"properties": {"a?": {"type": "integer"}}}, r'{"a\ud800": 1}', "valid"),
        ({"$defs": {"a": {"type": "string"}}, "items": {"$ref": "#/$defs/a"}}, '["b"]', "valid"),
        ({"properties": {"patternProperties": {"enum": [{"pattern": "(?=x)"}]}}}, "{}", "valid"),
        ({"patternProperties": {"^n": {"type": "integer"}}}, '{"n1": "a"}', "against_schema"),
        ({"$ref": "#"}, "[]", "valid"),
        (True, "1", "valid"),
        (False, "1", "against_schema"),
        ({"format": "email"}, '"a"', "valid"),
        ({"$schema": DRAFT.format("04"), "minimum": 1, "exclusiveMinimum": True}, "1", "against_schema"),
        ({"$schema": DRAFT.format("06"), "const": 1}, "2", "against_schema"),
        ({"$schema": DRAFT.format("07"), "items": [{"type": "integer"}]}, '["a"]', "against_schema"),
        ({"$schema": DRAFT_2019, "items": [{}], "unevaluatedItems": False}, "[1, 2]", "against_schema"),
        ({}, "[" * 200 + "]" * 200, "valid"),
        ({}, "[" * 201 + "]" * 201, "too_large"),
        ({}, '{"a":' * 101 + "[" * 100 + "]" * 100 + "}" * 101, "too_large"),
        ({}, '["' + "[" * 1000 + '"]', "valid"),
        ({}, '["\\"' + "[" * 1000 + '"]', "valid"),
    ],
)
def test_what_fits_a_schema(schema, text, said):
    assert gr.json_format.bind(schema=schema).explain(text).reason == said


@each_row(
    "schema, said",
    [
        *TABLES["a_schema_is_checked_when_it_is_bound"],
        ({"enum": [{1}]}, "schema is no JSON schema"),
    ],
)
def test_a_schema_is_checked_when_it_is_bound(schema, said):
    with pytest.raises(gr.RewardError, match=said):
        gr.json_format.bind(schema=schema)


def test_where_and_why_are_stated_unless_the_schema_goes_round():
    names = {"$defs": {"name": {"type": "string"}}, "properties": {"names": {"items": {"$ref": "#/$defs/name"}}}}
    details = gr.json_format.bind(schema=names).explain('{"names": ["a", 4]}').details
    assert (details["at"], details["why"]) == ("$.names[1]", '$.names[1]: 4 is not of type "string"')
    tree = {"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}
    assert gr.json_format.bind(schema=tree).explain("[1]").details == {}


KINDS = {"oneOf": [{"items": {"type": "integer"}}, {"items": {"type": "string"}}]}


@pytest.mark.parametrize("items", [10, 7_000])
def test_only_a_fault_that_is_cheap_to_explain_is_explained(items):
    text = json.dumps([{"a": n} for n in range(items)])
    for schema in (KINDS, {"$defs": {"a": KINDS}, "$ref": "#/$defs/a"}, {"type": "object"}):
        verdict = gr.json_format.bind(schema=schema).explain(text)
        assert (verdict.reward, verdict.reason) == (0.0, "against_schema")
        assert set(verdict.details) == ({"at", "why"} if items == 10 else set())


def test_the_more_alternatives_a_schema_has_the_shorter_is_what_is_explained():
    text = json.dumps(["a"] * 500)  # 2,500 characters
    for alternatives, is_explained in ((1, True), (20, False)):
        schema = {"items": {"anyOf": [{"type": "integer"}] * alternatives}}
        assert bool(gr.json_format.bind(schema=schema).explain(text).details) is is_explained


ITEM, ROUND, DYNAMIC = {"type": "integer"}, {"$ref": "#"}, {"$dynamicRef": "#n"}
# All bounds, so wide that each is looked at in each document.
WIDE = {
    **dict.fromkeys(("minimum", "exclusiveMinimum"), -1),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), 0),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), 5_000_000),
}
# A schema for each keyword of draft 2020-12 that says something of a document, some of them against the grain.
SCHEMAS = {
    "bounds": {"allOf": [WIDE, {"items": WIDE}, {"additionalProperties": WIDE}]},
    "enum": {"items": {"enum": [[n] for n in range(50)]}},
    "multipleOf": {"items": {"multipleOf": 0.01}},
    "pattern": {"pattern": "^(a|a|(b?)*)*$", "items": {"pattern": "(a*)*c"}},
    "uniqueItems": {"uniqueItems": True},
    "maxContains": {"contains": ITEM, "maxContains": 5_000_000},
    "minContains": {"contains": ITEM, "minContains": 5_000_000},
    "dependentRequired": {"dependentRequired": {"k1": ["k2", "no"]}},
    "allOf": {"allOf": [{"items": {}}, {"items": ITEM}, {"additionalProperties": ITEM}]},
    "anyOf": {"anyOf": [{"items": {"anyOf": [{"type": "null"}, ROUND]}}, {"items": ROUND}]},
    "oneOf": {"oneOf": [{"items": ROUND}, {"items": {"not": ROUND}}]},
    "not": {"not": {"not": {"items": ROUND}}},
    "if": {"if": {"items": ROUND}, "then": {"items": ROUND}, "else": {"items": ROUND}},
    "dependentSchemas": {"dependentSchemas": {"k1": {"additionalProperties": ITEM}}, "unevaluatedProperties": False},
    "prefixItems": {"prefixItems": [ITEM, ROUND], "items": False},
    "items": {"items": {"items": {"items": ROUND}}},
    "contains": {"allOf": [{"contains": ROUND}, {"contains": ITEM}], "unevaluatedItems": False},
    "properties": {"properties": {"k1": ITEM, "a": ROUND}},
    "patternProperties": {"patternProperties": {"^(k*)*$": ITEM, "^k": {}}},
    "additionalProperties": {"additionalProperties": {"anyOf": [ITEM, ROUND]}},
    "propertyNames": {"propertyNames": {"pattern": "^(k|k)*[0-9]*$", "maxLength": 99}},
    "unevaluatedItems": {
        "anyOf": [{"prefixItems": [ITEM]}, {"contains": ROUND}, {"items": ITEM}],
        "unevaluatedItems": ROUND,
    },
    "unevaluatedProperties": {
        "anyOf": [{"properties": {"a": ROUND}}, {"patternProperties": {"^a": ROUND}}],
        "unevaluatedProperties": ITEM,
    },
    "$ref": {"$defs": {"a": {"allOf": [ROUND, {"items": ROUND}]}}, "items": {"$ref": "#/$defs/a"}},
    "$dynamicRef": {
        "$dynamicAnchor": "n",
        "anyOf": [{"items": DYNAMIC}, {"prefixItems": [DYNAMIC]}],
        "unevaluatedItems": False,
        "unevaluatedProperties": False,
    },
    "format": {"format": "email", "items": {"format": "regex"}},
    "contentSchema": {"contentEncoding": "base64", "contentMediaType": "application/json", "contentSchema": ROUND},
}
DOCUMENTS = {
    "numbers": lambda size: json.dumps(list(range(size // 7))),
    "one number": lambda size: json.dumps([1] * (size // 3)),
    "decimals": lambda size: json.dumps([n + 0.07 for n in range(size // 10)]),
    "lists": lambda size: json.dumps([[n] for n in range(size // 9)]),
    "objects": lambda size: json.dumps([{"a": n} for n in range(size // 15)]),
    "members": lambda size: json.dumps({f"k{n}": n for n in range(size // 15)}),
    "texts": lambda size: json.dumps([f"a{n}" for n in range(size // 10)]),
    "a text": lambda size: json.dumps("a" * (size - 2)),
    "huge numbers": lambda size: json.dumps([10**25 + n for n in range(size // 28)]),
    "deep lists": lambda size: json.dumps([json.loads("[" * 190 + "]" * 190)] * (size // 382)),
    "deep objects": lambda size: json.dumps([json.loads('{"a":' * 190 + "1" + "}" * 190)] * (size // 1331)),
    "quotes": lambda size: '"' + '\\"' * (size // 2),
}


@pytest.mark.parametrize("size", [25_000, pytest.param(99_000, marks=pytest.mark.full)])
@each_row("keyword", SCHEMAS)
def test_every_keyword_takes_linear_time(keyword, size):
    reward = gr.json_format.bind(schema=SCHEMAS[keyword])
    for name, document in DOCUMENTS.items():
        assert_linear(reward.score, document, size, f"{keyword}, {name}")


@each_row("keyword", SCHEMAS)
def test_depth_does_not_multiply_the_work(keyword):
    reward = gr.json_format.bind(schema=SCHEMAS[keyword])
    for opening, leaf, closing in (("[", "", "]"), ("[", '"x"', "]"), ('{"a":', "1", "}"), ('{"a":[', "1", "]}")):
        assert_linear(
            reward.score, lambda size, o=opening, inner=leaf, c=closing: o * size + inner + c * size, 90, keyword
        )
