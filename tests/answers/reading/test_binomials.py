"""Binomials and permutations in every notation; powers of constants are none."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "binomials": [
        (r"C_{10}^3", r"\binom{10}{3}"),
        (r"C_n^k", r"\binom{n}{k}"),
        (r"{}_{10}C_3", r"\binom{10}{3}"),
        (r"{}^{10}C_3", r"\binom{10}{3}"),
        (r"C(10,3)", r"\binom{10}{3}"),
        (r"120", r"C_{10}^3"),
        (r"2C_{4}^{2}", r"2\binom42"),
    ],
    "permutations": [
        (r"A_5^2", r"5\cdot4"),
        (r"{}_{10}P_3", r"P(10,3)"),
    ],
}
DIFFERENT = {
    "others": [
        (r"C_{10}^3", r"\binom{10}{4}"),
        (r"C_1^2", r"C_2^1"),
        (r"A_5^2", r"\binom52"),
        (r"C(3,10)", r"(10,3)"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
