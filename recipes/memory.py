"""Says what a configuration takes of the memory of each GPU, on paper: nothing is loaded.

    python recipes/memory.py recipes/configs/math/qwen2.5-7b.yaml

GPUs, processes and how they share the model are those of the launch line in the file's header; the formula is that of
recipes/on_paper/memory.py. It leaves out CUDA's context, fragmentation and the buffers of NCCL: the configurations that
are there leave a tenth of a GPU for them.
"""

from __future__ import annotations

from training import arguments  # isort: skip  # first: it says what is missing

import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml
from on_paper.headers import Launch, launch_of
from on_paper.memory import at_once, bytes_on_each
from on_paper.shapes import Shape, shape_of
from trl import GRPOConfig, ModelConfig


def read(config: Path) -> dict[str, Any]:
    """The settings of a configuration, and the defaults of TRL and of the recipes for what it does not set."""
    kinds = (GRPOConfig, ModelConfig, arguments.ScriptArguments)
    try:
        found = yaml.safe_load(config.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        sys.exit(f"error: cannot read {config}: {error}")
    if not isinstance(found, dict):
        sys.exit(f"error: {config} must hold 'key: value' lines.")
    return {one.name: one.default for kind in kinds for one in fields(kind)} | found


def in_words(settings: Mapping[str, Any], launch: Launch, shape: Shape) -> str:
    """One line, as it is in the header of each configuration."""
    part = {name: round(number / 1e9, 1) for name, number in bytes_on_each(settings, launch, shape).items()}
    sampling = "vLLM" if settings["use_vllm"] else "keys and values"
    # then one follows the other in the same memory
    asleep = not settings["use_vllm"] or settings["vllm_enable_sleep_mode"]
    later_parts = f"{part['activations']} activations", f"{part['generation']} {sampling}"
    later = f"the larger of {later_parts[0]} and {later_parts[1]}" if asleep else " + ".join(later_parts)
    total = at_once(settings, part)
    return f"{part['trained']} trained + {part['frozen']} frozen + {later} = {total:.1f} of {launch.gpu} GB"


def describe(config: Path) -> str:
    settings = read(config)
    return in_words(settings, launch_of(config), shape_of(settings["model_name_or_path"]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python recipes/memory.py CONFIG.yaml …")
    for path in map(Path, sys.argv[1:]):
        print(f"{path}: {describe(path)}")
