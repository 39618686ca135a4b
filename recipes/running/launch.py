"""On what a run really runs: what was launched, beside what accelerate made of it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import yaml
from accelerate.state import AcceleratorState, PartialState
from accelerate.utils import DistributedType
from trl import GRPOConfig

__all__ = ["announce", "warn_of_sharding"]

# What the launcher's environment requests, and the state of accelerate in which it is done.
SHARDING = {
    "ACCELERATE_USE_FSDP": ("FSDP", DistributedType.FSDP),
    "ACCELERATE_USE_DEEPSPEED": ("DeepSpeed", DistributedType.DEEPSPEED),
}


def announce(training: GRPOConfig) -> None:
    """Says on what the run really runs, and what of the launch was left out: some of it accelerate drops in silence."""
    warnings = [
        *fewer_processes(training, os.environ, launch_line()),
        *no_sharding(training.distributed_state, sharding_requested(training)),
        *several_gpus_in_one_process(training),
    ]
    if training.process_index != 0:
        return
    print(f"Running on {training.device.type} with world size {training.world_size}.")
    for one in warnings:
        print(f"warning: {one}")


def warn_of_sharding(state: AcceleratorState) -> None:
    """Warns where the accelerator that trains does not shard as requested; ``announce`` does so for CPUs."""
    if state.process_index == 0 and state.device.type != "cpu":
        for one in no_sharding(state, os.environ):
            print(f"warning: {one}")


def fewer_processes(training: GRPOConfig, environment: Mapping[str, str], line: Sequence[str]) -> Iterator[str]:
    """A message where ``accelerate launch`` was to start several processes and started one by itself.

    Its simple launcher names a master to the one process that it starts, if there were to be more, and gives it no
    rank. How many there were to be stands in its command line, or by the file that this names.
    """
    by_accelerate = "ACCELERATE_DYNAMO_BACKEND" in environment
    if not by_accelerate or "LOCAL_RANK" in environment or training.world_size > 1:
        return
    requested = processes_requested(line)
    if requested == 1 or (requested is None and "MASTER_ADDR" not in environment):
        return
    again = f"torchrun --nproc_per_node {requested or 'N'} {shlex.join(sys.argv)} --use_cpu"
    yield f"{requested or 'several'} processes were requested and one runs. On CPUs start several with\n  {again}"


def launch_line() -> list[str]:
    """The command line of the process that started this one, if it can be read."""
    try:
        launcher = psutil.Process().parent()
        return [] if launcher is None else list(launcher.cmdline())
    except psutil.Error:  # it has ended, or is another user's
        return []


def processes_requested(line: Sequence[str]) -> int | None:
    """``num_processes`` in a line of ``accelerate launch`` or the file that it names; ``None`` if nothing."""
    words = [part for word in line for part in word.split("=", 1)]
    if "--num_processes" in words[:-1]:
        number: Any = words[words.index("--num_processes") + 1]
    elif "--config_file" in words[:-1]:
        number = settings_of(Path(words[words.index("--config_file") + 1])).get("num_processes")
    else:
        return None
    return int(number) if str(number).isdecimal() else None


def settings_of(path: Path) -> dict[str, Any]:
    """The settings in a file of accelerate's; nothing if it cannot be read, for accelerate has read it already."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return {}
    return found if isinstance(found, dict) else {}


def sharding_requested(training: GRPOConfig) -> dict[str, str]:
    """The environment, in which a launcher requests sharding, with what the settings of the trainer request."""
    by_settings = {"ACCELERATE_USE_FSDP": training.fsdp, "ACCELERATE_USE_DEEPSPEED": training.deepspeed}
    return {**os.environ, **{variable: "true" for variable, requested in by_settings.items() if requested}}


def no_sharding(state: PartialState | AcceleratorState, environment: Mapping[str, str]) -> Iterator[str]:
    """A message for what the launch wants sharded and accelerate does not shard.

    The state of an ``Accelerator`` says what it does. Before there is one, what cannot come is known: accelerate shards
    on accelerators alone, and FSDP only among processes that have a rank.
    """
    for variable, (name, kind) in SHARDING.items():
        if environment.get(variable, "").lower() != "true" or state.distributed_type == kind:
            continue
        nobody = state.distributed_type == DistributedType.NO and kind == DistributedType.FSDP
        if isinstance(state, AcceleratorState) or state.device.type == "cpu" or nobody:
            yield (
                f"{name} was requested and does not shard here (accelerate's state: {state.distributed_type.value} on "
                f"{state.device.type}): every process holds the whole model. Start it with accelerate launch on a "
                f"machine with accelerators, or leave {name} out."
            )


def several_gpus_in_one_process(training: GRPOConfig) -> Iterator[str]:
    """A message where one process would drive several GPUs by ``nn.DataParallel``, for which TRL is not made."""
    if training.n_gpu > 1:
        again = f"accelerate launch --num_processes {training.n_gpu} {shlex.join(sys.argv)}"
        yield (
            f"one process sees {training.n_gpu} GPUs and would split each batch over them (nn.DataParallel). Start one "
            f"for each with\n  {again}\nor show it one of them: CUDA_VISIBLE_DEVICES=0"
        )
