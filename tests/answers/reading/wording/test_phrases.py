"""What stands around an answer and is none of it."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "spelling": [
        (r"\text{Answer: }5", "5"),
        (r"\text{The answer is } 14", "14"),
        (r"\text{Option A}", "A"),
        (r"\langle 1,2\rangle", "(1,2)"),
        (r"\{\}", r"\emptyset"),
        (r"\text{Therefore, } x = 5", "5"),
        (r"\text{There are } 5 \text{ solutions}", "5"),
        (r"\text{Answer} = 5", "5"),
        (r"\boldsymbol{2^n}", "2^n"),
        (r"-(2/3)", r"-\frac23"),
        (r"\text{C. Paris}", "C"),
        ("C", r"\text{(C) } 5"),
        (r"\text{all real numbers}", r"\mathbb{R}"),
        ("YES", r"\text{Yes}"),
        (r"\color{red}{4}", "4"),
        (r"\text{(C) } 5", "C"),
        ("D. 5", "D"),
        ("(1;2)", "(1,2)"),
        ("<1,2,3>", "(1,2,3)"),
        ("(2516)_8", "2516_8"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@pytest.mark.parametrize(
    "prediction",
    [
        r"(C) \text{ is wrong}",
        r"(C) 5 \text{ or B}",
        r"\text{C) or E)}",
        r"(C)\ \text{option D}",
        r"\text{C) } 5 \text{ or D) } 6",
        r"C. \text{ I don't know}",
        "(C)(b)",
        "C, D",
    ],
)
def test_a_choice_with_another_one_is_no_choice(prediction):
    assert compare(prediction, "C").outcome != "correct"
