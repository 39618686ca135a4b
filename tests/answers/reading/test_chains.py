"""Chains of equal things: the last part counts if every link holds, with its unit, and else it does not."""

from answer_pairs import assert_different, assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers.comparing.steps import compare, compare_here

TABLES = tables_beside(__file__)

HOLDS = TABLES["holds"]
FAILS = TABLES["fails"]
COMPUTED = [
    (r"\sum_{n=1}^\infty\frac1{2^n}=1", "1"),
    (r"\int_0^1x^2dx=\frac13", r"\frac13"),
    (r"A=\int_0^2x\,dx=\frac{4}{2}=2", "2"),
    (r"\lim_{x\to0}\frac{\sin x}{x}=1", "1"),
]
COMPUTED_WRONGLY = [
    (r"\sum_{n=1}^\infty\frac1{2^n}=2", "2"),
    (r"\int_0^1x^2dx=1", "1"),
    (r"A=\int_0^2x\,dx=3", "3"),
    (r"\lim_{n\to\infty}(1+\frac1n)^n=1", "1"),
]


@each_row("prediction, answer", rows(HOLDS))
def test_a_chain_that_holds_is_its_last_part(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(FAILS))
def test_a_chain_that_does_not_hold_is_no_answer(prediction: str, answer: str) -> None:
    assert_different(prediction, answer)


@each_row("prediction, answer", COMPUTED)
def test_computer_algebra_confirms_a_link(prediction: str, answer: str) -> None:
    assert compare_here(prediction, answer).undecided_pairs
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", COMPUTED_WRONGLY)
def test_computer_algebra_refutes_a_link(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "wrong"


@each_row(
    "prediction",
    [
        *("c^2=a^2+b^2=25", r"\int_0^1x^2dx=[\frac{x^3}3]_0^1=25", r"25=25\%", r"x\%=25"),
        *(
            r"T=5^\circ\text{C}=25\text{ K}",
            r"25\text{ apples}=25\text{ oranges}",
            r"1\text{ hour}=25\text{ minutes apples}",
        ),
    ],
)
def test_a_link_that_nobody_decides_is_not_wrong(prediction: str) -> None:
    assert compare(prediction, "25").outcome == "not_compared"
