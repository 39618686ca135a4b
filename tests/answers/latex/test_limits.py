"""What is refused before anything evaluates it, and what nests so deep that recursion has no stack left."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

TOO_LARGE = [
    "9^{9^{9}}",
    "9^{9^9}",
    "9" * 5000,
    "2^{200001}",
    "20000!",
    "(((5!)!)!)!",
    "1^{9^{9^9}}",
    "(" * 3000 + "5" + ")" * 3000,
]


# What is large and not too large: it is compared without being written out.
LARGE = TABLES["large"]


@each_row("prediction, answer", LARGE)
def test_what_is_large_is_compared(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"
    assert compare(prediction + "+1", answer).outcome == "wrong"


@each_row("prediction", TOO_LARGE)
def test_what_must_not_be_evaluated_is_refused(prediction):
    assert compare(prediction, "5").outcome == "too_large"


# What takes an argument may take itself, over and over; a reader that recurses for each runs out of stack.
TAKES_ITSELF = TABLES["takes_itself"]


@each_row("piece", TAKES_ITSELF)
@each_row("times", [400, 3000])
def test_a_construct_in_itself_over_and_over_does_not_raise(piece: str, times: int) -> None:
    for text in (piece * times, piece * times + "4"):
        assert gr.boxed_answer.score(f"\\boxed{{{text}}}", answer="4") == 0.0
        assert gr.boxed_answer.score(r"\boxed{4}", answer=text) in (0.0, None)


@pytest.mark.parametrize("gold", [10**400, -(10**5000)], ids=["400 digits", "5000 digits"])
def test_a_gold_of_many_digits_is_no_exception(gold: int) -> None:
    assert gr.boxed_answer.score(r"\boxed{4}", answer=gold) in (0.0, None)
