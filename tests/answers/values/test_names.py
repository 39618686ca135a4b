"""Names of segments and angles from either end, of numbered values, and of what bounds one coordinate of a point."""

from answer_pairs import assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
DIFFERENT = {
    "segments and angles": [
        ("AB=5", "BC=5"),
        (r"\angle ABC", r"\angle BCA"),
        (r"\angle CAB=30^\circ", r"\angle ABC=30^\circ"),
        (r"\triangle ABC\cong\triangle DEF", r"\triangle CBA\cong\triangle DEF"),
        (r"\overrightarrow{AB}=(1,2)", r"\overrightarrow{BA}=(1,2)"),
    ],
    "numbered": [("a_2=2,a_1=3", "2,3"), ("f(3)=6,f(2)=5", "6,5")],
    "points": [("1<x<2", "x=1,y=2"), ("x=1,y=2", "1<x<2")],
}


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
