"""What repetition costs, by tokens and by characters."""

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


PROSE = "First we expand the product, then we collect terms in x and compare coefficients with the right side."


@each_row("text", ["wait" * 500, "wait\u200b wait" * 500, "我们等等" * 400, "so so " * 400])
def test_repetition_by_characters_sees_text_without_words(text):
    assert gr.repetition.score(text) < -0.9


def test_repetition_spares_prose_and_padding_does_not_help():
    assert gr.repetition.score(PROSE) > -0.1
    assert gr.repetition.score("wait " * 99 + "\u200b " * 999) <= gr.repetition.score("wait " * 99)


@pytest.mark.parametrize(
    ("bind", "says"),
    [
        (lambda: gr.repetition.bind(ngram=0), "must be 1 to 20"),
        (lambda: gr.repetition.bind(max_penalty=0.5), "at most 0"),
    ],
)
def test_bad_options_are_refused_when_they_are_bound(bind, says):
    with pytest.raises(gr.RewardError, match=says):
        bind()
