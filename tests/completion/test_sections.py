"""Where the reasoning and the turn end, and which tags there are."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.sections import (
    count_tags,
    opens_thinking,
    response,
)

TABLES = tables_beside(__file__)


def said(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **fields}


@each_row(
    "prompt, opened",
    [
        ("2 + 2?<think>\n", True),
        ("2 + 2?", False),
        ("Write <think> and </think>.", False),
        ("Write <think> and </think>. <think>", True),
        ("Write </think> after it.", False),
        ([{"role": "user", "content": "Write <think>."}], False),  # the user's words are closed by the template
        ([{"role": "user", "content": "2 + 2?"}, said("<think>")], True),
        (None, False),
    ],
)
def test_a_prompt_opens_thinking_if_it_ends_inside_it(prompt: Any, opened: bool) -> None:
    assert opens_thinking(prompt) is opened


@each_row("text, opened, said_last", TABLES["a_completion_answers_behind_its_last_reasoning"])
def test_a_completion_answers_behind_its_last_reasoning(text: str, opened: bool, said_last: str | None) -> None:
    assert response(text, opened=opened) == said_last


@each_row("text, opened, said_last", TABLES["what_stands_before_reasoning_never_answers"])
def test_what_stands_before_reasoning_never_answers(text: str, opened: bool, said_last: str) -> None:
    assert response(text, opened=opened) == said_last


@each_row("text, opened, said_last", TABLES["a_delimiter_that_is_quoted_opens_and_closes_nothing"])
def test_a_delimiter_that_is_quoted_opens_and_closes_nothing(text: str, opened: bool, said_last: str | None) -> None:
    assert response(text, opened=opened) == said_last


@given(st.text("<think>/a", max_size=40), st.booleans())
def test_a_response_is_a_part_of_the_text_without_delimiters_of_reasoning(text: str, opened: bool) -> None:
    found = response(text, opened=opened)
    assert found is None or (found in text and "<think>" not in found and "</think>" not in found)


PIECES = (
    "<think> </think> </think> [ ] ~ ]~b] <|im_end|> </s> [INST] [|user|] ` ``` ' x 1<2 | I <tool_call> </tool_call> "
    "[f()] functools[ [TOOL_CALLS] \\boxed{5} { “ ”"
).split(" ")


@given(st.lists(st.sampled_from([*PIECES, " ", "\n", "\nAction: f\nAction Input: x"]), max_size=9), st.booleans())
def test_a_quick_look_finds_what_a_search_finds(pieces: list[str], opened: bool) -> None:
    for text in ("".join(pieces), f"<think>\nSo{''.join(pieces)}</think>\nIt is 4."):
        found = response(text, opened=opened, with_calls=False)
        searched = response(
            text, opened=opened, with_calls=False, marks=Marks(*THINK)
        )  # equal marks, but no quick look
        assert found == searched, text


def test_count_tags_counts_exact_tags_alone() -> None:
    text = "<answer>1</answer><answer >2</answers><ANSWER></answer>"
    assert count_tags(text, "answer") == (1, 2)


def test_an_empty_field_beside_reasoning_in_the_text_ends_nothing() -> None:
    for empty in ({}, {"reasoning_content": None}, {"reasoning_content": ""}):
        thinks = gr.boxed_answer.bind(think_opened=True).explain([said("so \\boxed{4}", **empty)], answer="4")
        assert thinks.reason == "unfinished_thinking"
        assert gr.think_format.score([said("<think>a</think>b", **empty)]) == 1.0
