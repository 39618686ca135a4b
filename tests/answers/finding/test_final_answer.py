"""Which part of a response is its final answer, and that a hedge is none."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("completion, source, prediction", TABLES["final_answer_says_where_it_found_the_answer"])
def test_final_answer_says_where_it_found_the_answer(completion, source, prediction):
    verdict = gr.final_answer.explain(completion, answer="4")
    assert (verdict.details["source"], verdict.prediction) == (source, prediction)


HEDGES = (
    r"""
4 or 5;4, 5;4/5;4^2;4 × 6;4 · 6;4 times 6;4 − 6;4²;4½;4 1/2;4√2;4π;4 squared;4!!;4 < 6;4 thousand;$4 million;4 dozen
4 5 6;4, and 5;4 & 5;4 | 5;4 but could be 5;$4$ or $5$;$4$, $5$;\(4\) \(5\);4 apples or 5 apples
""".strip()
    .replace("\n", ";")
    .split(";")
)


@each_row("ending", ["", "."])
@each_row("hedge", HEDGES)
def test_final_answer_does_not_pay_for_a_hedge_or_for_half_an_answer(hedge, ending):
    assert gr.final_answer.score(f"The answer is {hedge}{ending}", answer="4") == 0.0


def test_final_answer_without_any_number():
    assert gr.final_answer.explain("I do not know", answer="4").reason == "no_answer"
