"""Which number, formula or words a text gives as its answer, and what only holds the number."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)
ANNOUNCED_ONLY = gr.final_answer.bind(last_number=False)


@each_row("text, gold", TABLES["is_found"])
def test_an_answer_is_found(text, gold):
    assert gr.final_answer.score(text, answer=gold) == 1.0


@each_row("text, gold", TABLES["earns_nothing"])
def test_what_only_holds_the_number_earns_nothing(text, gold):
    assert gr.final_answer.score(text, answer=gold) == 0.0


@each_row("text, gold", TABLES["a_guard_holds_with_and_without_the_last_number"])
def test_a_guard_holds_with_and_without_the_last_number(text, gold):
    assert gr.final_answer.score(text, answer=gold) == 0.0
    assert ANNOUNCED_ONLY.score(text, answer=gold) == 0.0
    assert gr.numeric_answer.score(text, answer=gold) == 0.0


@each_row("text, gold", TABLES["what_is_marked_announced_or_alone_counts_also_in_the_strict_setting"])
def test_what_is_marked_announced_or_alone_counts_also_in_the_strict_setting(text, gold):
    assert ANNOUNCED_ONLY.score(text, answer=gold) == 1.0


@each_row("text, gold", [("So she has 7.", "7"), ("So $a = 5$, $b = 7$, and $a + b = 12$.", "12"), ("3 + 4 = 7", "7")])
def test_what_is_only_asserted_counts_as_the_last_number(text, gold):
    assert gr.final_answer.score(text, answer=gold) == 1.0
    assert gr.final_answer.explain(text, answer=gold).details["source"] == "last_number"
    assert ANNOUNCED_ONLY.explain(text, answer=gold).reason == "no_answer"
