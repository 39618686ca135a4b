"""Where the reasoning and the turn end, and which tags there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import grpo_rewards as gr
from grpo_rewards.completion.sections import (
    Parts,
    count_tags,
    opens_thinking,
    split_reasoning,
)
from grpo_rewards.testing import assert_linear


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


HOSTILE: dict[str, tuple[Callable[[str], Any], str, str]] = {
    "open thinking": (split_reasoning, "<think>", ""),
    "closed thinking": (split_reasoning, "<think></think>", ""),
    "half tags": (lambda text: count_tags(text, "answer"), "<answer", ""),
}


@pytest.mark.parametrize(("scan", "unit", "end"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_scan_is_linear_in_a_hostile_text(scan: Callable[[str], Any], unit: str, end: str) -> None:
    # a scan that starts over at each of 200,000 openings takes minutes
    assert_linear(scan, lambda size: unit * size + end, 200_000)


def test_an_empty_field_beside_reasoning_in_the_text_ends_nothing() -> None:
    for empty in ({}, {"reasoning_content": None}, {"reasoning_content": ""}):
        thinks = gr.boxed_answer.bind(think_opened=True).explain([said("so \\boxed{4}", **empty)], answer="4")
        assert thinks.reason == "unfinished_thinking"
        assert gr.think_format.score([said("<think>a</think>b", **empty)]) == 1.0
