"""Which number of a clause it gives, where another one only stands beside it. A row is (the gold, the text)."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

GIVES = TABLES["gives"]
DOES_NOT_GIVE = [
    ("5", "It is 5, about 6."),
    ("50", "Thus he paid $250 in total, $50 less than the list price of $300."),
    ("300", "Thus he paid $250 in total, $50 less than the list price of $300."),
    ("20", "The answer is the temperature at 20 degrees."),
    ("11", "Apollo 11 landed on the Moon in 1969."),
]


@each_row("gold, text", GIVES)
def test_the_number_that_a_clause_gives(gold, text):
    verdict = gr.final_answer.explain(text, answer=gold)
    assert verdict.reward == 1.0, verdict


@each_row("gold, text", DOES_NOT_GIVE)
def test_a_number_beside_it_earns_nothing(gold, text):
    assert gr.final_answer.score(text, answer=gold) == 0.0
