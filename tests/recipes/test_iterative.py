"""Iterative GRPO: its settings are in a recipe. When and how TRL refreshes a reference, tests/trl_parity checks."""

import gsm8k
import pytest
from places import RECIPES
from stopped_recipe import settings
from tiny_trainer import trainer
from training import resume

CONFIG = RECIPES / "configs" / "tiny" / "iterative.yaml"


def test_the_recipe_has_the_settings_of_iterative_grpo():
    _, training, _ = settings(gsm8k, ["--config", str(CONFIG)])
    assert (training.sync_ref_model, training.ref_model_mixup_alpha, training.beta) == (True, 1.0, 0.04)
    assert training.max_steps % training.ref_model_sync_steps == 0


def test_a_sharded_reference_cannot_be_resumed(tmp_path):  # that another one is, tests/recipes/resuming/test_exact.py
    run = trainer(tmp_path, beta=0.1, sync_ref_model=True, ref_model_sync_steps=1)
    run.is_fsdp_enabled = True
    with pytest.raises(SystemExit, match=r"cannot be resumed with a sharded reference\. Pass another"):
        resume.Resuming(run, str(tmp_path)).on_train_begin(run.args, run.state, None)
