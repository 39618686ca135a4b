"""The contract that every reward keeps, clause by clause, and what these two earn."""

import plain_speech
import pytest


@pytest.mark.grpo_rewards("plain_speech.short_sentences(words=20)", "plain_speech.no_hedging")
def test_contract(reward_clause):
    reward_clause()


@pytest.mark.parametrize(
    ("completion", "share"),
    # the second of the two sentences has four words; a text without words has no sentence
    [("It is four.", 1.0), ("It is four. So says Euclid himself.", 0.5), ("...", 0.0), ("", 0.0)],
)
def test_the_share_of_short_sentences(completion, share):
    assert plain_speech.short_sentences.bind(words=3).score(completion) == share


@pytest.mark.parametrize(
    ("completion", "is_certain", "points"),
    [("It is 4.", True, 1.0), ("Maybe 4.", True, 0.0), ("Maybe 4.", False, 1.0), ("", True, 0.0), ("4", None, None)],
)
def test_a_hedge_is_rewarded_where_it_is_right(completion, is_certain, points):
    assert plain_speech.no_hedging.score(completion, is_certain=is_certain) == points
