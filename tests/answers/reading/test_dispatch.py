"""Which kind of answer a text is: a list, a set, an interval, a choice, words, a time, a number of another base."""

import pytest
from answer_pairs import assert_different, assert_equal, assert_equal_both_ways, rows

from grpo_rewards.answers import compare

KINDS = [
    # tuples, sets, lists, intervals
    ("(15,-29)", "(15, -29)"),
    ("(0.6, 8/3]", r"\left(\frac{3}{5},\frac{8}{3}\right]"),
    (r"\{2,1\}", r"\{1, 2\}"),
    (r"\{1, 1.0, 2\}", r"\{1,2\}"),
    ("7500, 2500", "2500,7500"),
    (r"2500 \text{ and } 7500", "2500, 7500"),
    ("7500 or 2500", "2500, 7500"),
    (r"\{2500, 7500\}", "2500,7500"),
    (r"\pm 5", "-5, 5"),
    (r"(2,\infty) \cup (-\infty,-4)", r"(-\infty,-4)\cup(2,+\infty)"),
    ("(5)", "5"),
    # letters, words, times, bases
    ("C.", "C"),
    (r"\text{(B)}", "B"),
    ("(B)", r"\textbf{B}"),
    ("ellipse", r"\text{Ellipse.}"),
    (r"\text{4:30 p.m.}", r"4:30 \text{ p.m.}"),
    ("4:30 PM", r"4:30 \text{ p.m.}"),
    ("52_{8}", "52_8"),
    (r"2^{100000}", r"2^{100000}"),
    (r"\infty", r"+\infty"),
]
OTHERS = [
    ("180 - (40 + 40)", "180"),  # a difference of numbers, not of sets
    ("5 - (3)", "5"),
    (r"\pm 5", "5"),
    ("5 or 6", "5"),
    ("5, 6", "5"),
    ("5;6", "5"),
    ("5,5,5", "5"),
    ("2516_9", "2516_8"),
    ("(1,2)", r"\{1,2\}"),
    ("(1,2)", "[1,2]"),
    ("(2,1)", "(1,2)"),
    ("(1,2,3)", "(1,2)"),
    ("(1)", "(1,2)"),
    (r"\{1\}", r"\{1,2\}"),
    (r"(-\infty,-4)", r"(-\infty,-4) \cup (2,\infty)"),
    (r"\text{east}", "5"),
    (r"\text{seat}", r"\text{east}"),
    (r"\text{not ellipse}", r"\text{ellipse}"),
    ("A", "B"),
    ("C, A", "C"),
    ("1:00", "12:00"),
    (r"-\infty", r"\infty"),
]
EITHER_SIGN = {
    "plus-minus": [
        (r"3+2\sqrt2,3-2\sqrt2", r"3\pm2\sqrt2"),
        (r"x=\frac{-1\pm\sqrt{13}}4", r"\frac{-1+\sqrt{13}}4,\frac{-1-\sqrt{13}}4"),
        (r"\{\pm1,\pm2\}", "1,-1,2,-2"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), KINDS)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), OTHERS)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(EITHER_SIGN))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@pytest.mark.parametrize(
    ("prediction", "answer", "outcome"),
    [
        (r"\text{CO}", r"\text{Co}", "wrong"),  # carbon monoxide, cobalt
        (r"\text{CoS}", r"\text{COS}", "wrong"),
        (r"\text{YES}", r"\text{Yes}", "correct"),
        (r"\text{no}", r"\text{No}", "correct"),
        (r"\text{Red}", r"\text{red}", "correct"),
    ],
)
def test_capitals_matter_in_short_words_that_may_be_symbols(prediction, answer, outcome):
    assert compare(prediction, answer).outcome == outcome
