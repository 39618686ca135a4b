"""Overlap of words and of code, with numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

import grpo_rewards as gr
from grpo_rewards.testing import assert_linear


@pytest.mark.parametrize(
    ("said", "gold", "points"),
    [
        ("The cat sat.", "the cat sat", 1),
        ("cat the", "the cat", 0.5),  # one of two words in order on both sides
        ("the cat sat down here", "the cat", 2 * 2 / (5 + 2)),
        ("dog", "the cat", 0),
        ("我不知道答案", "我知道", 2 * 3 / (6 + 3)),
        ("हिन्दी भाषा", "हिन्दी", 2 * 1 / (2 + 1)),
        ("CAFÉ", "cafe\u0301", 1),
        ("<answer>Paris</answer> or London", "Paris", 1),
        ("<think>London</think>Paris", ["Rome", "paris"], 1),
        ("the the the the", "the cat", 2 * 1 / (4 + 2)),
    ],
)
def test_rouge_l(said: str, gold: Any, points: float) -> None:
    assert gr.rouge_l.score(said, answer=gold) == pytest.approx(points)


def test_beta_says_how_much_the_golds_words_count() -> None:
    said, gold = "the cat sat down", "the cat"  # p = 1/2, r = 1
    assert gr.rouge_l.bind(beta=0.0).score(said, answer=gold) == 0.5
    assert gr.rouge_l.bind(beta=2.0).score(said, answer=gold) == pytest.approx(5 * 0.5 / (1 + 4 * 0.5))
    with pytest.raises(gr.RewardError, match="beta"):
        gr.rouge_l.bind(beta=-1.0)


@pytest.mark.parametrize(
    ("said", "gold", "points"),
    [
        ("```python\nreturn x\n```", "return   x", 1),
        ("```python\nreturn x  # 'the' x\n```", "return x", 1),
        ("```c\nreturn x; // the x\n/* and\n more */\n```", "return x;", 1),
        ("```sql\nselect 1 -- one\n```", "select 1", 1),
        ("```python\nx = '# no comment'\n```", "x = '# no comment'", 1),
        ("```\nreturn x # y\n```", "return x", 2 * 2 / (4 + 2)),  # an unknown language: a comment is code
        ("```python\nold\n```\nBetter:\n```python\nreturn x\n```\nDone.", "return x", 1),
        ("return x", "```python\nreturn x\n```", 1),
        (
            "```python\na b\n```",
            "a b\n#define c d\n",
            2 * 2 / (2 + 6),
        ),  # the completion's fence does not say what is gold
        ("```c\na b\n```", "```python\na b # c d\n```", 1),
        ("```python\nreturn y\n```", ["nothing", "return x"], 0.5),
        ("<think>```python\nreturn x\n```</think>```python\npass\n```", "return x", 0),
    ],
)
def test_code_overlap(said: str, gold: Any, points: float) -> None:
    assert gr.code_overlap.score(said, answer=gold) == pytest.approx(points)


def test_the_language_can_be_bound() -> None:
    assert gr.code_overlap.bind(language="python").score("return x # y", answer="return x # z") == 1
    with pytest.raises(gr.RewardError, match="language"):
        gr.code_overlap.bind(language="no word")


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


@pytest.mark.parametrize("piece", ["'", '"', "\\", '"\\', "'\\", "/*", "/* *", "`a", "a ", "1.", "我"])
@pytest.mark.parametrize("around", ["", "```c\n", "```python\n"])
def test_texts_are_compared_in_linear_time(piece: str, around: str) -> None:
    def score(text: str) -> None:
        gr.rouge_l.score(text, answer="a b c")
        gr.code_overlap.score(text, answer="a b c")

    end = "\n```" if around else ""
    assert_linear(score, lambda size: around + piece * (size // len(piece)) + end, 190_000, piece)


@pytest.mark.parametrize("beta", [1e200, 1e7, -0.5, float("nan"), float("inf")])
def test_a_beta_that_cannot_be_computed_is_refused_at_once(beta: float) -> None:
    with pytest.raises(gr.RewardError, match="beta"):
        gr.rouge_l.bind(beta=beta)


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
