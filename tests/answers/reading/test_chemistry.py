"""Formulas and equations of chemistry in several spellings; other substances."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "spellings": [
        (r"\ce{H2SO4}", r"\text{H}_2\text{SO}_4"),
        (r"H2O", r"H_2O"),
        (r"\ce{Fe^{3+}}", r"\text{Fe}^{3+}"),
        (r"\ce{SO4^2-}", r"SO_4^{2-}"),
        (r"\ce{NaCl}", r"\mathrm{NaCl}"),
        (r"\ce{2H2 + O2 -> 2H2O}", r"2H_2 + O_2 \rightarrow 2H_2O"),
        (r"\mathrm{CaCO_3(s)}", r"\ce{CaCO3}"),
    ],
    "products of letters": [("P_2V_2", "V_2P_2"), ("BC", "CB"), ("A_1C+B_2", "B_2+CA_1")],
}
DIFFERENT = {
    "isomers": [("CH_3COOH", "HCOOCH_3"), ("CH_3COOC_2H_5", "C_2H_5COOCH_3"), ("HCN", "HNC")],
    "other substances": [
        (r"CO", r"Co"),
        (r"\text{CO}", r"\text{CO}_2"),
        (r"H_2O", r"HO_2"),
        (r"H2O", r"2H2O"),
        (r"\ce{Fe^{2+}}", r"\ce{Fe^{3+}}"),
        (r"\ce{SO4^2-}", r"\ce{SO4}"),
        (r"\ce{H2 + O2 -> 2H2O}", r"2H_2 + O_2 \rightarrow 2H_2O"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
