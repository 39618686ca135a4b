"""The header of a configuration: on what it runs, and how it is launched."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

__all__ = ["Launch", "header_of", "launch_of"]

ROOT = Path(__file__).resolve().parents[2]
MULTI_NODE = "recipes/accelerate/multi_node.yaml"  # what multi_node.slurm launches with


@dataclass(frozen=True)
class Launch:
    """A launch line, and the machine that it is for.

    Attributes:
        words: the line, split as a shell splits it.
        accelerate: accelerate's configuration, as its file says it.
        processes: how many are started, on all machines.
        sharing: how they share the model: ``"copies"``, ``"zero2"`` or ``"sharded"``.
        gpus: how many GPUs the header names, those of a server among them.
        gpu: the memory of one of them, in GB; both are 0 on a CPU.
    """

    words: tuple[str, ...]
    accelerate: dict[str, Any]
    processes: int
    sharing: str
    gpus: int
    gpu: int


def header_of(config: Path) -> str:
    """The comment at the head of a file, without its number signs."""
    lines = config.read_text(encoding="utf-8").splitlines()
    head = next((number for number, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return "\n".join(line.lstrip("#")[1:] for line in lines[:head])


def launch_of(config: Path) -> Launch:
    """How a configuration is launched; ends the program with a message where its header does not say so."""
    header = header_of(config)
    line = re.search(r"^ *((?:[A-Z_]+=\S+ )*(?:accelerate launch|sbatch) (?:.*\\\n)*.*)$", header, re.MULTILINE)
    machine = re.search(r"^Hardware: (?:(\d+) GPUs? with (\d+) GB|a CPU)", header, re.MULTILINE)
    if line is None or machine is None:
        sys.exit(f"error: the header of {config} has no launch line, or no 'Hardware: 8 GPUs with 80 GB'.")
    words = shlex.split(line[1].replace("\\\n", " "))
    accelerate: dict[str, Any] = yaml.safe_load((ROOT / accelerate_file(words)).read_text(encoding="utf-8"))
    return Launch(
        words=tuple(words),
        accelerate=accelerate,
        processes=int(option(words, "--num_processes") or accelerate["num_processes"]),
        sharing=sharing(accelerate),
        gpus=int(machine[1] or 0),
        gpu=int(machine[2] or 0),
    )


def accelerate_file(words: list[str]) -> str:
    named = MULTI_NODE if "sbatch" in words else option(words, "--config_file")
    return named or sys.exit(f"error: no --config_file in {shlex.join(words)!r}.")


def option(words: list[str], name: str) -> str | None:
    return words[words.index(name) + 1] if name in words else None


def sharing(accelerate: dict[str, Any]) -> str:
    """How many copies of the model there are, by a configuration of accelerate."""
    if accelerate["distributed_type"] == "FSDP":
        return "sharded"
    if accelerate["distributed_type"] == "DEEPSPEED":
        return {2: "zero2", 3: "sharded"}[accelerate["deepspeed_config"]["zero_stage"]]
    return "copies"
