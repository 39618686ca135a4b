"""Which delimiters an option names."""

from __future__ import annotations

from typing import Any

import pytest

import grpo_rewards as gr
from grpo_rewards import RewardError
from grpo_rewards.completion.reasoning.marks import THINK, marks_of


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<think>", "</think>"),
        ("<reasoning>", "</reasoning>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<seed:think>", "</seed:think>"),
        ("<start_working_out>", "<end_working_out>"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<|inner_prefix|>", "<|inner_suffix|>"),
        ("<startle>", "</startle>"),  # the word is not "start"
    ],
)
def test_a_closing_delimiter_follows_from_the_opening_one(opening: str, closing: str) -> None:
    assert marks_of(opening) == (opening, closing) == marks_of([opening, closing])


def test_the_default_is_one_object() -> None:
    assert marks_of(("<think>", "</think>")) is THINK is marks_of("<think>")


@pytest.mark.parametrize(
    ("reasoning", "said"),
    [
        ("think", "Give both delimiters: reasoning=('think'"),
        ("<|channel>thought", "Give both delimiters"),
        ("<|think|>", "Give both delimiters"),
        ("", "Give both delimiters"),
        (("<think>",), "must be two delimiters"),
        (("<think>", 3), "must be two delimiters"),
        (("<a>", " "), "two different texts, neither inside the other"),
        (("***", "***"), "two different texts, neither inside the other"),
        (("<a>", "<a><b>"), "two different texts, neither inside the other"),
        (("<|start|>", "<|end|>"), "ends a turn"),
    ],
)
def test_what_cannot_delimit_reasoning_is_refused_when_it_is_bound(reasoning: Any, said: str) -> None:
    with pytest.raises(RewardError, match="reasoning") as error:
        gr.boxed_answer.bind(reasoning=reasoning)
    assert said in str(error.value)
