"""What repetition costs, by tokens and by characters."""

import random

import pytest
from tables import each_row

import grpo_rewards as gr


def test_repetition_by_token_ids():
    # 5 5 5 5 5 has four bigrams, one of them distinct: -(1 - 1/4)
    bound = gr.repetition.bind(ngram=2)
    assert bound.score("", completion_ids=[5] * 5) == pytest.approx(-0.75)
    assert bound.bind(max_penalty=-2.0).score("", completion_ids=[5] * 5) == pytest.approx(-1.5)
    assert bound.score("", completion_ids=[1, 2, 3, 4]) == 0.0
    assert bound.score("", completion_ids=[1]) == 0.0


@each_row(
    "ids",
    [
        random.Random(1).choices(range(3), k=400),
        [*range(60), *range(30), *range(60)],
        [257, 1, 256, 1] * 40 + [1, 257] * 40,  # alike in their lowest bytes
        [151_643 + one % 7 for one in range(90)],
        [-1, 2**40, -1, 2**40] * 30,  # of no tokenizer
        range(25),
    ],
)
@each_row("ngram", range(1, 21))
def test_the_share_is_that_of_distinct_runs_of_tokens(ids, ngram):
    runs = [tuple(ids[at : at + ngram]) for at in range(len(ids) - ngram + 1)]
    found = gr.repetition.bind(ngram=ngram).score("so", completion_ids=ids)
    assert found == pytest.approx(len(set(runs)) / len(runs) - 1)


PROSE = "First we expand the product, then we collect terms in x and compare coefficients with the right side."


@each_row("text", ["wait" * 500, "wait\u200b wait" * 500, "我们等等" * 400, "so so " * 400])
def test_repetition_by_characters_sees_text_without_words(text):
    assert gr.repetition.score(text) < -0.9


def test_repetition_spares_prose_and_padding_does_not_help():
    assert gr.repetition.score(PROSE) > -0.1
    assert gr.repetition.score("wait " * 99 + "\u200b " * 999) <= gr.repetition.score("wait " * 99)
