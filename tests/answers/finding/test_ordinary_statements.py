"""Ordinary statements of many registers, and what looks like them and gives no answer.

Each row was written before it was run; the verdicts are what a teacher would say who reads only the text.
"""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

# class: (the gold, the text)
STATES = TABLES["states"]

STATES_NONE = TABLES["states_none"]


def rows(table):
    return [
        pytest.param(gold, text, id=f"{kind}: {text[-40:]!r}") for kind, pairs in table.items() for gold, text in pairs
    ]


@each_row("gold, text", rows(STATES))
def test_an_ordinary_statement_is_heard(gold, text):
    assert gr.final_answer.score(text, answer=gold) == 1.0


@each_row("gold, text", rows(STATES_NONE))
def test_what_only_looks_like_a_statement_is_not_heard(gold, text):
    assert gr.final_answer.score(text, answer=gold) == 0.0
