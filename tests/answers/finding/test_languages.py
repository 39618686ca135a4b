"""The readings of prose in German, French, Spanish, Italian, Portuguese and Chinese, and of their look-alikes."""

from __future__ import annotations

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

GIVEN = TABLES["given"]
NOT_GIVEN = TABLES["not_given"]
WORDS = [
    ("So the meeting falls on a Tuesday.", "Tuesday"),
    ("Therefore, Evelyn has the greatest average speed.", "Evelyn"),
    ("So Ben ran the fastest.", "Ben"),
]
NOT_WORDS = [
    ("So it has the greatest area.", "it"),
    ("Perhaps Evelyn has the greatest average speed.", "Evelyn"),
    ("So Evelyn does not have the greatest speed, and Ben has not the least.", "Ben"),
]
BEHIND_AN_ANSWER = [
    ("Therefore he needs 10 boxes to pack all 115 eggs.", "10", "115"),
    ("Thus n = 8. We can verify that 8^2 - 8 = 56, as required.", "8", "56"),
    ("She used 6 bags for packing all 30 apples.", "6", "30"),
]


@each_row("text, gold", GIVEN + WORDS)
def test_given(text: str, gold: str) -> None:
    assert gr.final_answer.score(text, answer=gold) == 1.0


@each_row("text, gold", NOT_GIVEN + NOT_WORDS)
def test_not_given(text: str, gold: str) -> None:
    assert gr.final_answer.explain(text, answer=gold).reason in ("no_answer", "wrong")


@pytest.mark.parametrize(("text", "gold", "other"), BEHIND_AN_ANSWER)
def test_what_stands_behind_an_answer_is_none(text: str, gold: str, other: str) -> None:
    assert gr.final_answer.score(text, answer=gold) == 1.0
    assert gr.final_answer.score(text, answer=other) == 0.0
