"""Which option a text chooses: rows of many kinds and languages, and that what the rule does not name is no choice."""

from typing import Any

from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)
CITIES = ["Paris", "Rome", "Madrid", "Vienna"]
TOWNS = ["Paris", "Rome", "Oslo", "Bern"]
OF_ALL_KINDS = ["Paris", "Rome", r"$\frac{1}{2}$", "4 km"]


def reason(text: str, gold: Any, choices: Any = None) -> str:
    verdict = gr.multiple_choice.explain(text, answer=gold, choices=choices)
    assert verdict.reason in gr.multiple_choice.reasons
    return verdict.reason


def points(text: str, gold: Any, choices: Any = None) -> float | None:
    return gr.multiple_choice.score(text, answer=gold, choices=choices)


@each_row("text, gold, choices", [*TABLES["is_found"], *TABLES["marked"]])
def test_a_choice_is_found(text, gold, choices):
    assert reason(text, gold, choices) == "correct"


@each_row("text, gold, choices", [*TABLES["earns_nothing"], *TABLES["marked_without_a_choice"]])
def test_what_does_not_choose_earns_nothing(text, gold, choices):
    assert points(text, gold, choices) == 0.0


@each_row(
    "text, gold",
    [
        ("(A) is in France, (B) in Italy and (C) in Spain.\nThe answer is (C).", "C"),
        ("Rome is a city. Madrid might fit, and so might Paris. The answer is (B).", "B"),
        ("The answer is (B).\n\nQuestion: What is the capital of Spain?\nThe answer is (C).", "B"),
    ],
)
def test_an_announcement_stands_whatever_was_discussed_before_or_is_run_on(text, gold):
    assert reason(text, gold, CITIES) == "correct"


@each_row(
    "text",
    ["The answer is (B) Rome or (C) Madrid", "B, although it might equally be C", "I choose B and you choose C."],
)
def test_two_candidates_are_none(text):
    for gold in "BC":
        assert points(text, gold, CITIES) == 0.0


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
        assert points(text, letter, CITIES) == (letter == gold)


@each_row("text, said", TABLES["options_known"])
def test_multiple_choice_with_the_options_known(text, said):
    assert reason(text, "B", OF_ALL_KINDS) == said


@each_row("gold", ["B", "(B)", "b", 1, "Rome", r"\text{B}", "B."])
def test_the_gold_of_a_choice_has_many_forms(gold):
    assert points(r"\boxed{B}", gold, OF_ALL_KINDS) == 1.0
    assert points(r"\boxed{C}", gold, OF_ALL_KINDS) == 0.0


@each_row("gold", ["E", "London", 4, -1, None, "", True])
def test_a_gold_that_is_no_option_is_the_rows_fault(gold):
    assert reason(r"\boxed{B}", gold, OF_ALL_KINDS) == "bad_answer"


@each_row("text", [f"<answer>{one}</answer>" for one in "İıſ\u212a"])  # in no case letters of ASCII
def test_a_letter_is_one_of_ascii(text):
    assert reason(text, "B") == "no_choice"


@each_row("text", TABLES["a_hedge_chooses_nothing"])
def test_a_hedge_chooses_nothing(text):
    assert points(text, "B", TOWNS) == 0.0


@each_row("text", TABLES["a_choice_in_a_sentence_is_one"])
def test_a_choice_in_a_sentence_is_one(text):
    assert points(text, "B", TOWNS) == 1.0
    assert points(text, "C", TOWNS) == 0.0


def test_a_letter_may_occur_in_the_text_of_its_option():
    vitamins = ["Vitamin A", "Vitamin C"]
    assert [points(text, "B", vitamins) for text in ("B) Vitamin C", "B) Vitamin A")] == [1.0, 0.0]
