"""Which option a response chooses, and that a hedge chooses none."""

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


def reason(reward, text, **given):
    verdict = reward.explain(text, **given)
    assert verdict.reason in reward.reasons
    return verdict.reason


CITIES = ["Paris", "Rome", r"$\frac{1}{2}$", "4 km"]


@each_row("text, said", TABLES["multiple_choice_with_the_options_known"])
def test_multiple_choice_with_the_options_known(text, said):
    assert reason(gr.multiple_choice, text, answer="B", choices=CITIES) == said


@each_row("gold", ["B", "(B)", "b", 1, "Rome", r"\text{B}", "B."])
def test_the_gold_of_a_choice_has_many_forms(gold):
    assert gr.multiple_choice.score(r"\boxed{B}", answer=gold, choices=CITIES) == 1.0
    assert gr.multiple_choice.score(r"\boxed{C}", answer=gold, choices=CITIES) == 0.0


@each_row("gold", ["E", "London", 4, -1, None, "", True])
def test_a_gold_that_is_no_option_is_the_rows_fault(gold):
    assert reason(gr.multiple_choice, r"\boxed{B}", answer=gold, choices=CITIES) == "bad_answer"


@each_row("text", [f"<answer>{one}</answer>" for one in "İıſ\u212a"])  # in no case letters of ASCII
def test_a_letter_is_one_of_ascii(text):
    assert gr.multiple_choice.explain(text, answer="B").reason == "no_choice"


TOWNS = ["Paris", "Rome", "Oslo", "Bern"]


@each_row("text", TABLES["a_hedge_chooses_nothing"])
def test_a_hedge_chooses_nothing(text):
    assert gr.multiple_choice.score(text, answer="B", choices=TOWNS) == 0.0


@each_row("text", TABLES["a_choice_in_a_sentence_is_one"])
def test_a_choice_in_a_sentence_is_one(text):
    assert gr.multiple_choice.score(text, answer="B", choices=TOWNS) == 1.0
    assert gr.multiple_choice.score(text, answer="C", choices=TOWNS) == 0.0


def test_a_letter_may_occur_in_the_text_of_its_option():
    given = {"answer": "B", "choices": ["Vitamin A", "Vitamin C"]}
    assert [gr.multiple_choice.score(text, **given) for text in ("B) Vitamin C", "B) Vitamin A")] == [1.0, 0.0]
