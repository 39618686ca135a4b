"""A schema is checked when it is bound, and no document stalls it."""

import time

import pytest

import grpo_rewards as gr


def reason(reward, text, **given):
    verdict = reward.explain(text, **given)
    assert verdict.reason in reward.reasons
    return verdict.reason


@pytest.mark.parametrize(
    ("schema", "text", "said"),
    [
        ({"uniqueItems": True}, "[1, 1.0]", "against_schema"),
        ({"uniqueItems": True}, "[1, true, [1], {}]", "valid"),
        ({"uniqueItems": True}, "[" + ",".join(f'{{"a": {n}}}' for n in range(8000)) + "]", "valid"),  # in no time
        ({"multipleOf": 0.01}, "1e400", "not_json"),
        (None, "[1e999]", "not_json"),
        ({"const": "\u200b"}, '"\u200b"', "valid"),
        ({"$defs": {"a": {"type": "string"}}, "items": {"$ref": "#/$defs/a"}}, '["b"]', "valid"),
        ({"properties": {"patternProperties": {"enum": [{"pattern": "(?=x)"}]}}}, "{}", "valid"),
        ({"$ref": "#"}, "[]", "too_large"),
    ],
)
def test_no_document_stalls_a_schema(schema, text, said):
    start = time.process_time()
    assert reason(gr.json_format.bind(schema=schema), text) == said
    assert time.process_time() - start < 20  # minutes, if each item were compared with each


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "objekt"}, "schema is no JSON schema"),
        ({"properties": {"a": {"pattern": "(?=a)"}}}, "no look-around"),
        ({"patternProperties": {"a": {}}}, "patternProperties cannot be held to linear time"),
        ({"$ref": "#/nope"}, "is not in the schema itself"),
        ({"items": {"$ref": "https://example.org/schema"}}, "is not in the schema itself"),
    ],
)
def test_a_schema_is_checked_when_it_is_bound(schema, said):
    with pytest.raises(gr.RewardError, match=said):
        gr.json_format.bind(schema=schema)
