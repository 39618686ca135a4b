"""Lists with units beside bare ones, ratios with roots, and answers that say that there is nothing."""

from answer_pairs import assert_equal, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

EQUAL = TABLES["equal"]
DIFFERENT = {
    "lists with units": [
        (r"2\text{ apples},3\text{ oranges}", "3,2"),
        ("60,5", r"5\text{ cm},60^\circ"),
        (r"3\text{ m/s},4\text{ s}", "4,3"),
        (r"\$5\text{ and }6\%", "6,5"),
    ],
    "ratios": [(r"1:\sqrt3:2", r"\sqrt3:1:2"), ("a:b", "b:a"), ("0:1", "0:2:1")],
    "nothing": [(r"\text{diverges}", r"\text{converges}"), (r"\text{none}", "0"), (r"\text{none}", r"\text{all}")],
}


@each_row("prediction, answer", rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@each_row("prediction, answer", rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
