"""A text that stops in its middle asserts none of the numbers on its way; what it has announced stands."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

ON_THE_WAY = "So far she has 12 apples."


@each_row("rest", TABLES["a_text_that_is_cut_off_asserts_nothing"])
def test_a_text_that_is_cut_off_asserts_nothing(rest):
    assert gr.final_answer.explain(f"{ON_THE_WAY} {rest}", answer="12").reason == "no_answer"
    assert gr.final_answer.score(f"The answer is 12. {rest}", answer="12") == 1.0


@each_row(
    "rest",
    ["", "Hope this helps", "Let me know if you have any questions", "Easy peasy", "That is all.", "🎉", "QED"],
)
def test_a_text_that_is_complete_asserts_its_number(rest):
    assert gr.final_answer.score(f"{ON_THE_WAY} {rest}", answer="12") == 1.0


@each_row("text", ["So 12 or so", "12,", "They get 12 each", "So she has 12 apples in total"])
def test_a_statement_without_end_mark_may_be_complete(text):
    assert gr.final_answer.score(text, answer="12") == 1.0
