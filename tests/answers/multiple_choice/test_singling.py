"""One option singled out, and remarks behind a choice."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

CHOOSES_B = TABLES["chooses_b"]
DOES_NOT_CHOOSE_B = TABLES["does_not_choose_b"]


@each_row("text", CHOOSES_B)
def test_b_is_chosen(text):
    assert [gr.multiple_choice.score(text, answer=gold) for gold in "BA"] == [1.0, 0.0]


@each_row("text", DOES_NOT_CHOOSE_B)
def test_b_is_not_chosen(text):
    assert gr.multiple_choice.score(text, answer="B") == 0.0
