"""The text of a completion in every form in which trainers hand it over, and which of its characters show."""

import pickle
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tables import each_row, tables_beside

from grpo_rewards.completion.text import (
    Parsed,
    as_messages,
    completion_text,
    is_blank,
    is_completion,
    is_only_markup,
    prompt_text,
    small_digits_apart,
    visible,
)

TABLES = tables_beside(__file__)


def said(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **fields}


def tool(content: Any) -> dict[str, Any]:
    return {"role": "tool", "name": "calculator", "content": content}


THOUGHT = {"type": "thinking", "thinking": "2 + 2"}
CALLS = [{"type": "function", "function": {"name": "calculator", "arguments": {"sum": "2 + 2"}}}]


BLOCK = {"type": "text", "text": "a"}
THINKING = "<think>2 + 2</think>"
ROWS: list[tuple[Any, str]] = [
    ("4", "4"),
    ("", ""),
    ([said("4")], "4"),
    ((said("4"),), "4"),
    (said("4"), "4"),
    ([said("3"), said("4")], "4"),
    ([said("4"), tool("5")], "4"),
    ([said(None, tool_calls=CALLS), tool("4"), said("It is 4.")], "It is 4."),
    ([said("4"), {"role": "user", "content": "5"}], "4"),
    ([tool("5")], ""),
    ([{"content": "4"}], "4"),
    ([said("4"), said(None, tool_calls=CALLS)], ""),  # a call has no text
    ([said([BLOCK])], "a"),
    ([said([BLOCK, BLOCK])], "aa"),
    ([said([{"type": "image", "image": 1}, BLOCK])], "a"),
    ([said(["b", BLOCK, None])], "ba"),
    ([said([])], ""),
    ([said([{"type": "text", "text": None}])], ""),
    ([said(None)], ""),
    ([said(True)], ""),
    ([{"role": "assistant"}], ""),
    ([said("4", reasoning_content="2 + 2")], f"{THINKING}4"),
    ([said("4", thinking="2 + 2")], f"{THINKING}4"),
    ([said("4", reasoning="2 + 2")], f"{THINKING}4"),
    ([said(None, reasoning_content="2 + 2")], THINKING),
    ([said("4", reasoning_content="")], "4"),
    ([said("4", reasoning_content=None)], "4"),
    ([said("4", reasoning_content=3)], "4"),
    ([said([THOUGHT, {"type": "text", "text": "4"}])], f"{THINKING}4"),
    # what was said before the reasoning stands before it
    ([said(["Sure. ", THOUGHT, "so ", THOUGHT, "4"])], "Sure. <think>2 + 22 + 2</think>so 4"),
    ([said([{"type": "thinking", "thinking": [{"type": "text", "text": "2 + 2"}]}, "4"])], f"{THINKING}4"),
    ([said([{"type": "reasoning", "text": "2 + 2"}, "4"])], f"{THINKING}4"),
    ([], ""),
    (None, ""),
    (3, ""),
    ([[said("4")]], ""),
    (["4"], ""),
    ([None], ""),
]


@each_row("completion, text", ROWS)
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


# the last four are letters to Unicode, and yet nothing is to be seen
SHOW_NOTHING = "\u200b \u200d \ufeff \u202e \u00ad \ufe0f \u2060 \u115f \u1160 \u3164 \uffa0".split(" ")


@each_row("character", SHOW_NOTHING)
def test_characters_that_show_nothing_are_neither_visible_nor_a_content(character: str) -> None:
    assert visible(f"a{character}b") == "ab"
    assert is_blank(f" {character * 3} ")


@each_row("text", TABLES["blank"])
def test_a_text_without_a_letter_digit_or_sign_is_blank(text: str) -> None:
    assert is_blank(text)
    assert is_only_markup(text)


@each_row("text", TABLES["mark_up_alone"])
def test_mark_up_alone_has_no_content(text: str) -> None:
    assert is_only_markup(text)


@each_row("text", TABLES["content_in_mark_up"])
def test_a_content_is_seen_in_its_mark_up(text: str) -> None:
    assert not is_only_markup(text)
    assert not is_blank(text)


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


@each_row("text, apart", TABLES["small_digits_apart"])
def test_small_digits_do_not_run_into_the_digits_before_them(text: str, apart: str) -> None:
    assert small_digits_apart(text) == apart


@each_row("thing", [3, float("nan"), 4.5, True, object(), {1}])
def test_what_no_model_writes_is_no_completion(thing: Any) -> None:
    assert not is_completion(thing)
    assert completion_text(thing) == ""
