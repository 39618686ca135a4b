"""The recipe itself, killed and started again: the same weights and figures as without the interruption.

All of them take long. That going on is exact, bit for bit, ``test_exact.py`` also holds within one process.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas
import psutil
import pytest
from compared_runs import figures, same
from places import RECIPES
from safetensors.torch import load_file

QUICK = "--max_steps 6 --save_steps 2 --save_total_limit 9 --eval_size 4 --eval_samples 1 --max_completion_length 12"
PYTHON = (sys.executable,)
TWO = (str(Path(sys.executable).with_name("torchrun")), "--nproc_per_node", "2", "--standalone")
ENVIRONMENT = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
CASES = {
    "plain": (PYTHON, "--per_device_train_batch_size 16"),
    "two iterations": (PYTHON, "--per_device_train_batch_size 8 --steps_per_generation 2 --num_iterations 2"),
    "accumulated": (PYTHON, "--per_device_train_batch_size 8 --gradient_accumulation_steps 2"),
    "LoRA": (PYTHON, "--per_device_train_batch_size 16 --use_peft --lora_r 4 --lora_target_modules q_proj v_proj"),
    "two processes": (TWO, "--per_device_train_batch_size 8 --num_iterations 2"),
}


STARTED = []


@pytest.fixture(autouse=True)
def nothing_goes_on():
    """No process outlives its test, whatever that finds."""
    yield
    while STARTED:
        with contextlib.suppress(psutil.NoSuchProcess):
            everyone(STARTED[-1], signal.SIGKILL)
        STARTED.pop().wait(timeout=60)


def start(launch, more, folder):
    command = [*launch, str(RECIPES / "gsm8k.py"), *QUICK.split(), *more.split(), "--output_dir", str(folder)]
    with (folder.parent / f"{folder.name}.log").open("a") as log:
        running = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env=ENVIRONMENT, start_new_session=True, cwd=folder.parent
        )
    STARTED.append(running)
    return running


def finish(launch, more, folder):
    assert start(launch, more, folder).wait(timeout=600) == 0, log_of(folder)[-3000:]


def log_of(folder):
    return (folder.parent / f"{folder.name}.log").read_text()


def everyone(running, number):
    launcher = psutil.Process(running.pid)
    for process in (launcher, *launcher.children(recursive=True)):  # torchrun's have sessions of their own
        process.send_signal(number)


def the_launcher(running, number):
    running.send_signal(number)


def the_last_process(running, number):
    psutil.Process(running.pid).children()[-1].send_signal(number)


def kill_when(running, folder, happened, number=signal.SIGKILL, whom=everyone):
    """Sends a signal once something has happened: to the whole session, as the end of a machine does, or to one."""
    deadline = time.monotonic() + 300
    while not happened(folder):
        assert running.poll() is None, log_of(folder)[-3000:]
        assert time.monotonic() < deadline, log_of(folder)[-3000:]
        time.sleep(0.005)
    whom(running, number)
    return running.wait(timeout=120)


def saved(step):
    return lambda folder: (folder / f"checkpoint-{step}" / "complete").exists()


def saving(step):
    return lambda folder: (folder / f"checkpoint-{step}").exists()  # so the one before is whole


def weights(folder):
    return load_file(next(iter(sorted(folder.glob("*model.safetensors")))))


def rewards(folder, step):
    return figures(json.loads((folder / f"checkpoint-{step}" / "trainer_state.json").read_text())["log_history"])


def last_answers(folder):
    """What the last evaluation has of each answer."""
    return pandas.read_parquet(max((folder / "evaluation").glob("step-*.parquet")))


def require_same(folder, other, step=6):
    assert same(weights(folder), weights(other))
    pandas.testing.assert_frame_equal(last_answers(folder), last_answers(other))
    assert rewards(folder, step) == rewards(other, step)
    after, others_after = (json.loads((one / "eval.json").read_text())["after"] for one in (folder, other))
    assert after == others_after


@pytest.fixture(scope="module")
def whole_of(tmp_path_factory):
    """The folder of a run that was never interrupted, by its launcher and options."""
    folders = {}

    def whole(launch, more):
        if (launch, more) not in folders:
            folders[launch, more] = tmp_path_factory.mktemp("runs") / "whole"
            finish(launch, more, folders[launch, more])
        return folders[launch, more]

    return whole


@pytest.mark.full
@pytest.mark.parametrize("case", CASES)
def test_a_run_that_was_killed_goes_on_exactly(case, tmp_path, whole_of):
    launch, more = CASES[case]
    killed = tmp_path / "killed"
    first = saving(4) if "lora" in more else saved(4 if "iterations" in more else 2)
    assert kill_when(start(launch, more, killed), killed, first) == -signal.SIGKILL
    assert not (killed / "eval.json").exists()
    finish(launch, more, killed)
    assert "Resuming from" in log_of(killed)
    assert log_of(killed).count("held-out mean") == 1
    if launch == TWO:
        assert log_of(killed).count("world size 2:") == 2
        assert len(list((killed / "checkpoint-6").glob("rng_state_*.pth"))) == 2
    require_same(killed, whole_of(launch, more))


@pytest.mark.full
@pytest.mark.parametrize(
    ("case", "whom", "number"),
    [
        ("plain", everyone, signal.SIGTERM),
        ("two processes", the_launcher, signal.SIGTERM),
        ("two processes", the_last_process, signal.SIGTERM),  # the others learn of it from that one
    ],
)
def test_a_signal_stops_all_processes_after_the_same_step(case, whom, number, tmp_path, whole_of):
    launch, more = CASES[case]
    more += " --save_steps 50 --max_steps 40"
    folder, table = tmp_path / "stopped", "completions_00003.parquet"  # written at the end of step 3
    running = start(launch, more, folder)
    code = kill_when(running, folder, lambda folder: (folder / "completions" / table).exists(), number, whom)
    said = log_of(folder)
    assert said.count("Stopped after step") == 1
    assert (code == 75) == (launch == PYTHON)  # torchrun has a status of its own
    assert code != 0
    (checkpoint,) = folder.glob("checkpoint-*")
    finish(launch, more, folder)
    assert f"Resuming from {checkpoint}" in log_of(folder)
    require_same(folder, whole_of(launch, more), 40)


@pytest.mark.full
def test_another_number_of_processes_goes_on_with_the_same_batch_and_says_that_it_samples_otherwise(tmp_path):
    folder = tmp_path / "run"
    finish(PYTHON, "--per_device_train_batch_size 16 --max_steps 2", folder)
    refused = start(TWO, "--per_device_train_batch_size 16", folder)
    assert refused.wait(timeout=600) != 0
    assert "completions_per_step was 16, now 32" in log_of(folder)
    finish(TWO, f"--per_device_train_batch_size 8 --resume_from_checkpoint {folder}/checkpoint-2", folder)
    assert "(processes, batch of each, accumulated) was [1, 16, 1], now [2, 8" in log_of(folder)
    assert json.loads((folder / "eval.json").read_text())["steps"] == 6
    assert len(list((folder / "checkpoint-6").glob("rng_state_*.pth"))) == 2
