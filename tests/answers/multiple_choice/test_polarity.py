"""Statements of which every word is known, in many languages and orders: they say yes, or by two denials yes, or no."""

from choosing_texts import assert_chosen, assert_unpaid
from grpo_rewards.answers.multiple_choice.vocabulary import folded_words, meaning_of
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

CHOOSES_B = TABLES["chooses_b"]
DOES_NOT_CHOOSE_B = TABLES["does_not_choose_b"]


@each_row("text", CHOOSES_B)
def test_b_is_chosen(text):
    assert_chosen(text, "B")
    assert_unpaid(text, "A")


@each_row("text", DOES_NOT_CHOOSE_B)
def test_b_is_not_chosen(text):
    assert_unpaid(text, "B")


@each_row("word, meaning", TABLES["a_word_is_known_without_accents_and_by_its_stem"])
def test_a_word_is_known_without_accents_and_by_its_stem(word, meaning):
    assert meaning_of(folded_words(word)) == meaning
