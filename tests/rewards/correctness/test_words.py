"""Answers that are compared word for word: which punctuation counts, and which does not."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("text, gold, match, f1", TABLES["texts_are_compared_word_for_word"])
def test_texts_are_compared_word_for_word(text, gold, match, f1):
    assert gr.exact_match.score(text, answer=gold) == match
    found = gr.token_f1.score(text, answer=gold)
    assert found == (None if f1 is None else pytest.approx(f1))


@each_row("said, gold", TABLES["punctuation_that_belongs_to_a_number_counts"])
def test_punctuation_that_belongs_to_a_number_counts(said, gold):
    assert gr.exact_match.score(said, answer=gold) == gr.token_f1.score(said, answer=gold) == 0.0
    assert gr.exact_match.score(said, answer=said) == gr.token_f1.score(said, answer=said) == 1.0


UK = {"value": "UK", "aliases": ["Great Britain"], "normalized_aliases": ["great britain"], "type": "WikipediaEntity"}
BRONCOS = {"text": ["Denver Broncos", "Broncos"], "answer_start": [177, 184]}


@each_row(
    "text, gold, points",
    [
        *TABLES["golds_of_many_kinds_are_met_word_for_word"],
        ("great britain", UK, 1.0),
        ("WikipediaEntity", UK, 0.0),
        ("the Broncos", BRONCOS, 1.0),
        ("177", BRONCOS, 0.0),
        ("Denver Broncos Broncos", BRONCOS, 0.0),
        ("None", [None, "x"], 0.0),
    ],
)
def test_golds_of_many_kinds_are_met_word_for_word(text, gold, points):
    assert gr.exact_match.score(text, answer=gold) == points
    assert (gr.token_f1.score(text, answer=gold) == 1.0) == (points == 1.0)


def test_the_check_of_golds_reads_them_as_the_reward_does():
    golds = [True, UK, BRONCOS, {"text": []}, {}, float("nan"), None, "", [], {"type": "x"}, "...", 2.5]
    for reward in (gr.exact_match, gr.token_f1):
        assert gr.check_answers(reward, {"answer": golds}) == {reward.name: [3, 4, 5, 6, 7, 8, 9, 10]}


@each_row("said, gold, same", TABLES["no_spelling_turns_one_number_into_another"])
def test_no_spelling_turns_one_number_into_another(said: str, gold: str, same: bool) -> None:
    assert gr.exact_match.score(f"<answer>{said}</answer>", answer=gold) == same
    assert gr.exact_match.score(f"<answer>{gold}</answer>", answer=said) == same


@each_row("said, gold", TABLES["a_sign_beside_a_formula_counts"])
def test_a_sign_beside_a_formula_counts(said: str, gold: str) -> None:
    for one, other in ((said, gold), (gold, said)):
        assert gr.exact_match.score(f"<answer>{one}</answer>", answer=other) == 0.0
        assert gr.token_f1.score(f"<answer>{one}</answer>", answer=other) < 1.0
        assert gr.exact_match.score(f"<answer>{one}</answer>", answer=one) == 1.0


@each_row("said, gold", [*TABLES["all_other_punctuation_does_not"], *TABLES["signs_beside_words_do_not"]])
def test_other_punctuation_and_signs_beside_words_do_not(said: str, gold: str) -> None:
    for one, other in ((said, gold), (gold, said)):
        assert gr.exact_match.score(f"<answer>{one}</answer>", answer=other) == 1.0
        assert gr.token_f1.score(f"<answer>{one}</answer>", answer=other) == 1.0


@each_row("said, gold", [("5", ".5"), ("0.05", ".5"), ("v5", "v.5"), ("1.5", "1..5")])
def test_a_point_before_a_digit_is_no_other_number(said: str, gold: str) -> None:
    assert gr.exact_match.score(f"<answer>{said}</answer>", answer=gold) == (said == "v5")
