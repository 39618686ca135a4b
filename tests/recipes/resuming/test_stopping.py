"""Signals: a checkpoint after the step, the end of training, and a run that goes on as if nothing had been."""

import os
import signal
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import pandas
import torch
from compared_runs import OPTIONS, figures, same, uneven, weights
from running.resuming import Stopped, ends_on_signals, stopping, train_from
from running.resuming.checkpoints import is_whole
from running.resuming.going_on import stopped_with
from tiny_trainer import trainer
from transformers import TrainerCallback

GIVEN = {"reward_funcs": [uneven]}


class Signals(TrainerCallback):
    """Sends this process a signal at the begin of a step, some times."""

    def __init__(self, number, step, times=1):
        self.number, self.step, self.times = number, step, times

    def on_step_begin(self, args, state, control, **_):
        if state.global_step == self.step - 1:
            for _ in range(self.times):
                os.kill(os.getpid(), self.number)


def test_a_signal_saves_after_the_step_and_the_run_goes_on_exactly(tmp_path, capfd):
    number = signal.SIGUSR1
    # step 3 is in the middle of a generation, whose completions TRL writes into its table again at step 4
    options = OPTIONS | {"num_iterations": 2, "save_steps": 50, "log_completions": True, "num_completions_to_print": 0}
    before = signal.getsignal(number)
    stopped = trainer(tmp_path, given=GIVEN, **options)
    stopped.add_callback(Signals(number, 3, times=2))  # a launcher passes on what it got itself too
    with pytest.raises(Stopped) as ended:
        train_from(stopped, None)
    assert ended.value.code == stopping.STOPPED == 75
    assert signal.getsignal(number) == before
    assert stopped.state.global_step == 3
    shown = capfd.readouterr()
    assert f"{number.name}: stopping with a checkpoint after this step; again: at once." in shown.err
    assert f"Stopped after step 3 with checkpoint-3 in {tmp_path}; the same command line goes on" in shown.out
    assert [path.name for path in tmp_path.glob("checkpoint-*")] == ["checkpoint-3"]

    train_from(resumed := trainer(tmp_path, given=GIVEN, **options), str(tmp_path / "checkpoint-3"))
    train_from(whole := trainer(tmp_path / "whole", given=GIVEN, **options), None)
    assert same(weights(resumed), weights(whole))
    assert figures(resumed) == figures(whole)
    table = Path("completions") / "completions_00004.parquet"
    expected = pandas.read_parquet(tmp_path / "whole" / table)
    assert len(expected) == 8
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / table), expected)


class OneProcess:
    class accelerator:
        is_main_process, num_processes = True, 1


def test_a_second_signal_ends_at_once_and_one_that_is_passed_on_does_not(monkeypatch, capfd):
    died = []
    monkeypatch.setattr(stopping, "die_of", died.append)
    stops = stopping.StopsOnSignal(OneProcess)
    with stopping.heeding(stops.handle), pytest.raises(SystemExit, match="75"):  # no step yet: nothing to save
        os.kill(os.getpid(), signal.SIGTERM)
    stops.on_step_begin(None, None, None)
    capfd.readouterr()
    with stopping.heeding(stops.handle):
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert died == []
        stops.signalled_at -= stopping.ONE_SIGNAL + 1
        os.kill(os.getpid(), signal.SIGUSR1)
    assert died == [signal.SIGUSR1]
    assert capfd.readouterr().err.count("stopping with a checkpoint") == 1


def test_a_process_that_was_forked_ends_as_if_nobody_heeded_signals(monkeypatch):
    died, heard = [], []
    monkeypatch.setattr(stopping, "die_of", died.append)
    with stopping.heeding(lambda *given: heard.append(given)):
        another = os.getpid() + 1
        monkeypatch.setattr(os, "getpid", lambda: another)
        signal.raise_signal(signal.SIGTERM)
    assert (died, heard) == ([signal.SIGTERM], [])


