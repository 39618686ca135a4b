"""Whether a recipe's default teaches what it pays for: three seeds of each, and a run that a coin pays.

A recipe is one row of ``LEAST_AFTER``. These runs take minutes; CI has one seed of each in its stage of recipes.
"""

import pytest
from learnt_recipes import A_COIN, learnt

# the least share of held-out samples that must be right after training
LEAST_AFTER = {"competition_math": 0.65, "countdown": 0.20, "gsm8k": 0.90}


@pytest.mark.full
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", LEAST_AFTER)
def test_the_default_answers_more_held_out_problems_after_training(name, seed):
    run = learnt(name, seed)
    before, after = run.share("before"), run.share("after")
    assert before["interval"][1] < after["interval"][0], (before, after)
    assert after["mean"] >= LEAST_AFTER[name]


@pytest.mark.full
@pytest.mark.parametrize("name", LEAST_AFTER)
def test_a_coin_in_the_rewards_place_teaches_nothing(name):
    run = learnt(name, A_COIN)
    before, after = run.share("before"), run.share("after")
    assert after["mean"] <= before["interval"][1], (before, after)
