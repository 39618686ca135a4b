"""Whether a recipe's default teaches what it pays for: three seeds of each, and a run that a coin pays.

A recipe is one row of ``LEAST_AFTER``. These runs take minutes; CI has one seed of each in its stage of recipes.
"""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from coin_control import COIN, GOLD_REWARDS
from places import RECIPES

ENVIRONMENT = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
# the least share of held-out samples that must be right after training
LEAST_AFTER = {"competition_math": 0.65, "countdown": 0.20, "gsm8k": 0.90}


def sampled(name, gold_reward, folder, *arguments):
    """The held-out sampled share of right answers before and after a run, each with its interval."""
    command = [sys.executable, str(RECIPES / f"{name}.py"), "--output_dir", "run", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr[-3000:]
    results = json.loads((folder / "run" / "eval.json").read_text())
    shares = [results[when]["sampled"][gold_reward] for when in ("before", "after")]
    return [(share["mean"], share["interval"]) for share in shares]


@pytest.mark.full
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", LEAST_AFTER)
def test_the_default_answers_more_held_out_problems_after_training(name, seed, tmp_path):
    gold_reward = GOLD_REWARDS[name]
    (before, (_, most_before)), (after, (least_after, _)) = sampled(name, gold_reward, tmp_path, "--seed", seed)
    assert most_before < least_after, (before, after)
    assert after >= LEAST_AFTER[name]


@pytest.mark.full
@pytest.mark.parametrize("name", LEAST_AFTER)
def test_a_coin_in_the_rewards_place_teaches_nothing(name, tmp_path):
    (tmp_path / "tossed.py").write_text(COIN)
    gold_reward = GOLD_REWARDS[name]
    rewards = ["--reward_funcs", "tossed.coin", gold_reward, "--reward_weights", 1, 0]
    (before, (_, most_before)), (after, _) = sampled(name, gold_reward, tmp_path, "--seed", 1, *rewards)
    assert after <= most_before, (before, after)