def test_a_signal_outside_of_training_ends_the_program_with_the_same_status(capfd):
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended, ends_on_signals():
        os.kill(os.getpid(), signal.SIGTERM)
    assert ended.value.code == 75
    assert not isinstance(ended.value, Stopped)  # the other processes may be anywhere: nobody waits for them
    assert "goes on from the last checkpoint, or from the beginning if none was saved." in capfd.readouterr().err
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_run_that_was_killed_in_its_evaluation_takes_no_further_step(tmp_path):
    options = OPTIONS | {"max_steps": 3, "save_steps": 50}
    whole = trainer(tmp_path, given=GIVEN, **options)
    train_from(whole, None)
    drawn = torch.rand(3)
    again = trainer(tmp_path, given=GIVEN, **options)
    train_from(again, str(tmp_path / "checkpoint-3"))
    assert torch.equal(torch.rand(3), drawn)  # the evaluation samples what it would have sampled
    assert again.state.global_step == 3
    assert same(weights(again), weights(whole))
    assert not (tmp_path / "checkpoint-4").exists()


@pytest.mark.parametrize(("step", "saved"), [(2, 2), (4, 4)])
def test_a_signal_while_a_checkpoint_is_written_is_heeded_once_it_is_whole(step, saved, tmp_path, capsys):
    stopped = trainer(tmp_path, given=GIVEN, **OPTIONS | {"save_steps": 2})
    save_random_state = stopped._save_rng_state

    def signalled(folder):
        if stopped.state.global_step == step:
            os.kill(os.getpid(), signal.SIGTERM)
        save_random_state(folder)

    stopped._save_rng_state = signalled
    with pytest.raises(Stopped) as ended:
        train_from(stopped, None)
    assert (ended.value.code, stopped.state.global_step) == (75, saved)
    assert f"with checkpoint-{saved} in {tmp_path}; the same command line goes on" in capsys.readouterr().out
    assert is_whole(tmp_path / f"checkpoint-{saved}")


def test_what_is_reported_of_a_checkpoint_is_so(tmp_path):
    assert "has no checkpoint: the same command line begins anew" in stopped_with(tmp_path, 3)
    path = tmp_path / "checkpoint-2"
    path.mkdir()
    (path / "trainer_state.json").write_text('{"global_step": 2}')
    assert f"{path} has the model alone (--save_only_model): the run cannot go on" in stopped_with(tmp_path, 3)
    torch.save({}, path / "rng_state.pth")
    assert f"Stopped after step 3 with checkpoint-2 in {tmp_path}; the same" in stopped_with(tmp_path, 3)


def test_a_signal_after_the_last_step_is_heeded_and_no_checkpoint_is_made_up(tmp_path, capsys):
    class AtTheEnd(TrainerCallback):
        def on_train_end(self, *_, **__):
            os.kill(os.getpid(), signal.SIGTERM)

    stopped = trainer(tmp_path, given=GIVEN, **OPTIONS | {"save_strategy": "no", "max_steps": 1})
    stopped.add_callback(AtTheEnd())
    with pytest.raises(Stopped):
        train_from(stopped, None)
    assert f"{tmp_path} has no checkpoint: the same command line begins anew." in capsys.readouterr().out


def test_a_signal_during_an_evaluation_is_heeded_before_the_next_step(tmp_path):
    class DuringEvaluation(TrainerCallback):
        def on_evaluate(self, *_, **__):
            os.kill(os.getpid(), signal.SIGTERM)

    options = OPTIONS | {"save_steps": 50, "eval_strategy": "steps", "eval_steps": 2, "per_device_eval_batch_size": 4}
    stopped = trainer(tmp_path, given={**GIVEN, "eval_rows": 4}, **options)
    stopped.add_callback(DuringEvaluation())
    with pytest.raises(Stopped):
        train_from(stopped, None)
    assert stopped.state.global_step == 2
    assert (tmp_path / "checkpoint-2" / "place_0.pt").is_file()
