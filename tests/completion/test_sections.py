"""Where the reasoning and the turn end, and which tags there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from growth import assert_linear
from hypothesis import given
from hypothesis import strategies as st

from grpo_rewards.completion.sections import (
    MARKER_CANDIDATES,
    MARKER_SECOND_CHARACTERS,
    Parts,
    before_end_of_turn,
    count_tags,
    opens_thinking,
    split_reasoning,
)


def said(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **fields}


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


@pytest.mark.parametrize("marker", ["<|im_end|>", "</s>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>", "<eos>"])
@pytest.mark.parametrize("sign", ["<", "<t", "</", "<|"])
@pytest.mark.parametrize(
    "signs", [0, 1, MARKER_CANDIDATES - 1, MARKER_CANDIDATES, MARKER_CANDIDATES + 1, 10 * MARKER_CANDIDATES]
)
def test_a_marker_is_found_whatever_signs_stand_before_it(marker: str, sign: str, signs: int) -> None:
    assert marker[1] in MARKER_SECOND_CHARACTERS
    text = "x" + sign * signs
    assert before_end_of_turn(f"{text}{marker}4</s>") == text
    assert before_end_of_turn(text + marker[:-1]) == text + marker[:-1]


HOSTILE: dict[str, tuple[Callable[[str], Any], str, str]] = {
    "open thinking": (split_reasoning, "<think>", ""),
    "closed thinking": (split_reasoning, "<think></think>", ""),
    "half markers": (before_end_of_turn, "<|im_", "<end_of_turn"),
    "half tags": (lambda text: count_tags(text, "answer"), "<answer", ""),
}


@pytest.mark.parametrize(("scan", "unit", "end"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_scan_is_linear_in_a_hostile_text(scan: Callable[[str], Any], unit: str, end: str) -> None:
    # a scan that starts over at each of 200,000 openings takes minutes
    assert_linear(scan, lambda size: unit * size + end, 200_000)
