"""Which written equations count as steps."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("text", TABLES["what_is_no_arithmetic_is_left_out"])
def test_what_is_no_arithmetic_is_left_out(text):
    assert gr.arithmetic_steps.explain(text).reason == "no_equations"


@each_row("text, true, false", TABLES["what_is_computed_counts"])
def test_what_is_computed_counts(text, true, false):
    details = gr.arithmetic_steps.explain(text).details or {"equations": 0, "false": 0}
    assert (details["equations"], details["false"]) == (true + false, false)
