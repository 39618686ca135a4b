"""Which written equations count as steps."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


def reason(reward, text, **given):
    verdict = reward.explain(text, **given)
    assert verdict.reason in reward.reasons
    return verdict.reason


@each_row(
    "text, true, false",
    TABLES["arithmetic_steps_counts_what_is_computed"],
)
def test_arithmetic_steps_counts_what_is_computed(text, true, false):
    details = gr.arithmetic_steps.explain(text).details
    if text.startswith("10 / 3 ≈"):
        assert details["equations"] == 1
        return
    assert (details["equations"], details["false"]) == (true + false, false)


@each_row(
    "text",
    TABLES["what_is_no_arithmetic_is_left_out"],
)
def test_what_is_no_arithmetic_is_left_out(text):
    assert reason(gr.arithmetic_steps, text) == "no_equations"


@each_row(
    "text, true, false",
    [
        ("25 / 7 = 3 remainder 4", 1, 0),
        ("25 / 7 = 3 remainder 5", 0, 1),
        ("17 ÷ 5 = 3 with a remainder of 2", 1, 0),
        ("17 / 5 = 3 R 2, 17 / 5 = 2 R 7", 1, 1),  # a remainder is less than what divides
        ("17÷5=3……2", 1, 0),
        ("17 / 5 = 3 with 2 left over", 1, 0),
        ("3 / 5 = 0 R 3", 0, 0),
        ("25 / 7 = 3", 0, 1),
        ("25 / 7 = 3 right", 0, 1),
    ],
)
def test_a_division_may_have_a_remainder(text, true, false):
    details = gr.arithmetic_steps.explain(text).details or {"equations": 0, "false": 0}
    assert (details["equations"], details["false"]) == (true + false, false)


@each_row(
    "text, true, false",
    [
        ("2 + 2 = 5 is not true", 0, 0),
        ("It is not true that 2 + 2 = 5.", 0, 0),
        ("$2 + 2 = 5$ is false", 0, 0),
        ("2 + 2 = 5 is wrong, 2 + 2 = 4", 1, 0),
        ("1 + 2 = 3, 2 + 2 = 5 is wrong", 1, 0),
        ("Is 3 + 4 = 8? No, 3 + 4 = 7.", 1, 0),
        ("2 + 2 = 4 is not prime", 1, 0),
        ("2 + 2 = 5 is right", 0, 1),
    ],
)
def test_what_the_text_itself_calls_false_is_not_claimed(text, true, false):
    details = gr.arithmetic_steps.explain(text).details or {"equations": 0, "false": 0}
    assert (details["equations"], details["false"]) == (true + false, false)
