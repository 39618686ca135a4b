"""What to set where TRL and transformers refuse settings: their message, and numbers that fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from accelerate import PartialState

__all__ = ["remedy"]

Given = Mapping[str, Any]


def remedy(error: str, given: Given) -> str:
    """What to do about a message with which settings were refused; ``""`` where nothing is known.

    Args:
        error: the message.
        given: all settings by name, as they were given or are by default.
    """
    return next((" " + advice(given) for part, advice in REMEDIES.items() if part in error), "")


def whole_groups(given: Given) -> str:
    """The nearest sizes at which a generation batch consists of whole groups."""
    per_device, group, processes = given["per_device_train_batch_size"], given["num_generations"], running()
    steps = given["steps_per_generation"] or given["gradient_accumulation_steps"]
    size = given["generation_batch_size"] or per_device * processes * steps
    fits = [n for n in range(2, size + 1) if size % n == 0]
    groups = sorted(fits, key=lambda n: abs(n - group))[:1]
    if given["generation_batch_size"]:
        batch = math.lcm(per_device * processes, group)
        setting = f"--generation_batch_size {max(round(size / batch), 1) * batch}"
    else:
        needed = group // math.gcd(group, processes * steps)
        setting = f"--per_device_train_batch_size {max(round(per_device / needed), 1) * needed}"
    counted = f"{size} completions on {processes} process{'es' if processes > 1 else ''}"
    return f"That is {counted}: set {setting}" + "".join(f", or --num_generations {n}" for n in groups) + "."


def whole_batches(given: Given) -> str:
    """The nearest generation batch that consists of whole batches of all processes."""
    processes = running()
    batch = given["per_device_train_batch_size"] * processes
    nearest = max(round(given["generation_batch_size"] / batch), 1) * batch
    return (
        f"That is per_device_train_batch_size {given['per_device_train_batch_size']} on {processes} "
        f"process{'es' if processes > 1 else ''}: set --generation_batch_size {nearest}, or leave it out."
    )


def whole_evaluations(given: Given) -> str:
    """The nearest evaluation batch that consists of whole groups."""
    group = given["num_generations_eval"] or given["num_generations"]
    needed = group // math.gcd(group, running())
    nearest = max(round(given["per_device_eval_batch_size"] / needed), 1) * needed
    otherwise = "leave --eval_strategy out: the recipe has evaluations of its own."
    return f"Set --per_device_eval_batch_size {nearest}, or {otherwise}"


def running() -> int:
    """How many processes really run."""
    return int(PartialState().num_processes)


# Of a part of the message. An advantage compares the completions of one prompt, and a batch is cut among processes.
REMEDIES: dict[str, Callable[[Given], str]] = {
    "divisible by num_generations": whole_groups,
    "divisible by the global batch size": whole_batches,
    "divisible by the number of generations used for evaluation": whole_evaluations,
    "can not be both configured": lambda _: "Leave one of them out.",
    "at least 2 generations": lambda _: "Set --num_generations to 2 or more, such as 8.",
    "support bf16": lambda _: "This accelerator has no bfloat16: set --bf16 false --fp16 true.",
}
