"""A call of a tool is no answer, whatever stands in its arguments."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.checks import assert_linear
from grpo_rewards.completion.tool_calls.tags import CUT_OUT, LEADING_TAGS, without_calls

TABLES = tables_beside(__file__)


@each_row("opening, closing", CUT_OUT.items())
def test_the_calls_of_a_text_are_left_out(opening: str, closing: str) -> None:
    assert without_calls(f"a{opening}5{closing}b{opening}6{closing}") == "ab"
    assert without_calls(f"a{opening}5") == "a"


@each_row("opening", LEADING_TAGS)
def test_a_call_without_a_closing_tag_goes_to_the_end(opening: str) -> None:
    assert without_calls(f"a{opening}5") == "a"


@each_row("text", ["", "The tool says 4.", "<tools>4</tools>", "a <b"])
def test_a_text_without_calls_is_kept(text: str) -> None:
    assert without_calls(text) is text


CALL = '{"name": "add", "arguments": {"a": 5, "b": "\\\\boxed{5}"}}'


@pytest.mark.parametrize("text", [f"<tool_call>\n{CALL}\n</tool_call>", CALL.replace("arguments", "parameters")])
def test_a_number_in_a_call_answers_nothing(text: str) -> None:
    assert gr.final_answer.explain(text, answer="5").reason == "no_answer"
    assert gr.numeric_answer.explain(text, answer="5").reason == "no_answer"
    assert gr.boxed_answer.explain(text, answer="5").reason == "no_box"


def test_what_is_stated_beside_a_call_answers() -> None:
    assert gr.final_answer.score(f"It is 4.\n<tool_call>{CALL}</tool_call>", answer="4") == 1.0


def test_a_call_is_no_response() -> None:
    assert gr.think_format.explain(f"<think>I add.</think><tool_call>{CALL}</tool_call>").reason == "blank_response"
    assert gr.boxed_format.explain(f"<tool_call>{CALL}</tool_call>").reason == "no_box"


def test_json_that_was_requested_is_no_call() -> None:
    assert gr.json_format.score('{"name": "add", "arguments": {"a": 5}}') == 1.0
    ada = '{"name": "Ada", "age": 5}'
    assert without_calls(ada) == ada


@each_row("text", TABLES["what_tool_calls_reads_as_a_call_answers_nothing"])
def test_what_tool_calls_reads_as_a_call_answers_nothing(text: str) -> None:
    assert gr.tool_calls.explain(text, answer='[{"name": "add", "arguments": {"a": 4}}]').reason != "no_call"
    assert gr.final_answer.explain(text, answer="4").reason == "no_answer"


@each_row("text", ["[f(4)]", "[4]", "Action: 4", "so f(x)=[a(4)]", "a < 4 and call it b"])
def test_what_only_looks_like_a_call_is_stated(text: str) -> None:
    assert without_calls(text) == text


def test_the_search_is_linear_in_a_hostile_text() -> None:
    for unit in ("<tool_call>", "<tool_call></tool_call>", "</tool_call>"):
        assert_linear(without_calls, lambda size, unit=unit: unit * size, 100_000)
