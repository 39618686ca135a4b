"""Why, in the completions table: whole where there is room, and never longer than a cell."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.rewards.building_blocks.fault_summary import MOST_OF_WHY, summarize_faults

ADD = [{"name": "add", "arguments": {"a": 1, "b": 2}}]
SCHEMA = {"properties": {"names": {"items": {"type": "string"}}}}
WANTED: dict[str, Any] = {
    "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words", "count:numbers"],
    "kwargs": [{}, {"num_words": 5, "relation": "at least"}, {"N": 0}],
}


def called(**arguments: Any) -> str:
    return f"<tool_call>{json.dumps({'name': 'add', 'arguments': arguments})}</tool_call>"


@each_row(
    "reward, text, columns, why",
    [
        (gr.json_format.bind(schema=SCHEMA), '{"names": ["a", 4]}', {}, '$.names[1]: 4 is not of type "string"'),
        (gr.json_format.bind(schema=SCHEMA), '{"names": ["a"]}', {}, None),
        (
            gr.instructions,
            "Two, three.",
            WANTED,
            "punctuation:no_comma: with ,; length_constraints:number_words: 2 words, wanted at least 5",
        ),
        (gr.instructions, "It is more than that.", WANTED, None),
        (gr.tool_calls, called(a=1, b=3), {"answer": ADD}, "add(b): 3, wanted 2"),
        (gr.tool_calls, called(a=1, c=True), {"answer": ADD}, "add(b): missing; add(c): not wanted"),
        (gr.tool_calls, called(a=1, b=2) * 2, {"answer": ADD}, "add: not wanted"),
        (gr.tool_calls, called(a=1, b=2), {"answer": ADD}, None),
        (gr.tool_calls, called(a=1, b=2), {"answer": [*ADD, {"name": "stop", "arguments": {}}]}, "stop: not called"),
        (gr.tool_calls.bind(credit="names"), called(a=5), {"answer": [*ADD, *ADD]}, "add: not called"),
        (gr.tool_calls, "<tool_call>{</tool_call>", {"answer": ADD}, "(unreadable call); add: not called"),
        (
            gr.tool_calls.bind(ordered=True),
            called(a=2) + called(a=1),
            {"answer": [{"add": {"a": [1]}}, {"add": {"a": [2]}}]},
            "the calls: in another order",
        ),
        (
            gr.tool_calls,
            called(a={"x": [1, None, False]}),
            {"answer": [{"name": "add", "arguments": {"a": {"y": "z", "x": [1.5]}}}]},
            'add(a): {"x": [1, null, false]}, wanted {"x": [1.5], "y": "z"}',
        ),
    ],
)
def test_the_table_says_why(reward: gr.Reward, text: str, columns: dict[str, Any], why: str | None) -> None:
    logged: dict[str, Any] = {}
    rows = {name: [value] for name, value in columns.items()}
    reward(completions=[text], prompts=["?"], log_extra=logged.__setitem__, **rows)
    assert logged[f"{reward.name}/why"] == [why]


def test_what_keywords_miss_is_in_the_table() -> None:
    logged: dict[str, Any] = {}
    gr.keywords.bind(include=["hence", "so"])(completions=["so"], log_extra=logged.__setitem__)
    assert logged["keywords/missing"] == ["['hence']"]


@pytest.mark.parametrize("size", [1, 50, 700])  # of more the why is not asked for
def test_the_cause_stands_behind_however_long_a_value(size: int) -> None:
    told = gr.json_format.bind(schema={"type": "object"}).explain(json.dumps(["a" * 9] * size)).details["why"]
    assert told.startswith('$: ["aaaaaaaaa"')
    assert told.endswith('is not of type "object"')
    long = gr.tool_calls.explain(called(a="b" * 1_000 * size, **{"c" * 1_000 * size: 1}), answer=ADD).details["why"]
    assert "wanted 1" in long
    assert len(told) <= MOST_OF_WHY >= len(long)


FAULTS = st.lists(st.tuples(st.text(max_size=90), st.text(max_size=300)), max_size=60)


@settings(deadline=None)
@given(FAULTS)
def test_all_faults_are_named_or_counted_within_a_cell(faults: list[tuple[str, str]]) -> None:
    told = summarize_faults(faults)
    if told is None:
        assert not faults
        return
    assert len(told) <= MOST_OF_WHY
    counted = told.rpartition("; and ")[2].removesuffix(" more")
    if told.endswith(" more") and counted.isdigit():
        assert 0 < int(counted) < len(faults)
