"""Formulas of logic are equal if their truth tables are; the product of two vectors is none."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "laws": [
        (r"q\wedge p", r"p\land q"),
        (r"\neg p\lor q", r"p\to q"),
        (r"\lnot q\to\lnot p", r"p\to q"),
        (r"\neg(p\vee q)", r"\neg p\wedge\neg q"),
        (r"(p\to q)\wedge(q\to p)", r"p\leftrightarrow q"),
        (r"p\wedge(q\vee r)", r"(p\wedge q)\vee(p\wedge r)"),
        (r"¬¬P", r"P \lor P"),
    ],
}
DIFFERENT = {
    "no laws": [
        (r"q\to p", r"p\to q"),
        (r"p\vee q", r"p\wedge q"),
        (r"p\wedge q\vee r", r"p\wedge(q\vee r)"),
        (r"\neg p", r"p"),
    ],
    "no logic": [
        (r"b\wedge a", r"a\wedge b"),
        (r"e_2\wedge e_1", r"e_1\wedge e_2"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
