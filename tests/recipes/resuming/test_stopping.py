"""A signal: a checkpoint after the generation, the end of training, and a run that goes on as if nothing had been."""

import os
import signal

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from compared_runs import OPTIONS, figures, same, uneven, weights
from tiny_trainer import trainer
from training.resume import train, whole_checkpoints
from transformers import TrainerCallback

GIVEN = {"reward_funcs": [uneven]}


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
    assert figures(resumed) == figures(whole)


def test_a_run_that_was_killed_in_its_evaluation_takes_no_further_step(tmp_path):
    options = OPTIONS | {"max_steps": 3, "save_steps": 50}
    whole = trainer(tmp_path, given=GIVEN, **options)
    train(whole, None)
    again = trainer(tmp_path, given=GIVEN, **options)
    train(again, str(tmp_path / "checkpoint-3"))
    assert again.state.global_step == 3
    assert same(weights(again), weights(whole))
    assert not (tmp_path / "checkpoint-4").exists()
