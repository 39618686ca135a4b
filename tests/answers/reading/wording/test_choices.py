"""Choices with and without their text; yes and no with a sentence behind them."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "letters with text": [
        (r"A", r"A: 4"),
        (r"4", r"A: 4"),
        (r"\text{A. } 4", r"4"),
        (r"B (42)", r"B"),
        (r"c", r"(C)"),
        (r"(c)", r"C"),
        (r"(C) 5", r"C"),
        (r"A. 4", r"A: 4.0"),
        (r"\text{E. None of the above}", r"E"),
        (r"D. All of the above", r"D"),
        (r"\text{D. Both A and B}", r"D"),
        (r"B: the rate doubles", r"B"),
        (r"\text{(C) all real numbers}", r"C"),
        (r"\text{B. increased}", r"B"),
        (r"\text{D. Both A and B}", r"\text{(D) both A and B}"),
    ],
    "yes and no": [
        (r"\text{no, it is not}", r"No"),
        (r"\text{Yes, it is.}", r"\text{Yes}"),
        (r"\text{Yes, it is continuous}", "Yes"),
        (r"\text{No, they are not equal}", "No"),
        (r"\text{no, it can't}", "No"),
        (r"\text{Yes, because } 9 > 3", r"\text{Yes}"),
        (r"\text{No, it doesn't}", r"No"),
        (r"\text{Yes}, x=5", r"\text{Yes, } x=5"),
        (r"\text{Yes!}", r"\text{Yes}"),
    ],
    "signs between two numbers": [
        (r"\gt", r">"),
        (r"\le", r"\leq"),
    ],
}
DIFFERENT = {
    "letters with text": [
        (r"A: 5", r"A: 4"),
        (r"B: 4", r"A: 4"),
        (r"d", r"(C)"),
        (r"A(0,1)", r"A"),
        (r"A=B", r"B"),
        (r"A=B", r"A"),
        (r"5", r"A: 4"),
        (r"c", r"C"),
        (r"\text{D. Both A and C}", r"\text{D. Both A and B}"),
        (r"\text{D. A or B}", r"D"),
        (r"\text{D. both}", r"D"),
        (r"\text{D. Both A and B}", r"A"),
        (r"(A),5", r"5"),
    ],
    "letters that are rejected": [
        (r"\text{B) fails}", r"B"),
        (r"\text{B) is refuted}", r"B"),
        (r"\text{B. was scratched}", r"B"),
        (r"\text{B) struck}", r"B"),
        (r"(A) contradiction", r"A"),
        (r"A: contradiction", r"A"),
    ],
    "yes and no": [
        (r"\text{no, it is true}", r"No"),
        (r"\text{yes, but no}", r"\text{Yes}"),
        (r"\text{no, maybe}", r"No"),
        (r"\text{Yes, wrong}", r"Yes"),
        (r"\text{Yes, sometimes}", r"Yes"),
        (r"\text{Yes, it is impossible}", "Yes"),
        (r"\text{Yes, it is sometimes}", "Yes"),
        (r"\text{No, it is continuous}", "No"),
        (r"\text{Yes, it is open}", r"\text{Yes, it is closed}"),
        (r"\text{Yes, it doesn't}", r"Yes"),
        (r"\text{Yes, when }n=2", r"Yes"),
        (r"\text{No, it works}", r"No"),
        (r"\text{No, always}", r"No"),
        (r"\text{Yes}, x=5", r"\text{Yes}, x=6"),
        (r"\text{Yes}, x=5", r"\text{Yes}"),
        (r"\text{No, exactly two}", r"\text{No, exactly three}"),
    ],
    "signs between two numbers": [
        (r"<", r">"),
        (r"\ge", r">"),
        (r"5", r">"),
        (r"=", r"\ne"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
