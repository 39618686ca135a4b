"""Which delimiters an option names."""

from typing import Any

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards import RewardError
from grpo_rewards.completion.reasoning.marks import THINK, marks_of

TABLES = tables_beside(__file__)


@each_row("opening, closing", TABLES["a_closing_delimiter_follows_from_the_opening_one"])
def test_a_closing_delimiter_follows_from_the_opening_one(opening: str, closing: str) -> None:
    assert marks_of(opening) == (opening, closing) == marks_of([opening, closing])


def test_the_default_is_one_object() -> None:
    assert marks_of(("<think>", "</think>")) is THINK is marks_of("<think>")


@each_row("reasoning, said", TABLES["what_cannot_delimit_reasoning_is_refused_when_it_is_bound"])
def test_what_cannot_delimit_reasoning_is_refused_when_it_is_bound(reasoning: Any, said: str) -> None:
    with pytest.raises(RewardError, match="reasoning") as error:
        gr.boxed_answer.bind(reasoning=reasoning)
    assert said in str(error.value)
