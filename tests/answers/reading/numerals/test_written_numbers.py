"""Numbers as they are written: fractions, decimals, thousands, powers of ten, digits that go on."""

import pytest
from answer_pairs import assert_different, assert_equal, assert_equal_both_ways, rows
from tables import each_row, tables_beside

from grpo_rewards.answers import compare

TABLES = tables_beside(__file__)

NUMBERS = TABLES["numbers"]
OTHER_NUMBERS = TABLES["other_numbers"]
GOING_ON = {
    "digits that go on": [("0.333...", r"\frac13"), (r"0.\dot{3}", r"\frac13"), (r"1.1666\ldots", r"\frac76")],
}


@each_row("prediction, answer", NUMBERS)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@each_row("prediction, answer", OTHER_NUMBERS)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(GOING_ON))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@each_row("answer", [72, 72.0, "72", "#### 72", "$72$"])
def test_whole_numbers_arrive_as_any_type(answer):
    assert compare("72", answer).outcome == "correct"


ORDINALS = TABLES["ordinals"]
NO_ORDINALS = TABLES["no_ordinals"]


@each_row("prediction, answer", ORDINALS)
def test_an_ordinal_answers_its_number(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", NO_ORDINALS)
def test_a_wrong_ending_or_more_words_do_not(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"


REPEATING = TABLES["repeating"]
CUT_OFF = [
    (r"0.1\bar{6}", "0.16"),
    (r"0.\dot{1}4285\dot{7}", "0.142857"),
    (r"3.\dot{4}", "3.4"),
    (r"0.\overline{27}", "0.27"),
]


@each_row("prediction, answer", REPEATING)
def test_digits_under_a_bar_or_dots_repeat(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", CUT_OFF)
def test_they_are_not_cut_off(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
