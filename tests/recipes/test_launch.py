"""What a launch silently does not do is told from the state that accelerate has."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tables import each_row

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import torch
from accelerate.state import AcceleratorState, PartialState
from accelerate.utils import DistributedType
from places import RECIPES
from running.launch import (
    fewer_processes,
    no_sharding,
    processes_requested,
    several_gpus_in_one_process,
    sharding_requested,
    warn_of_sharding,
)
from trl import GRPOConfig

CPU, GPU = torch.device("cpu"), torch.device("cuda")
NO, RANKS = DistributedType.NO, DistributedType.MULTI_CPU
FSDP, DEEPSPEED = {"ACCELERATE_USE_FSDP": "true"}, {"ACCELERATE_USE_DEEPSPEED": "true"}
CONFIG = """
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
fsdp_config: {fsdp_version: 2}
mixed_precision: 'no'
num_machines: 1
num_processes: 2
use_cpu: true
"""


def state(kind: DistributedType, device: torch.device) -> SimpleNamespace:
    return SimpleNamespace(distributed_type=kind, device=device, process_index=0)


@each_row(
    "kind, device, environment, told",
    [
        (NO, CPU, {}, []),
        (NO, CPU, FSDP, ["FSDP"]),
        (RANKS, CPU, FSDP, ["FSDP"]),
        (RANKS, CPU, DEEPSPEED, ["DeepSpeed"]),
        (NO, CPU, {"ACCELERATE_USE_FSDP": "false"}, []),
        (DistributedType.MULTI_GPU, GPU, FSDP, []),  # the accelerator that is still to come makes FSDP of it
        (NO, GPU, FSDP, ["FSDP"]),  # no rank, so it will not
        (NO, GPU, DEEPSPEED, []),  # that does without a rank
    ],
)
def test_sharding_that_cannot_come_is_reported(kind, device, environment, told):
    said = list(no_sharding(state(kind, device), environment))
    assert [one.split()[0] for one in said] == told
    assert all(kind.value in one and device.type in one for one in said)


@pytest.mark.parametrize(("kind", "told"), [(DistributedType.MULTI_GPU, True), (DistributedType.FSDP, False)])
def test_the_accelerators_own_state_decides(kind, told, monkeypatch, capsys):
    made = AcceleratorState.__new__(AcceleratorState)
    made.__dict__ = vars(state(kind, GPU))
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    warn_of_sharding(made)
    assert ("warning: FSDP was requested and does not shard here" in capsys.readouterr().out) == told


def test_this_machines_own_state_is_read(tmp_path, monkeypatch):
    monkeypatch.delenv("ACCELERATE_USE_FSDP", raising=False)
    training = GRPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False)
    assert list(no_sharding(training.distributed_state, sharding_requested(training))) == []
    training.deepspeed = "zero3.json"
    (said,) = no_sharding(training.distributed_state, sharding_requested(training))
    assert said.startswith("DeepSpeed was requested")
    assert isinstance(training.distributed_state, PartialState)
    (said,) = no_sharding(training.distributed_state, FSDP)
    assert "every process holds the whole model" in said


ONE = SimpleNamespace(world_size=1)
BY_ACCELERATE = {"ACCELERATE_DYNAMO_BACKEND": "NO"}
SEVERAL = {**BY_ACCELERATE, "MASTER_ADDR": "127.0.0.1"}


@pytest.mark.parametrize(
    ("world", "environment", "line", "told"),
    [
        (1, SEVERAL, "accelerate launch --cpu --num_processes 2 gsm8k.py", "2 processes were requested and one runs"),
        (1, SEVERAL, "accelerate launch --cpu --num_processes=2 gsm8k.py", "2 processes were requested and one runs"),
        (1, SEVERAL, "accelerate launch --cpu --config_file two.yaml gsm8k.py", "2 processes were requested"),
        (1, SEVERAL, "", "several processes were requested"),  # nothing to read: the state alone tells
        (1, BY_ACCELERATE, "accelerate launch gsm8k.py", None),
        (1, SEVERAL, "accelerate launch --num_processes 1 gsm8k.py", None),  # the address is the user's own
        (1, {**SEVERAL, "LOCAL_RANK": "0"}, "accelerate launch --num_processes 1 gsm8k.py", None),  # it has a rank
        (2, SEVERAL, "accelerate launch --num_processes 2 gsm8k.py", None),
        (1, {}, "bash train.sh --num_processes 2", None),  # not started by accelerate
    ],
)
def test_one_process_in_place_of_several_is_reported(world, environment, line, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("two.yaml").write_text(CONFIG)
    said = list(fewer_processes(SimpleNamespace(world_size=world), environment, line.split()))
    assert len(said) == (told is not None)
    assert told is None or (told in said[0] and "torchrun --nproc_per_node" in said[0])


def test_a_file_that_cannot_be_read_says_nothing(tmp_path):
    (tmp_path / "bad.yaml").write_text("- just\n- a list\n")
    assert processes_requested(["accelerate", "launch", "--config_file", str(tmp_path / "bad.yaml")]) is None
    assert processes_requested(["accelerate", "launch", "--config_file", str(tmp_path / "none.yaml")]) is None


def test_one_process_that_sees_several_gpus_is_reported():
    (said,) = several_gpus_in_one_process(SimpleNamespace(n_gpu=8))
    assert "accelerate launch --num_processes 8" in said
    assert list(several_gpus_in_one_process(SimpleNamespace(n_gpu=1))) == []


def launched(*words: str, cwd: Path) -> str:
    """What a recipe prints that ends at its first error, once it has said on what it runs."""
    accelerate = str(Path(sys.executable).with_name("accelerate"))
    line = [accelerate, "launch", *words, str(RECIPES / "gsm8k.py"), "--reward_funcs", "boxed_anser"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode != 0
    assert "did you mean 'boxed_answer'" in done.stderr
    return done.stdout


@pytest.mark.full
def test_what_accelerate_leaves_out_is_reported_in_a_real_launch(tmp_path):
    (tmp_path / "fsdp.yaml").write_text(CONFIG)
    sharded = launched("--config_file", "fsdp.yaml", cwd=tmp_path)
    assert "Running on cpu with world size 2." in sharded
    assert sharded.count("warning: FSDP was requested and does not shard here") == 1
    assert "MULTI_CPU" in sharded
    alone = launched("--cpu", "--num_processes", "2", cwd=tmp_path)
    assert "warning: 2 processes were requested and one runs" in alone
    assert "torchrun --nproc_per_node 2" in alone
