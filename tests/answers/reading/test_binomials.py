"""Binomials and permutations in every notation; powers of constants are none."""

from answer_pairs import assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
DIFFERENT = {
    "others": [
        (r"C_{10}^3", r"\binom{10}{4}"),
        (r"C_1^2", r"C_2^1"),
        (r"A_5^2", r"\binom52"),
        (r"C(3,10)", r"(10,3)"),
    ],
}


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
