"""Overlap of words and of code, with numbers worked out by hand."""

from typing import Any

import pytest

import grpo_rewards as gr


def test_beta_says_how_much_the_golds_words_count() -> None:
    said, gold = "the cat sat down", "the cat"  # p = 1/2, r = 1
    assert gr.rouge_l.bind(beta=0.0).score(said, answer=gold) == 0.5
    assert gr.rouge_l.bind(beta=2.0).score(said, answer=gold) == pytest.approx(5 * 0.5 / (1 + 4 * 0.5))


def test_the_language_can_be_bound() -> None:
    assert gr.code_overlap.bind(language="python").score("return x # y", answer="return x # z") == 1


@pytest.mark.parametrize("reward", [gr.rouge_l, gr.code_overlap], ids=lambda reward: reward.name)
def test_reasons(reward: gr.Reward) -> None:
    for said, gold, outcome in [
        ("a b", "a b", (1.0, "correct")),
        ("a c", "a b", (0.5, "partly")),
        ("c", "a b", (0.0, "wrong")),
        (" ", "a b", (0.0, "no_answer")),
        ("a " * 10_001, "a b", (0.0, "too_large")),
        ("a" * 200_001, "a b", (0.0, "too_large")),
        ("<think>a b", "a b", (0.0, "unfinished_thinking")),
        ("a b", None, (None, "bad_answer")),
        ("a b", 4, (None, "bad_answer")),
        ("a b", " ", (None, "bad_answer")),
        ("a b", "a " * 10_001, (None, "bad_answer")),
    ]:
        assert reward.explain(said, answer=gold)[:2] == outcome


def test_the_largest_beta_is_computed() -> None:
    assert gr.rouge_l.bind(beta=1e6).score("a b", answer="a c d e") == pytest.approx(0.25)


@pytest.mark.parametrize(
    "gold", [{"text": ["a b"], "answer_start": [0]}, {"value": "a b", "aliases": []}, ["x", "a b"]]
)
def test_golds_are_records_and_lists(gold: Any) -> None:
    assert gr.rouge_l.score("a b", answer=gold) == gr.code_overlap.score("a b", answer=gold) == 1


def test_small_digits_do_not_run_into_a_number() -> None:
    assert gr.rouge_l.score("102 1/2", answer="10² 1½") < 1
    assert gr.rouge_l.score("10^2", answer="10²") == 1
