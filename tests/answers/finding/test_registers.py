"""Texts in many registers, and whether they give an answer. Each row was written before it was run; the verdicts are
what a teacher would say who reads only the text."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

# class: (the gold, the text)
GIVES = TABLES["gives"]
DOES_NOT_GIVE = TABLES["does_not_give"]


def rows(table):
    return [pytest.param(*row, id=f"{name}: {row[1][-60:]!a}") for name, of_class in table.items() for row in of_class]


@each_row("gold, text", rows(GIVES))
def test_a_text_gives_its_answer(gold, text):
    assert gr.final_answer.score(text, answer=gold) == 1.0
    assert gr.numeric_answer.score(text, answer=gold) in (1.0, None)  # None: the gold is no number


@each_row("gold, text", rows(DOES_NOT_GIVE))
def test_a_text_that_only_holds_the_number_earns_nothing(gold, text):
    assert gr.final_answer.score(text, answer=gold) == 0.0
    assert gr.numeric_answer.score(text, answer=gold) == 0.0
