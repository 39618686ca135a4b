"""What is no answer, or takes every answer away, and what only looks like it. A row is (the gold, the text)."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

NONE = TABLES["none"]
GIVEN = TABLES["given"]


def rows(table):
    return [(gold, text) for texts in table.values() for gold, text in texts]


@each_row("gold, text", rows(NONE))
def test_what_is_no_answer_earns_nothing(gold, text):
    assert gr.final_answer.score(text, answer=gold) == 0.0
    assert gr.numeric_answer.score(text, answer=gold) == 0.0


@each_row("gold, text", rows(GIVEN))
def test_what_only_looks_like_it_is_heard(gold, text):
    verdict = gr.final_answer.explain(text, answer=gold)
    assert verdict.reward == 1.0, verdict


@pytest.mark.parametrize("text", ["So there is no solution.", "x = 2 is excluded. Therefore there is no solution."])
def test_no_solution_is_an_answer_too(text):
    assert gr.final_answer.score(text, answer="no solution") == 1.0
