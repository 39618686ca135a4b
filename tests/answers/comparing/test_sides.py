"""Capitals in a row, whose order counts, beside products of letters."""

from answer_pairs import assert_equal, rows
from tables import each_row

from grpo_rewards.answers import compare

EQUAL = {
    "products": [(r"PRT", r"P\cdot R\cdot T"), ("V=LWH", "V=LHW"), ("BC", "CB"), ("F_1F_2", "F_2F_1"), ("2ab", "2ba")],
}
DIFFERENT = {
    "capitals": [("AUG", "GUA"), ("RHS", "SRH"), ("PQRS", "PRQS"), ("NOT", "TON"), ("HCN", "HNC")],
}


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
