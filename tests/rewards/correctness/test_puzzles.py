"""Expressions over given numbers: what reaches the target, and what a policy would try."""

from fractions import Fraction
from typing import Any

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

ABC = [1, 2, 3]


@each_row("said", TABLES["an_expression_reaches_its_target_wherever_it_stands"])
def test_an_expression_reaches_its_target_wherever_it_stands(said: str) -> None:
    for text in (
        f"<answer>{said}</answer>",
        f"<think>9?</think> <answer> {said} </answer>",
        rf"\boxed{{{said}}}" if "`" not in said else f"<answer>{said}</answer>",
        f"I tried 1 + 2 + 3 = 6.\nSo the answer is {said}" if said[0] not in "$\\`" else said,
    ):
        assert gr.expression_reaches.explain(text, nums=ABC, target=9).reason == "reached", text


@each_row(
    "said, reason",
    [
        *TABLES["what_is_no_such_expression_earns_nothing"],
        ("1 + " * 2_000 + "1", "too_large"),
    ],
)
def test_what_is_no_such_expression_earns_nothing(said: str, reason: str) -> None:
    verdict = gr.expression_reaches.explain(f"<answer>{said}</answer>", nums=ABC, target=9)
    assert (verdict.reward, verdict.reason) == (0.0, reason)


def test_values_are_exact() -> None:
    assert gr.expression_reaches.score("<answer>8 / (3 - 8 / 3)</answer>", nums=[3, 3, 8, 8], target=24) == 1
    assert gr.expression_reaches.score("<answer>1 / 3 * 3</answer>", nums=[1, 3, 3], target=1) == 1
    assert gr.expression_reaches.score(r"\boxed{\frac{6}{3} + 1}", nums=[1, 3, 6], target=3) == 1
    assert (
        gr.expression_reaches.explain("<answer>3 / (2 - 2)</answer>", nums=[2, 2, 3], target=0).reason == "wrong_value"
    )
    assert gr.expression_reaches.score("<answer>0.5 + 1</answer>", nums=[0.5, 1], target=1.5) == 1


def test_not_all_numbers_need_be_used_if_so_bound() -> None:
    some = gr.expression_reaches.bind(use="some")
    assert some.score("<answer>3 * 2</answer>", nums=ABC, target=6) == 1
    assert some.explain("<answer>3 + 3</answer>", nums=ABC, target=6).reason == "wrong_numbers"
    assert some.explain("<answer>6</answer>", nums=ABC, target=6).reason == "wrong_numbers"


@each_row(
    "nums, target",
    [
        *[(None, 9), ([], 9), ("x", 9), ([1, None], 9), ({"a": 1}, 9), (ABC, None), (ABC, "x"), (9, 9)],
        *[([-1, 10], 9), (["1/2", 18], 9)],  # what no expression writes as one number
    ],
)
def test_a_row_without_numbers_or_target_is_the_rows_fault(nums: Any, target: Any) -> None:
    verdict = gr.expression_reaches.explain("<answer>1</answer>", nums=nums, target=target)
    assert (verdict.reward, verdict.reason) == (None, "bad_answer")


def test_rows_hold_numbers_in_several_forms() -> None:
    for nums in ([1, 2, 3], ["1", "2", "3"], (1.0, 2, Fraction(3)), "[1, 2, 3]"):
        for target in (9, "9", 9.0):
            assert gr.expression_reaches.score("<answer>(1+2)*3</answer>", nums=nums, target=target) == 1
