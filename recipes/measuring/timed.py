"""Trains as recipes/gsm8k.py does, and writes into the output folder where the time of each step went, and the memory.

    python -m measuring.timed [--until UNIX_TIME] [--until_flat] OPTIONS OF gsm8k.py

``timings.json`` says on what it really ran, and has each step's seconds by what it was busy with: ``generation`` (with
vLLM also handing it the weights), ``rewards``, ``preparing`` (decoding, advantages, earlier log-probabilities),
``forward``, ``backward`` (with gradient checkpointing a second forward pass), ``optimizer`` (and clipping).
"""

from __future__ import annotations

from running import run  # isort: skip  # first: it says what is missing

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from gsm8k import TASK
from peft import PeftModel
from torch.distributed.tensor import DTensor
from transformers import TrainerCallback
from trl import GRPOTrainer

from measuring.clock import Clock

__all__ = ["TimedGRPOTrainer", "is_flat", "state_of"]


class TimedGRPOTrainer(GRPOTrainer):
    """A ``GRPOTrainer`` that times its steps. It ends after ``until``, a time, or when evaluations stop rising."""

    def __init__(self, *arguments: Any, until: float | None = None, until_flat: bool = False, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.clock = Clock()
        self.add_callback(Timings(self, until, until_flat))

    def training_step(self, *arguments: Any, **options: Any) -> Any:
        with self.clock.part("backward"):  # which is what it does beside what is timed below
            return super().training_step(*arguments, **options)

    def _prepare_inputs(self, *arguments: Any, **options: Any) -> Any:
        with self.clock.part("preparing"):
            return super()._prepare_inputs(*arguments, **options)

    def _generate(self, *arguments: Any, **options: Any) -> Any:
        with self.clock.part("generation"):
            return super()._generate(*arguments, **options)

    def _calculate_rewards(self, *arguments: Any, **options: Any) -> Any:
        with self.clock.part("rewards"):
            return super()._calculate_rewards(*arguments, **options)

    def compute_loss(self, *arguments: Any, **options: Any) -> Any:
        with self.clock.part("forward"):
            return super().compute_loss(*arguments, **options)


class Timings(TrainerCallback):
    """Writes ``timings.json`` after every step, and ends the training where it is to end early."""

    def __init__(self, trainer: TimedGRPOTrainer, until: float | None, until_flat: bool) -> None:
        self.trainer, self.until, self.until_flat = trainer, until, until_flat
        self.steps: list[dict[str, float]] = []
        self.right: list[float] = []
        self.ended = "max_steps"

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if not self.steps and torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()  # of the training alone, and not of an evaluation before it
        self.trainer.clock.begin("optimizer")

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.steps.append(self.trainer.clock.end())
        if self.until is not None and time.time() > self.until:
            self.ended, control.should_training_stop = "time", True

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: dict[str, float], **_: Any) -> None:
        self.right.append(metrics[f"eval_sampled/{TASK.gold_reward}"])
        if self.until_flat and is_flat(self.right):
            self.ended, control.should_training_stop = "flat", True
        self.write()

    def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.write()

    def write(self) -> None:
        if self.steps and self.trainer.is_world_process_zero():
            found = {
                "state": state_of(self.trainer),
                "ended": self.ended,
                "memory": peak_memory(),
                "rewards": self.logged("reward"),
                "tokens": self.logged("completions/mean_length"),
                "steps": self.steps,
            }
            (Path(self.trainer.args.output_dir) / "timings.json").write_text(json.dumps(found, indent=2))

    def logged(self, name: str) -> list[float]:
        return [log[name] for log in self.trainer.state.log_history if name in log]


def is_flat(right: Sequence[float], last: int = 3, least: float = 0.01) -> bool:
    """Whether none of the last evaluations is better, by more than that, than the best one before them."""
    return len(right) > last and max(right[-last:]) <= max(right[:-last]) + least


def state_of(trainer: GRPOTrainer) -> dict[str, Any]:
    """On what a run really runs, from its state and not from its settings."""
    state, model = trainer.accelerator.state, trainer.model_wrapped
    plugin = getattr(state, "fsdp_plugin", None)
    weights = list(model.parameters())
    return {
        "device": trainer.accelerator.device.type,
        "distributed": state.distributed_type.value,
        "processes": trainer.accelerator.num_processes,
        "fsdp_version": None if plugin is None else plugin.fsdp_version,
        "sharded": all(isinstance(one, DTensor) for one in weights),
        "precision": trainer.accelerator.mixed_precision,
        "checkpointed": trainer.accelerator.unwrap_model(model).is_gradient_checkpointing,
        "adapter": isinstance(trainer.accelerator.unwrap_model(model), PeftModel),
        "vllm": getattr(trainer, "vllm_generation", None) is not None,
        "parameters": sum(one.numel() for one in weights),
        "trained": sum(one.numel() for one in weights if one.requires_grad),
    }


def peak_memory() -> dict[str, int] | None:
    """The most bytes of the GPU that tensors took, that torch took for them, and all it has; ``None`` without one."""
    if not torch.cuda.is_available():
        return None
    return {
        "allocated": torch.cuda.max_memory_allocated(),
        "reserved": torch.cuda.max_memory_reserved(),
        "total": torch.cuda.get_device_properties(0).total_memory,
    }


def taken_from_the_command_line() -> dict[str, Any]:
    """The options of this script; the rest of the command line is left to the recipe."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--until", type=float)
    parser.add_argument("--until_flat", action="store_true")
    found, sys.argv[1:] = parser.parse_known_args()
    return vars(found)


if __name__ == "__main__":
    run(TASK, TimedGRPOTrainer, **taken_from_the_command_line())
