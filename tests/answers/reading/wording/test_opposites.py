"""Words beside equal numbers: which say that two answers speak of different things, and which do not matter."""

from __future__ import annotations

import pytest
from answer_pairs import rows

from grpo_rewards.answers import compare

SAME = {
    "said of one only": [
        (r"5\text{ km north}", r"5\text{ km}"),
        (r"5\text{ cm wide}", "5"),
        (r"5\text{ cups of flour}", r"5\text{ cups}"),
        (r"5\text{ km north of home}", r"5\text{ km north}"),
        (r"\text{The area is }5", "5"),
    ],
    "nothing that can be contradicted": [
        (r"5\text{ apples left}", r"5\text{ apples in total}"),
        (r"5\text{ pages a day}", r"5\text{ pages per day}"),
        (r"\$5", r"5\text{ dollars}"),
    ],
    "one thing in two wordings": [
        (r"\text{the minimum value is }5", r"\text{minimum: }5"),
        (r"\text{the largest area is }5", r"\text{maximum: }5"),
        (r"\text{The answer is }5", r"\text{the area is }5"),
        (r"\text{x is }5", "x=5"),
    ],
}
OTHER = {
    "announced of other things": [
        (r"\text{maximum: }5", r"\text{minimum: }5"),
        (r"\text{the maximum area is }5", r"\text{the minimum area is }5"),
        (r"\text{The area is }5", r"\text{The perimeter is }5"),
        (r"\text{Sum: }5", r"\text{Product: }5"),
        (r"\text{x is }5", r"\text{y is }5"),
        (r"\text{x is }5", "y=5"),
    ],
    "said of other things": [
        (r"5\text{ km north}", r"5\text{ km east}"),
        (r"5\text{ cm wide}", r"5\text{ cm long}"),
        (r"5\text{ km from home}", r"5\text{ km from school}"),
        (r"5\%\text{ of A}", r"5\%\text{ of B}"),
        (r"5\text{ dollars a day}", r"5\text{ dollars a month}"),
        (r"30^\circ\text{ north of east}", r"30^\circ\text{ east of north}"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(SAME))
def test_words_that_contradict_nothing_do_not_matter(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == compare(answer, prediction).outcome == "correct"


@pytest.mark.parametrize(("prediction", "answer"), rows(OTHER))
def test_equal_numbers_of_different_things_differ(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
    assert compare(answer, prediction).outcome != "correct"
