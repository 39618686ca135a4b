"""Is the response a piece of JSON, or of code?"""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


def reason(reward, text, **given):
    verdict = reward.explain(text, **given)
    assert verdict.reason in reward.reasons
    return verdict.reason


PERSON = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["name"]}


@each_row(
    "text, said",
    [
        ('{"name": "aa"}', "valid"),
        ('<think>x</think>\n```json\n{"name": "aa"}\n```\n', "valid"),
        ('```\n{"name": "aa"}\n```', "valid"),
        ('<answer>{"name": "aa"}</answer>', "valid"),
        ('<think>x</think>\nSo:\n<answer>\n```json\n{"name": "aa"}\n```\n</answer>', "valid"),
        ('```json\n<answer>{"name": "aa"}</answer>\n```', "valid"),
        ('{"name": "aa", "of": "<answer>4</answer>"}', "valid"),
        ('<answer>Here: {"name": "aa"}</answer>', "not_json"),
        ('<answer>{"name": "aa"}</answer><answer>{"name": "a"}</answer>', "not_json"),
        ('<answer>{"name": "aa"}', "not_json"),
        ("</answer><answer>", "not_json"),
        ("<answer> </answer>", "no_answer"),
        ('<think><answer>{"name": "aa"}</answer></think>4', "against_schema"),
        ('Here: {"name": "aa"}', "not_json"),
        ('```json\n{"name": "aa"}\n```\nDone.', "not_json"),
        ('{"name": "aa"', "not_json"),
        ('{"name": "aa", "name": "aa"}', "not_json"),
        ('{"name": NaN}', "not_json"),
        ("9" * 5000, "not_json"),  # Python refuses to read it
        ('{"name": 4}', "against_schema"),
        ('{"name": "' + "a" * 5000 + 'b"}', "against_schema"),  # what re takes for ever for
        ('{"name": "\ud800"}', "against_schema"),
        ("{}", "against_schema"),
        ("[" * 50_000, "too_large"),
        (" " * 10, "no_answer"),
        ("<think>", "unfinished_thinking"),
    ],
)
def test_json_format(text, said):
    assert reason(gr.json_format.bind(schema=PERSON), text) == said


def test_json_format_without_a_schema_wants_an_object_or_an_array():
    assert [gr.json_format.score(text) for text in ("{}", "[1]", "4", '"a"', "null")] == [1.0, 1.0, 0.0, 0.0, 0.0]


@each_row("text, said", TABLES["code_block_format"])
def test_code_block_format(text, said):
    assert reason(gr.code_block_format.bind(language="python"), text) == said
