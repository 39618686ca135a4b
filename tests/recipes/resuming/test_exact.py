"""A run that went on from a checkpoint, or was stopped by a signal, is the run that was never interrupted."""

import os
import signal

import pytest
import torch
from compared_runs import OPTIONS, figures, same, uneven, weights
from peft import LoraConfig
from tiny_trainer import trainer
from training.resume import train, whole_checkpoints
from transformers import TrainerCallback

LORA = {"peft_config": LoraConfig(r=4, lora_dropout=0.1, target_modules=["q_proj", "v_proj"])}
CASES = {
    # options, arguments of the trainer itself, the step at which it stopped
    "plain": ({}, {}, 2),
    "second epoch": ({"per_device_train_batch_size": 80}, {}, 3),  # 40 problems, 20 a step: two steps an epoch
    "two iterations": ({"num_iterations": 2}, {}, 2),
    "accumulated": ({"gradient_accumulation_steps": 2, "steps_per_generation": 4}, {}, 2),
    "LoRA": ({"num_iterations": 2}, LORA, 2),
    "own reference": ({"beta": 0.1, "sync_ref_model": True, "ref_model_sync_steps": 2}, {}, 3),
}
QUICK = ("plain", "second epoch")
GIVEN = {"reward_funcs": [uneven]}


@pytest.mark.parametrize(
    "case", [case if case in QUICK else pytest.param(case, marks=pytest.mark.full) for case in CASES]
)
def test_going_on_is_as_if_it_had_never_stopped(case, tmp_path):
    options, given, step = CASES[case]
    given = {"reward_funcs": [uneven], **given}
    whole = trainer(tmp_path, given=given, **OPTIONS | options)
    first = weights(whole)
    train(whole, None)
    assert not same(weights(whole), first)  # it learns at all

    resumed = trainer(tmp_path / "again", given=given, **OPTIONS | options)
    torch.rand(7)  # what came before leaves other random numbers
    train(resumed, str(tmp_path / f"checkpoint-{step}"))
    assert resumed.state.global_step == 4
    assert same(weights(resumed), weights(whole))
    assert figures(resumed.state.log_history) == figures(whole.state.log_history)


def test_a_checkpoint_in_the_middle_of_a_generation_is_not_resumed(tmp_path):
    run = trainer(tmp_path, given={"reward_funcs": [uneven]}, **OPTIONS | {"num_iterations": 2, "max_steps": 3})
    train(run, None)
    run.args.max_steps = 9
    assert [path.name for path in whole_checkpoints(tmp_path, run.args)] == ["checkpoint-2"]


class Signals(TrainerCallback):
    """Sends this process a signal at the begin of a step, twice, as a launcher passes on what it got itself too."""

    def __init__(self, step):
        self.step = step

    def on_step_begin(self, args, state, control, **_):
        if state.global_step == self.step - 1:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.parametrize("iterations", [1, 2])
def test_a_signal_saves_after_the_generation_and_the_run_goes_on_exactly(iterations, tmp_path, capsys):
    options = OPTIONS | {"num_iterations": iterations, "save_steps": 50}
    before = signal.getsignal(signal.SIGTERM)
    stopped = trainer(tmp_path, given=GIVEN, **options)
    stopped.add_callback(Signals(1))
    with pytest.raises(SystemExit, match="75"):
        train(stopped, None)
    assert signal.getsignal(signal.SIGTERM) == before
    assert stopped.state.global_step == iterations  # where a generation ends
    assert f"Stopped after step {iterations} with checkpoint-{iterations}; the same" in capsys.readouterr().out
    (checkpoint,) = whole_checkpoints(tmp_path, stopped.args)

    train(resumed := trainer(tmp_path, given=GIVEN, **options), str(checkpoint))
    train(whole := trainer(tmp_path / "whole", given=GIVEN, **options), None)
    assert same(weights(resumed), weights(whole))
    assert figures(resumed.state.log_history) == figures(whole.state.log_history)


def test_a_run_that_was_killed_in_its_evaluation_takes_no_further_step(tmp_path):
    options = OPTIONS | {"max_steps": 3, "save_steps": 50}
    whole = trainer(tmp_path, given=GIVEN, **options)
    train(whole, None)
    again = trainer(tmp_path, given=GIVEN, **options)
    train(again, str(tmp_path / "checkpoint-3"))
    assert again.state.global_step == 3
    assert same(weights(again), weights(whole))
    assert not (tmp_path / "checkpoint-4").exists()
