"""Lines and multiples of vectors are tuples; points with a name and other lines are not."""

from answer_pairs import assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
DIFFERENT = {
    "other lines": [
        (r"(1,0,2)+t(1,-1,3)", r"(1+t,t,2+3t)"),
        (r"(1,2)+(1,2,3)", r"(2,4,3)"),
        (r"2(1,2)", r"(2,2)"),
    ],
    "no vectors": [
        (r"A(1,2)", r"A"),
        (r"f(1,2)", r"(1,2)"),
    ],
}


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
