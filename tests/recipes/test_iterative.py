"""Iterative GRPO: the reference of a run is the policy after a refresh, and the settings for it are in a recipe."""

import copy

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import gsm8k
import torch
from places import RECIPES
from stopped_recipe import settings
from tiny_trainer import trainer
from torch.testing import assert_close
from training import resume
from transformers import TrainerCallback

from grpo_rewards.loss import refreshed_reference

CONFIG = RECIPES / "configs" / "tiny" / "iterative.yaml"


class Weights(TrainerCallback):
    """Copies the weights of policy and reference at the end of each step, after TRL has refreshed the reference."""

    def __init__(self, reference):
        self.reference = reference
        self.policies, self.references = [], [copy.deepcopy(reference.state_dict())]

    def on_step_end(self, args, state, control, model, **_):
        self.policies.append(copy.deepcopy(model.state_dict()))
        self.references.append(copy.deepcopy(self.reference.state_dict()))


def same(some, other):
    return all(torch.equal(some[name], other[name]) for name in some)


@pytest.mark.parametrize("alpha", [1.0, 0.6])
def test_the_reference_is_the_policy_after_a_refresh_and_not_before(tmp_path, alpha):
    settings = {"beta": 0.1, "learning_rate": 1e-3, "sync_ref_model": True, "ref_model_mixup_alpha": alpha}
    run = trainer(tmp_path, ref_model_sync_steps=2, reward_weights=[0.0, 1.0], **settings)
    run.add_callback(weights := Weights(run.ref_model))
    run.train()
    first, second, third = weights.policies
    old, *references = weights.references
    assert not same(first, old)
    assert same(references[0], old)  # step 1: not yet
    for name, expected in refreshed_reference(second, old, alpha).items():
        assert_close(references[1][name], expected)  # step 2: refreshed
    assert same(references[2], references[1])  # step 3: not again
    assert same(references[1], second) == (alpha == 1.0)
    assert not same(references[1], third)
    # the KL of step 3 is that of the refreshed reference: none at all where it is the policy that sampled
    kl = [log["kl"] for log in run.state.log_history if "kl" in log]
    assert kl[0] == pytest.approx(0.0, abs=1e-6)
    assert kl[1] > 1e-5
    assert (kl[2] == pytest.approx(0.0, abs=1e-6)) == (alpha == 1.0)
    assert kl[2] < kl[1]


def test_the_recipe_has_the_settings_of_iterative_grpo():
    _, training, _ = settings(gsm8k, ["--config", str(CONFIG)])
    assert (training.sync_ref_model, training.ref_model_mixup_alpha, training.beta) == (True, 1.0, 0.04)
    assert training.max_steps % training.ref_model_sync_steps == 0


def test_a_sharded_reference_cannot_be_resumed(tmp_path):  # that another one is, tests/recipes/resuming/test_exact.py
    run = trainer(tmp_path, beta=0.1, sync_ref_model=True, ref_model_sync_steps=1)
    run.is_fsdp_enabled = True
    with pytest.raises(SystemExit, match=r"cannot be resumed with a sharded reference\. Pass another"):
        resume.Resuming(run, str(tmp_path)).on_train_begin(run.args, run.state, None)
