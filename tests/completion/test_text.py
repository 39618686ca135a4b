"""The text of a completion in every form in which trainers hand it over, and which of its characters show."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import each_row

from grpo_rewards.checks import assert_linear
from grpo_rewards.completion.text import (
    Parsed,
    as_messages,
    completion_text,
    is_blank,
    is_completion,
    is_only_markup,
    prompt_text,
    visible,
)


def said(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **fields}


def tool(content: Any) -> dict[str, Any]:
    return {"role": "tool", "name": "calculator", "content": content}


THOUGHT = {"type": "thinking", "thinking": "2 + 2"}
CALLS = [{"type": "function", "function": {"name": "calculator", "arguments": {"sum": "2 + 2"}}}]


@each_row(
    "completion, text",
    [
        pytest.param("4", "4", id="text"),
        pytest.param("", "", id="empty text"),
        pytest.param([said("4")], "4", id="one message"),
        pytest.param((said("4"),), "4", id="a tuple of messages"),
        pytest.param(said("4"), "4", id="a message without its list"),
        pytest.param([said("3"), said("4")], "4", id="the last of two"),
        pytest.param([said("4"), tool("5")], "4", id="a tool's output is not the policy's"),
        pytest.param([said(None, tool_calls=CALLS), tool("4"), said("It is 4.")], "It is 4.", id="tool transcript"),
        pytest.param([said("4"), {"role": "user", "content": "5"}], "4", id="a user's turn is not the policy's"),
        pytest.param([tool("5")], "", id="no assistant message"),
        pytest.param([{"content": "4"}], "4", id="no role"),
        pytest.param([said("4"), said(None, tool_calls=CALLS)], "", id="a tool call has no text"),
        pytest.param([said([{"type": "text", "text": "4"}])], "4", id="content block"),
        pytest.param(
            [said([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])], "ab", id="blocks are joined"
        ),
        pytest.param([said([{"type": "image", "image": 1}, {"type": "text", "text": "4"}])], "4", id="an image block"),
        pytest.param([said(["a", {"type": "text", "text": "b"}, None])], "ab", id="bare text among blocks"),
        pytest.param([said([])], "", id="no blocks"),
        pytest.param([said([{"type": "text", "text": None}])], "", id="a block of None"),
        pytest.param([said(None)], "", id="content is None"),
        pytest.param([said(True)], "", id="content is no text"),
        pytest.param([{"role": "assistant"}], "", id="content is missing"),
        pytest.param([said("4", reasoning_content="2 + 2")], "<think>2 + 2</think>4", id="reasoning in its own field"),
        pytest.param([said("4", thinking="2 + 2")], "<think>2 + 2</think>4", id="under its other name"),
        pytest.param([said(None, reasoning_content="2 + 2")], "<think>2 + 2</think>", id="reasoning alone"),
        pytest.param([said("4", reasoning_content="")], "4", id="empty reasoning"),
        pytest.param([said("4", reasoning_content=None)], "4", id="reasoning is None"),
        pytest.param([said("4", reasoning_content=3)], "4", id="reasoning is no text"),
        pytest.param([said("4", reasoning="2 + 2")], "<think>2 + 2</think>4", id="under its newest name"),
        pytest.param(
            [said([THOUGHT, {"type": "text", "text": "4"}])],
            "<think>2 + 2</think>4",
            id="reasoning in a block",
        ),
        pytest.param(
            [said(["Sure. ", THOUGHT, "so ", THOUGHT, "4"])],
            "Sure. <think>2 + 22 + 2</think>so 4",
            id="what was said before the reasoning stands before it",
        ),
        pytest.param(
            [said([{"type": "thinking", "thinking": [{"type": "text", "text": "2 + 2"}]}, "4"])],
            "<think>2 + 2</think>4",
            id="reasoning in a block of blocks",
        ),
        pytest.param(
            [said([{"type": "reasoning", "text": "2 + 2"}, {"type": "text", "text": "4"}])],
            "<think>2 + 2</think>4",
            id="a block of reasoning is no answer",
        ),
        pytest.param([], "", id="no messages"),
        pytest.param(None, "", id="None"),
        pytest.param(3, "", id="a number"),
        pytest.param([[said("4")]], "", id="a list in a list"),
        pytest.param(["4"], "", id="a list of texts"),
        pytest.param([None], "", id="a list of None"),
    ],
)
def test_completion_text_is_that_of_the_last_assistant_message(completion: Any, text: str) -> None:
    assert completion_text(completion) == text


FIELDS = ["role", "content", "type", "text", "thinking", "reasoning_content", "reasoning", "tool_calls"]
VALUES = ["assistant", "tool", "thinking", "analysis1"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(VALUES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner),
    max_leaves=12,
)


@settings(max_examples=40)
@given(JSON)
def test_any_object_that_json_can_hold_has_a_text_and_messages(thing: Any) -> None:
    assert isinstance(completion_text(thing), str)
    assert all(isinstance(message, dict) for message in as_messages(thing))
    assert isinstance(prompt_text(thing), str)


@each_row(
    "completion, messages",
    [
        ("4", [said("4")]),
        ([said("3"), tool("4")], [said("3"), tool("4")]),
        (said("4"), [said("4")]),
        (None, [said("")]),
        ([said("4"), None, "x"], [said("4")]),
    ],
)
def test_as_messages_is_a_list_of_messages_whatever_the_form(completion: Any, messages: list[Any]) -> None:
    assert as_messages(completion) == messages


@each_row(
    "prompt, text",
    [
        ("What is 2 + 2? <think>", "What is 2 + 2? <think>"),
        ([{"role": "user", "content": "2 + 2?"}], ""),
        ([{"role": "user", "content": "2 + 2?"}, said("<think>")], "<think>"),  # a turn that was begun for the model
        ([said("4"), {"role": "user", "content": "Sure?"}], ""),
        ([], ""),
        (None, ""),
    ],
)
def test_prompt_text_is_the_text_that_a_completion_goes_on_from(prompt: Any, text: str) -> None:
    assert prompt_text(prompt) == text


SHOW_NOTHING = ["\u200b", "\u200d", "\ufeff", "\u202e", "\u00ad", "\ufe0f", "\u2060"]
FILLERS = ["\u115f", "\u1160", "\u3164", "\uffa0"]  # letters to Unicode, and yet nothing is to be seen


@each_row("character", SHOW_NOTHING + FILLERS)
def test_characters_that_show_nothing_are_not_visible(character: str) -> None:
    assert visible(f"a{character}b") == "ab"


@each_row("character", [*SHOW_NOTHING, *FILLERS])
def test_a_text_of_characters_that_show_nothing_is_blank(character: str) -> None:
    assert is_blank(f" {character * 3} ")


@each_row("text", ["", " \n\t", "...", "…", "~", "{}", "\u200b", "-", "$$"])
def test_a_text_without_a_letter_digit_or_sign_is_blank(text: str) -> None:
    assert is_blank(text)


@each_row(
    "text",
    [
        *(
            "",
            "...",
            "**",
            "\u200b",
            r"\boxed{}",
            r"\boxed{ }",
            r"$\boxed{}$",
            r"\[\boxed{}\]",
            r"\boxed{\text{}}",
            r"\boxed{?}",
        ),
        *(
            "<answer></answer>",
            "<answer> </answer>",
            r"<answer>\boxed{}</answer>",
            "<b><i></i></b>",
            '<p class="a"></p>',
        ),
        *(
            "<br>",
            "<br/>",
            "<!-- 4 -->",
            "&nbsp;",
            "```\n```",
            "```python\n```",
            "~~~\n\n~~~",
            r"\frac{}{}",
            r"\fbox {}",
        ),
        *(
            r"\boxed{\quad}",
            r"\boxed{~}",
            r"\,",
            r"\\",
            r"\begin{aligned}\end{aligned}",
            r"**\boxed{}** \boxed{}",
            "& <",
        ),
    ],
)
def test_mark_up_alone_has_no_content(text: str) -> None:
    assert is_only_markup(text)


@each_row(
    "text",
    [
        *(
            "4",
            "no",
            "是",
            "∅",
            "∞",
            r"\boxed{5}",
            r"\boxed{\pi}",
            r"\pi",
            r"$\infty$",
            r"\emptyset",
            r"\boxed{\text{no}}",
            "½",
        ),
        *(
            "<answer>4</answer>",
            "<b>x</b>",
            "```python\nprint()\n```",
            "```\n4\n```",
            "```4```",
            "x < y",
            "<a, b>",
            "<5>",
            "&pi;",
        ),
        *(
            r"The answer is \boxed{}.",
            r"\alpha",
            r"\checkmark",
            r"\(\theta\)",
            r"\frac{1}{}",
            "a<b>c",
            "1 &",
            r"\mathbb{R}",
        ),
    ],
)
def test_a_content_is_seen_in_its_mark_up(text: str) -> None:
    assert not is_only_markup(text)


@each_row("piece", [r"\boxed{", "<a ", "<", "&", "`", "```a\n", r"\a", "<!-- ", r"\begin{a}", "</b "])
def test_mark_up_is_passed_over_in_linear_time(piece: str) -> None:
    assert_linear(is_only_markup, lambda size: piece * (size // len(piece)), 60_000, piece)


@each_row("text", ["4", "a", "é", "五", "∞", "∅", "- x", "½"])
def test_a_text_that_says_something_is_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_a_scan_is_linear_in_a_hostile_text() -> None:
    assert_linear(visible, lambda size: "\u200b" * size, 200_000)


@each_row(
    "message, is_closed",
    [
        (said("4", reasoning_content="2 + 2"), True),
        (said("", reasoning_content="2 + 2"), False),  # a parser leaves nothing for the content if it finds no end
        (said(None, thinking="2 + 2"), False),
        (said("", reasoning_content="2 + 2", tool_calls=CALLS), True),  # a call ends reasoning
        (said("4", reasoning_content="\n\n"), True),  # the model closed it at once
    ],
)
def test_a_parsed_message_says_whether_its_reasoning_ended(message: dict[str, Any], is_closed: bool) -> None:
    text = completion_text([message])
    assert isinstance(text, Parsed)
    assert text.is_closed is is_closed
    again = pickle.loads(pickle.dumps(text))
    assert (again, again.reasoning, again.content) == (text, text.reasoning, text.content)


def test_a_message_without_reasoning_is_a_plain_text() -> None:
    fields = [{}, {"reasoning_content": None}, {"reasoning_content": ""}, {"thinking": "", "reasoning": None}]
    for message in (*(said("4", **one) for one in fields), said("", reasoning_content="")):
        assert type(completion_text([message])) is str


class Array:
    """Stands for an array of numpy or a series of pandas, without either."""

    def __init__(self, *values: Any) -> None:
        self.values = list(values)

    def __len__(self) -> int:
        return len(self.values)

    def __bool__(self) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    def tolist(self) -> list[Any]:
        return self.values


@each_row(
    "completion, text",
    [
        (Array(said("4")), "4"),
        (Array(said("3"), tool("5"), said("4")), "4"),
        (Array(said(Array({"type": "text", "text": "a"}, {"type": "text", "text": "b"}))), "ab"),
        ([said(Array({"type": "text", "text": "a"}))], "a"),
        ([said("4", tool_calls=Array(*CALLS, *CALLS))], "4"),
        (Array(said("4", reasoning_content="2 + 2", tool_calls=Array())), "<think>2 + 2</think>4"),
        (Array(said(Array({"type": "thinking", "thinking": Array({"text": "a"})}, "b"))), "<think>a</think>b"),
        (Array(), ""),
    ],
)
def test_arrays_are_read_as_lists(completion: Any, text: str) -> None:
    assert completion_text(completion) == text
    assert all(type(message) is dict for message in as_messages(completion))
    assert is_completion(completion)


def test_the_messages_of_an_array_hold_no_arrays() -> None:
    (message,) = as_messages(Array(said(None, tool_calls=Array(*CALLS))))
    assert message == said(None, tool_calls=CALLS)
    assert prompt_text(Array(said("<think>"))) == "<think>"


@each_row(
    "block, text",
    [
        ({"type": "reasoning", "content": [{"type": "reasoning_text", "text": "a"}]}, "<think>a</think>b"),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "a"}]}, "<think>a</think>b"),
        ({"type": "reasoning", "content": [], "summary": [{"type": "summary_text", "text": "a"}]}, "<think>a</think>b"),
        ({"type": "reasoning", "summary": []}, "b"),
        ({"type": "reasoning", "summary": [3]}, "b"),
    ],
)
def test_blocks_of_the_responses_api_are_read(block: dict[str, Any], text: str) -> None:
    assert completion_text([said([block, {"type": "output_text", "text": "b"}])]) == text


@each_row("thing", [3, float("nan"), 4.5, True, object(), {1}])
def test_what_no_model_writes_is_no_completion(thing: Any) -> None:
    assert not is_completion(thing)
    assert completion_text(thing) == ""
