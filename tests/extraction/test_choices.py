"""Which option a text chooses: rows of many kinds and languages, and that what the rule does not name is no choice."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)
CITIES = ["Paris", "Rome", "Madrid", "Vienna"]


@each_row("text, gold, choices", TABLES["is_found"])
def test_a_choice_is_found(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", TABLES["earns_nothing"])
def test_what_does_not_choose_earns_nothing(text, gold, choices):
    assert_unpaid(text, gold, choices)


@each_row(
    "text, gold",
    [
        ("(A) is in France, (B) in Italy and (C) in Spain.\nThe answer is (C).", "C"),
        ("Rome is a city. Madrid might fit, and so might Paris. The answer is (B).", "B"),
        ("The answer is (B).\n\nQuestion: What is the capital of Spain?\nThe answer is (C).", "B"),
    ],
)
def test_an_announcement_stands_whatever_was_discussed_before_or_is_run_on(text, gold):
    assert_chosen(text, gold, CITIES)


@each_row(
    "text",
    ["The answer is (B) Rome or (C) Madrid", "B, although it might equally be C", "I choose B and you choose C."],
)
def test_two_candidates_are_none(text):
    for gold in "BC":
        assert_unpaid(text, gold, CITIES)


@each_row(
    "text, gold",
    [
        ("The capital of Italy is Rome.", "B"),
        ("Of the four, the one on the Tiber is Rome (B).", "B"),
        ("Paris (A) lies on the Seine, and on the Tiber lies Rome (B). Would you like to know more?", ""),
        ("The Tiber flows through Rome (B). I hope that helps!", "B"),
        ("Paris is in France.", ""),
        ("Rome was not built in a day.", ""),
        ("I like Madrid.", ""),
        ("Paris is large. The capital of Italy is Rome.", ""),
        ("The capital of Italy is Rome, as everybody knows.", ""),
        ("The capital of Italy is Rome. It lies on the Tiber.", ""),
    ],
)
def test_a_text_that_announces_nothing_may_end_in_the_only_option_that_it_names(text, gold):
    for letter in "ABC":
        assert gr.multiple_choice.score(text, answer=letter, choices=CITIES) == (letter == gold)
