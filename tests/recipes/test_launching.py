"""What accelerate makes of each launch line in the configurations, up to the processes that it would start."""

import os
import subprocess
from pathlib import Path

import pytest
from accelerate.commands import launch as accelerate_launch
from accelerate.utils import FullyShardedDataParallelPlugin
from accelerate.utils.launch import prepare_deepspeed_cmd_env, prepare_multi_gpu_env
from memory import accelerate_file, launch_of, option
from places import RECIPES, ROOT

CONFIGS = sorted((RECIPES / "configs").rglob("*.yaml"))
LAUNCHERS = {"cpu": "simple", "single_gpu": "simple", "ddp": "multi_gpu", "fsdp2": "multi_gpu"}
LAUNCHERS |= {"multi_node": "multi_gpu", "zero2": "deepspeed", "zero3": "deepspeed"}


def launched(words, monkeypatch):
    """The launcher that accelerate chooses for a command line, and the arguments that it gets."""
    started = []
    for kind in ("simple", "multi_gpu", "deepspeed"):
        name = f"{kind}_launcher"
        monkeypatch.setattr(accelerate_launch, name, lambda args, kind=kind: started.append((kind, args)))
    parser = accelerate_launch.launch_command_parser()
    accelerate_launch.launch_command(parser.parse_args(words))
    ((kind, args),) = started
    return kind, args


@pytest.fixture
def with_deepspeed(monkeypatch):
    """As if DeepSpeed were there: accelerate asks before it reads its options."""
    monkeypatch.setattr(accelerate_launch, "is_deepspeed_available", lambda: True)


@pytest.mark.parametrize("name", ["fsdp2", "multi_node"])
def test_fsdp2_becomes_a_plugin_of_version_2(name, monkeypatch):
    path = str(RECIPES / "accelerate" / f"{name}.yaml")
    machine = ["--machine_rank", "1", "--main_process_ip", "host", "--main_process_port", "29500"]
    _, args = launched(["--config_file", path, *machine, "recipes/gsm8k.py"], monkeypatch)
    environment = prepare_multi_gpu_env(args)
    for variable, value in environment.items():
        if variable.startswith(("FSDP_", "ACCELERATE_")):
            monkeypatch.setenv(variable, value)
    plugin = FullyShardedDataParallelPlugin()
    assert (plugin.fsdp_version, plugin.reshard_after_forward, plugin.activation_checkpointing) == (2, True, False)
    assert plugin.state_dict_type.name == "FULL_STATE_DICT"
    assert plugin.cpu_ram_efficient_loading
    assert type(plugin.cpu_offload).__name__ == "OffloadPolicy"  # none: CPUOffloadPolicy would be one
    assert plugin.auto_wrap_policy.__name__ == "transformer_auto_wrap_policy"
    assert environment["ACCELERATE_MIXED_PRECISION"] == "bf16"


@pytest.mark.parametrize(("name", "stage"), [("zero2", 2), ("zero3", 3)])
def test_the_options_of_deepspeed_reach_its_processes(name, stage, monkeypatch, with_deepspeed):
    path = str(RECIPES / "accelerate" / f"{name}.yaml")
    _, args = launched(["--config_file", path, "recipes/gsm8k.py"], monkeypatch)
    _, environment = prepare_deepspeed_cmd_env(args)
    expected = {
        "ACCELERATE_USE_DEEPSPEED": "true",
        "ACCELERATE_DEEPSPEED_ZERO_STAGE": str(stage),
        "ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE": "none",
        "ACCELERATE_DEEPSPEED_OFFLOAD_PARAM_DEVICE": "none",
        "ACCELERATE_DEEPSPEED_ZERO3_INIT": str(stage == 3).lower(),
        "ACCELERATE_MIXED_PRECISION": "bf16",
    }
    assert {name: environment.get(name) for name in expected} == expected
    assert environment.get("ACCELERATE_DEEPSPEED_ZERO3_SAVE_16BIT_MODEL") == ("true" if stage == 3 else None)


@pytest.mark.parametrize("config", CONFIGS, ids=[f"{path.parent.name}/{path.stem}" for path in CONFIGS])
def test_the_launch_line_of_a_configuration_starts_the_processes_of_its_header(config, monkeypatch, with_deepspeed):
    launch = launch_of(config)
    words = list(launch.words)
    if "sbatch" in words:
        assert words[1] == "recipes/accelerate/multi_node.slurm"
        return  # what it launches is tried below
    monkeypatch.chdir(ROOT)
    kind, args = launched(words[words.index("launch") + 1 :], monkeypatch)
    assert kind == LAUNCHERS[Path(accelerate_file(words)).stem]
    assert args.num_processes == launch.processes
    assert args.training_script in words
    assert option(args.training_script_args, "--config") == str(config.relative_to(ROOT))


def stub(folder, name, body):
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


def test_the_slurm_script_starts_a_launcher_on_each_machine(tmp_path):
    for name, body in {
        "scontrol": "printf 'first\\nsecond\\n'",
        "accelerate": 'for word in "$@"; do printf "%s|" "$word"; done; echo',
        # as srun: the command on each machine, each with its own number
        "srun": 'shift; for SLURM_PROCID in 0 1; do export SLURM_PROCID; "$@" || exit; done',
    }.items():
        stub(tmp_path, name, body)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        **{"SLURM_JOB_ID": "123456", "SLURM_JOB_NODELIST": "nodes[1-2]"},
        **{"SLURM_NNODES": "2", "SLURM_GPUS_ON_NODE": "8"},
    }
    script = RECIPES / "accelerate" / "multi_node.slurm"
    line = ["recipes/gsm8k.py", "--system_prompt", "two words"]
    done = subprocess.run(["bash", script, *line], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    words = [line.rstrip("|").split("|") for line in done.stdout.splitlines()]
    assert [option(one, "--machine_rank") for one in words] == ["0", "1"]
    for one in words:
        assert one[:3] == ["launch", "--config_file", "recipes/accelerate/multi_node.yaml"]
        assert (option(one, "--num_machines"), option(one, "--num_processes")) == ("2", "16")
        assert (option(one, "--main_process_ip"), option(one, "--main_process_port")) == ("first", "23456")
        assert one[-3:] == line
    empty = subprocess.run(["bash", script], env=environment, capture_output=True, text=True, timeout=60)
    assert (empty.returncode, "usage: sbatch" in empty.stderr) == (2, True)
