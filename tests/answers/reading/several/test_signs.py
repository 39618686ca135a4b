"""Plus-minus as two answers, also in equations."""

from answer_pairs import assert_equal, rows
from tables import each_row

from grpo_rewards.answers import compare

EQUAL = {
    "both": [
        (r"\pm5", r"5,-5"),
        (r"x=\frac{1\pm\sqrt5}{2}", r"\frac{1+\sqrt5}2,\frac{1-\sqrt5}2"),
        (r"4x\pm3y=0", r"4x+3y=0, 4x-3y=0"),
        (r"y=\pm x", r"x\pm y=0"),
    ],
}
DIFFERENT = {
    "one": [
        (r"\pm5", r"5"),
        (r"5", r"\pm5"),
        (r"4x\pm3y=0", r"4x+3y=0"),
        (r"y=\pm2x", r"x\pm y=0"),
    ],
}


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
