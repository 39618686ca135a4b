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


ORDINALS = [
    (r"3\text{rd}", "3"),
    (r"22^{\text{nd}}", "22"),
    (r"21\text{st}", "21"),
    ("100^{th}", "100"),
    (r"11^{\text{th}}", "11"),
    (r"13\text{th}", "13"),
    (r"112\text{th}", "112"),
    (r"42\text{nd}", "42"),
]
NO_ORDINALS = [
    (r"2\text{th}", "2"),
    (r"5\text{th root}", "5"),
    (r"11\text{st}", "11"),
    (r"12\text{nd}", "12"),
    (r"5\text{th of } 20", "5"),
    (r"5^{\text{th}}\text{ root of }32", "5"),
]


@each_row("prediction, answer", ORDINALS)
def test_an_ordinal_answers_its_number(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@each_row("prediction, answer", NO_ORDINALS)
def test_a_wrong_ending_or_more_words_do_not(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"


REPEATING = [
    (r"0.\overline{142857}", r"\frac17"),
    (r"0.\dot{1}4285\dot{7}", r"\frac17"),
    (r"0.\dot{1}\dot{2}", r"\frac{4}{33}"),
    (r"1.2\bar{3}", r"\frac{37}{30}"),
    (r"0.\bar{3}", r"\frac13"),
    (r"0.\overline{27}", r"\frac{3}{11}"),
    (r"-0.\bar{6}", r"-\frac23"),
    (r"3.\dot{4}", r"\frac{31}{9}"),
]
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
