"""Sets, intervals in every notation, set-builders, points with a name; what looks like them and is something else."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "French intervals": [
        (r"]2,5]", r"(2,5]"),
        (r"[2;5[", r"[2,5)"),
        (r"]-\infty,2[", r"(-\infty,2)"),
        (r"]-\infty,2[\cup]3,5[", r"(-\infty,2)\cup(3,5)"),
    ],
    "sets without a point": [
        (r"\mathbb{R}\setminus\{0\}", r"x\ne0"),
        (r"\mathbb{R}-\{0\}", r"(-\infty,0)\cup(0,\infty)"),
        (r"x\in\mathbb{R}, x\ne 0", r"\mathbb{R}\setminus\{0\}"),
        (r"\mathbb R \smallsetminus \{0,1\}", r"x\ne0, x\ne1"),
        (r"(-1,1)\setminus\{0\}", r"(-1,0)\cup(0,1)"),
        (r"\{x\in\mathbb{R}\mid x\ne0\}", r"\mathbb{R}\backslash\{0\}"),
    ],
    "set-builders": [
        (r"\{\alpha | \alpha > 2\}", r"(2,\infty)"),
        (r"\{y\mid y>0\}", r"(0,\infty)"),
        (r"x|x>1", r"(1,\infty)"),
        (r"\{x\in\mathbb{Z}\mid 1<x<5\}", r"\{2,3,4\}"),
        (r"\{x\in\mathbb{N}^* : x\le 3\}", r"\{1,2,3\}"),
        (r"\{2n \mid n\in\mathbb{Z}\}", r"2k, k\in\mathbb{Z}"),
    ],
    "points with a name": [
        (r"A(0,1)", r"(0,1)"),
        (r"P = (0,1)", r"P(0,1)"),
        (r"C(10,3)", r"(10,3)"),
    ],
    "one element": [
        (r"\{5\}", r"5"),
    ],
}
DIFFERENT = {
    "sets of sets": [(r"\{\{1\}\}", r"\{1\}"), (r"\{\{1\}\}", r"1")],
    "French intervals": [
        (r"]2,5[", r"[2,5]"),
        (r"]2,5]", r"[2,5)"),
        (r"]5,2[", r"(2,5)"),
    ],
    "sets without a point": [
        (r"\mathbb{R}\setminus\{0\}", r"x\ne1"),
        (r"\mathbb{R}", r"\mathbb{R}\setminus\{0\}"),
        (r"(-1,1)", r"(-1,0)\cup(0,1)"),
    ],
    "set-builders": [
        (r"\{x\in\mathbb{R}\mid 1<x<5\}", r"\{2,3,4\}"),
        (r"\{x\in\mathbb{Z}\mid x>2\}", r"(2,\infty)"),
        (r"x>2, x\in\mathbb{Z}", r"(2,\infty)"),
        (r"\{x\in\mathbb{Z}\mid 1\le x<5\}", r"\{2,3,4\}"),
        (r"x|x<1", r"(1,\infty)"),
    ],
    "points with a name": [
        (r"A(0,1)", r"(1,0)"),
        (r"A(0,1)", r"B(0,1)"),
        (r"C(3,10)", r"(10,3)"),
    ],
    "repeated elements": [
        (r"\{5,5\}", r"5"),
        (r"5\cup5", r"5"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
