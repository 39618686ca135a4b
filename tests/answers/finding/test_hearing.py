"""What is announced stands until it is taken back; what is only asserted gives way to what comes later."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("text, source, prediction", TABLES["the_answer_that_stands"])
def test_the_answer_that_stands(text, source, prediction):
    verdict = gr.final_answer.explain(text, answer="4")
    assert (verdict.details["source"], verdict.prediction) == (source, prediction)


@each_row("text", ["It is 4.", "2 + 2 = 4", "**4**", "So she has 4 left."])
def test_without_the_last_number_only_an_announced_answer_counts(text):
    assert gr.final_answer.score(text, answer="4") == 1.0
    announced_only = gr.final_answer.bind(last_number=False)
    assert announced_only.explain(text, answer="4").reason == "no_answer"
    assert gr.numeric_answer.bind(last_number=False).explain(text, answer="4").reason == "no_answer"
    assert announced_only.score(f"{text} The answer is 4.", answer="4") == 1.0
