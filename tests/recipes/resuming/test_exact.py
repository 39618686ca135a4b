"""A run that went on from a checkpoint is, bit for bit, the run that was never interrupted."""

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import torch
from compared_runs import OPTIONS, figures, same, uneven, weights
from peft import LoraConfig
from running.resuming import train_from
from tiny_trainer import trainer
from transformers import TrainerCallback

LORA = {"peft_config": LoraConfig(r=4, lora_dropout=0.1, target_modules=["q_proj", "v_proj"])}
CASES = {
    # options, arguments of the trainer itself, the step at which it stopped
    "plain": ({}, {}, 2),
    "second epoch": ({"per_device_train_batch_size": 80}, {}, 3),  # 40 problems, 20 a step: two steps an epoch
    "two iterations": ({"num_iterations": 2}, {}, 2),
    "in the middle of two iterations": ({"num_iterations": 2}, {}, 3),
    "in the middle of a generation": ({"steps_per_generation": 2, "num_iterations": 2}, {}, 3),
    "accumulated": ({"gradient_accumulation_steps": 2, "steps_per_generation": 3}, {}, 2),
    "logged every three steps": ({"logging_steps": 3, "num_iterations": 2}, {}, 1),
    "LoRA": ({"num_iterations": 2}, LORA, 3),
    "own reference": ({"beta": 0.1, "sync_ref_model": True, "ref_model_sync_steps": 2}, {}, 3),
}


class Killed(Exception):
    pass


class EachIsTheBest(TrainerCallback):
    """Has each evaluation be the best so far; ends the program just after the trainer has written a checkpoint."""

    def __init__(self, killed_at=None):
        self.killed_at = killed_at

    def on_evaluate(self, args, state, control, metrics=None, **_):
        metrics["eval_made_up"] = state.global_step

    def on_save(self, args, state, control, **_):
        if state.global_step == self.killed_at:
            raise Killed


QUICK = ("plain", "in the middle of two iterations")


@pytest.mark.parametrize(
    "case", [case if case in QUICK else pytest.param(case, marks=pytest.mark.full) for case in CASES]
)
def test_going_on_is_as_if_it_had_never_stopped(case, tmp_path):
    options, given, step = CASES[case]
    given = {"reward_funcs": [uneven], **given}
    whole = trainer(tmp_path, given=given, **OPTIONS | options)
    first = weights(whole)
    train_from(whole, None)
    assert not same(weights(whole), first)  # it learns at all

    resumed = trainer(tmp_path / "again", given=given, **OPTIONS | options)
    torch.rand(7)  # what came before leaves other random numbers
    train_from(resumed, str(tmp_path / f"checkpoint-{step}"))
    assert resumed.state.global_step == 4
    assert same(weights(resumed), weights(whole))
    assert figures(resumed) == figures(whole)


@pytest.mark.full
def test_a_checkpoint_that_looks_whole_has_all_that_it_takes_to_go_on(tmp_path):
    """Killed at step 3, in the middle of a generation, after the last file of the trainer and before anything else."""
    options = OPTIONS | {"num_iterations": 2, "eval_strategy": "steps", "eval_steps": 1, "save_strategy": "best"}
    options |= {"per_device_eval_batch_size": 4, "metric_for_best_model": "made_up", "greater_is_better": True}

    def begun(folder, killed_at=None):
        run = trainer(folder, given={"reward_funcs": [uneven], "eval_rows": 4}, **options)
        run.add_callback(EachIsTheBest(killed_at))
        return run

    with pytest.raises(Killed):
        train_from(begun(tmp_path, killed_at=3), None)
    train_from(whole := begun(tmp_path / "whole"), None)
    train_from(resumed := begun(tmp_path), str(tmp_path / "checkpoint-3"))
    assert same(weights(resumed), weights(whole))
