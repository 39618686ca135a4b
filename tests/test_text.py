"""Where things are in a completion."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grpo_rewards.completion.boxes import boxes, last_box
from grpo_rewards.completion.sections import Parts, before_end_of_turn, count_tags, opens_thinking, split_reasoning
from grpo_rewards.completion.text import as_messages, completion_text, is_blank, prompt_text, visible


def said(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **fields}


def tool(content: Any) -> dict[str, Any]:
    return {"role": "tool", "name": "calculator", "content": content}


CALLS = [{"type": "function", "function": {"name": "calculator", "arguments": {"sum": "2 + 2"}}}]


@pytest.mark.parametrize(
    ("completion", "text"),
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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["assistant", "tool"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "type", "text", "thinking", "reasoning_content"]), inner)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_object_that_json_can_hold_has_a_text_and_messages(thing: Any) -> None:
    assert isinstance(completion_text(thing), str)
    assert all(isinstance(message, dict) for message in as_messages(thing))
    assert isinstance(prompt_text(thing), str)


@pytest.mark.parametrize(
    ("completion", "messages"),
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


@pytest.mark.parametrize(
    ("prompt", "text"),
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


@pytest.mark.parametrize(
    ("prompt", "opened"),
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


@pytest.mark.parametrize(
    "marker",
    [
        "<|im_end|>",
        "<|im_start|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|end_of_text|>",
        "<|endoftext|>",
        "<|end|>",
        "<|return|>",
        "<|start_header_id|>",
        "<|END_OF_TURN_TOKEN|>",
        "<end_of_turn>",
        "<start_of_turn>",
        "</s>",
        "<eos>",
        "<｜end▁of▁sentence｜>",
    ],
)
def test_a_text_ends_at_the_first_end_of_its_turn(marker: str) -> None:
    assert before_end_of_turn(f"4{marker}user 5{marker}") == "4"


@pytest.mark.parametrize("text", ["", "a < b | c > d", "<|x|>", "</strong>", "<s>", "<|im_end", "my_turn>", "｜"])
def test_a_text_without_a_marker_is_kept_whole(text: str) -> None:
    assert before_end_of_turn(text) == text


@pytest.mark.parametrize(
    ("text", "opened", "parts"),
    [
        ("4", False, Parts("", "4")),
        ("<think>2 + 2</think>4", False, Parts("<think>2 + 2</think>", "4")),
        ("so <think>2 + 2</think> 4", False, Parts("so <think>2 + 2</think>", " 4")),
        ("2 + 2</think>4", True, Parts("2 + 2</think>", "4")),
        ("2 + 2</think>4", False, Parts("2 + 2</think>", "4")),  # a template may open it where nobody sees it
        ("a</think>b</think>c", False, Parts("a</think>b</think>", "c")),
        ("<think>2 + 2", False, Parts("<think>2 + 2", None)),
        ("4", True, Parts("4", None)),
        ("<think>a</think>4<think>b", False, Parts("<think>a</think>4<think>b", None)),
        ("", False, Parts("", "")),
        ("", True, Parts("", None)),
    ],
)
def test_reasoning_ends_at_the_last_closing_tag(text: str, opened: bool, parts: Parts) -> None:
    assert split_reasoning(text, opened=opened) == parts


@given(st.text("<think>/a", max_size=40), st.booleans())
def test_reasoning_and_response_are_the_whole_text(text: str, opened: bool) -> None:
    parts = split_reasoning(text, opened=opened)
    assert parts.reasoning + (parts.response or "") == text


def test_count_tags_counts_exact_tags_alone() -> None:
    text = "<answer>1</answer><answer >2</answers><ANSWER></answer>"
    assert count_tags(text, "answer") == (1, 2)


SHOW_NOTHING = ["\u200b", "\u200d", "\ufeff", "\u202e", "\u00ad", "\ufe0f", "\u2060"]
FILLERS = ["\u115f", "\u1160", "\u3164", "\uffa0"]  # letters to Unicode, and yet nothing is to be seen


@pytest.mark.parametrize("character", SHOW_NOTHING + FILLERS)
def test_characters_that_show_nothing_are_not_visible(character: str) -> None:
    assert visible(f"a{character}b") == "ab"


@pytest.mark.parametrize("character", [*SHOW_NOTHING, *FILLERS])
def test_a_text_of_characters_that_show_nothing_is_blank(character: str) -> None:
    assert is_blank(f" {character * 3} ")


@pytest.mark.parametrize("text", ["", " \n\t", "...", "…", "~", "{}", "\u200b", "-", "$$"])
def test_a_text_without_a_letter_digit_or_sign_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["4", "a", "é", "五", "∞", "∅", "- x", "½"])
def test_a_text_that_says_something_is_not_blank(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (r"\boxed{5}", ["5"]),
        (r"$\boxed{5}$.", ["5"]),
        (r"\boxed {5}", ["5"]),
        ("\\boxed\n{5}", ["5"]),
        (r"\boxed 5", ["5"]),
        (r"\boxed 5.", ["5"]),
        (r"\boxed\pi", [r"\pi"]),
        (r"\boxed5 apples", ["5"]),
        (r"\fbox{5}", ["5"]),
        (r"\boxed{}", [""]),
        (r"\boxed{ 5 }", [" 5 "]),
        (r"\boxed{7} no, \boxed{5}", ["7", "5"]),
        (r"\boxed{7}\fbox{5}", ["7", "5"]),
        (r"\boxed{\frac{1}{2}}", [r"\frac{1}{2}"]),
        (r"\boxed{\{1, 2\}}", [r"\{1, 2\}"]),
        (r"\boxed{7\boxed{5}}", [r"7\boxed{5}"]),  # of nested boxes the outer one
        (r"\boxed{\boxed{5}", ["5"]),  # the outer one is not closed
        (r"{\boxed{5}}", ["5"]),
        (r"\boxed{5}}}}", ["5"]),
        (r"}}}\boxed{5}", ["5"]),
        ("", []),
        ("5", []),
        (r"\boxed", []),
        (r"\boxed ", []),
        (r"\boxed{5", []),
        (r"\boxed{5\}", []),  # an escaped brace closes nothing
        (r"\boxedfoo{5}", []),
        (r"boxed{5}", []),
        (r"\boxed{5} \boxed{7", ["5"]),
    ],
)
def test_boxes_are_those_that_are_closed_and_outermost(text: str, contents: list[str]) -> None:
    assert list(boxes(text)) == contents
    assert last_box(text) == (contents[-1] if contents else None)


PIECES = [r"\boxed", r"\fbox", "{", "}", r"\{", r"\}", "\\\\", " ", "5", "x", r"\frac{1}{2}", ".", "$", "\n"]


@example(r"\boxed{5} no, \boxed 7")
@given(st.lists(st.sampled_from([*PIECES, r"\boxed{", r"\boxed{5}"]), max_size=12).map("".join))
def test_the_last_box_is_the_last_of_the_boxes(text: str) -> None:
    # the most common form takes a short cut, which must lead to the same place
    assert last_box(text) == next(iter(reversed(list(boxes(text)))), None)


BALANCED = st.recursive(
    st.text("5 x.", max_size=4), lambda inner: st.lists(inner, max_size=3).map(lambda parts: f"{{{''.join(parts)}}}")
)


@given(BALANCED, st.text("x. ", max_size=10))
def test_a_balanced_text_in_a_box_comes_out_as_it_went_in(inside: str, around: str) -> None:
    assert last_box(f"{around}\\boxed{{{inside}}}{around}") == inside


SIZE = 200_000
HOSTILE: dict[str, tuple[Callable[[str], Any], str]] = {
    "open boxes": (last_box, r"\boxed{" * SIZE),
    "boxes without braces": (last_box, r"\boxed " * SIZE),
    "boxes and spaces": (last_box, (r"\boxed" + " " * 10) * (SIZE // 10)),
    "open braces": (last_box, r"\boxed" + "{" * SIZE),
    "closing braces": (last_box, r"\boxed{5}" + "}" * SIZE),
    "nested boxes": (last_box, r"\boxed{" * SIZE + "}" * SIZE),
    "closed boxes": (last_box, r"\boxed{5}" * SIZE),
    "backslashes": (last_box, r"\boxed" + "\\" * SIZE),
    "open thinking": (split_reasoning, "<think>" * SIZE),
    "closed thinking": (split_reasoning, "<think></think>" * SIZE),
    "half markers": (before_end_of_turn, "<|im_" * SIZE + "<end_of_turn"),
    "half tags": (lambda text: count_tags(text, "answer"), "<answer" * SIZE),
    "invisible": (visible, "\u200b" * SIZE),
}


@pytest.mark.parametrize(("scan", "text"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_scan_is_linear_in_a_hostile_text(scan: Callable[[str], Any], text: str) -> None:
    # Linear, these take some tenths of a second at most on a slow core; a scan that starts over at each of 200,000
    # openings takes minutes.
    start = time.process_time()
    scan(text)
    assert time.process_time() - start < 5
