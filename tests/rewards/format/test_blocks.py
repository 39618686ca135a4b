"""Is the response a piece of JSON, or of code?"""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


PERSON = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["name"]}


@each_row(
    "text, said",
    [
        *TABLES["json_format"],
        ("9" * 5000, "not_json"),  # Python refuses to read it
        ('{"name": "' + "a" * 5000 + 'b"}', "against_schema"),  # what re takes for ever for
        ('{"name": "\ud800"}', "against_schema"),
        ("[" * 50_000, "too_large"),
    ],
)
def test_json_format(text, said):
    assert gr.json_format.bind(schema=PERSON).explain(text).reason == said


def test_json_format_without_a_schema_wants_an_object_or_an_array():
    assert [gr.json_format.score(text) for text in ("{}", "[1]", "4", '"a"', "null")] == [1.0, 1.0, 0.0, 0.0, 0.0]
