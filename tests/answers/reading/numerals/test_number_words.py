"""Numbers and dates in words; what only looks like one."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "numbers": [
        (r"seven", r"7"),
        (r"twenty-one", r"21"),
        (r"one hundred and five", r"105"),
        (r"three marbles", r"3"),
        (r"two thousand", r"2000"),
        (r"\text{nineteen apples}", r"19"),
    ],
    "dates": [
        (r"15 March", r"March 15"),
        (r"March 15, 2024", r"2024-03-15"),
        (r"Feb 29, 2024", r"2024-02-29"),
    ],
}
DIFFERENT = {
    "numbers": [
        (r"twenty one hundred two", r"21"),
        (r"five or six", r"5"),
        (r"one third", r"1"),
        (r"seven tenths", r"7"),
        (r"twenty twenty", r"40"),
        (r"not seven", r"7"),
    ],
    "dates": [
        (r"March 16", r"March 15"),
        (r"1993", r"2024-02-29"),
        (r"2024-03-15", r"2024-15-03"),
        (r"March 15, 2023", r"March 15, 2024"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
