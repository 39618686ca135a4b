"""A run that went on from a checkpoint is, bit for bit, the run that was never interrupted."""

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import torch
from compared_runs import OPTIONS, figures, same, uneven, weights
from peft import LoraConfig
from running.resuming import train_from
from tiny_trainer import trainer

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
QUICK = ("plain", "second epoch", "in the middle of two iterations")


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
