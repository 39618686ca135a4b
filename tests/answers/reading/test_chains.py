"""Chains of equal things: the last part counts if every link holds, with its unit, and else it does not."""

from answer_pairs import assert_different, assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers.comparing.steps import compare

TABLES = tables_beside(__file__)

HOLDS = TABLES["holds"]
FAILS = TABLES["fails"]


@each_row("prediction, answer", rows(HOLDS))
def test_a_chain_that_holds_is_its_last_part(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(FAILS))
def test_a_chain_that_does_not_hold_is_no_answer(prediction: str, answer: str) -> None:
    assert_different(prediction, answer)


@each_row(
    "prediction",
    [
        *("c^2=a^2+b^2=25", r"\int_0^1x^2dx=[\frac{x^3}3]_0^1=25", r"x\%=25"),
        *(
            r"T=5^\circ\text{C}=25\text{ K}",
            r"25\text{ apples}=25\text{ oranges}",
            r"1\text{ hour}=25\text{ minutes apples}",
        ),
    ],
)
def test_a_link_that_nobody_decides_is_not_wrong(prediction: str) -> None:
    assert compare(prediction, "25").outcome == "not_compared"
