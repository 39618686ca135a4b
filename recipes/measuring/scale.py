"""How much recipes/on_a_gpu.py measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from on_paper.memory import PROMPT
from on_paper.shapes import SHAPES, Shape

from measuring.random_model import HEAD

__all__ = ["LARGE", "SMALL", "Scale"]


@dataclass(frozen=True)
class Scale:
    """How much is measured: ``LARGE`` on a GPU, ``SMALL`` to see that all of it works.

    Attributes:
        shape, head: of the random model, and the width of its heads.
        steps: of each of its runs.
        batch, at_once: completions in a step, and in a forward and backward pass.
        tokens: of a completion in the run with all weights.
        fewer: the same in the other runs, which would else take longer than there is time.
        prompt: tokens in front of every question.
        batches: of worked solutions that are scored, beside a first one.
        default: options of the embedded default.
        warm_up: options of measuring.warmed_up.
        curve: settings of the run that shows a learning curve, and how many problems it has.
    """

    shape: Shape
    head: int
    steps: int
    batch: int
    at_once: int
    tokens: int
    fewer: int
    prompt: int
    batches: int
    default: tuple[str, ...]
    warm_up: tuple[str, ...]
    curve: Mapping[str, Any]
    problems: int


LARGE = Scale(
    shape=SHAPES["Qwen/Qwen2.5-0.5B-Instruct"],
    head=HEAD,
    steps=10,
    batch=256,
    at_once=32,
    tokens=512,
    fewer=64,
    prompt=PROMPT - 64,  # the question has the rest
    batches=5,
    default=(),
    warm_up=(),
    curve={
        "per_device_train_batch_size": 256,
        "max_steps": 2000,
        "eval_size": 200,
        "eval_samples": 4,
        "eval_steps": 10,
    },
    problems=4200,
)
SMALL = Scale(
    shape=Shape(2, 64, 64, 16, 128, 600, True, 2 * 64 + 64 + 2 * 16),
    head=16,
    steps=2,
    batch=16,
    at_once=8,
    tokens=24,
    fewer=12,
    prompt=16,
    batches=1,
    default=("--max_steps", "2", "--eval_size", "4", "--eval_samples", "1", "--per_device_train_batch_size", "16"),
    warm_up=("--small",),
    curve={"per_device_train_batch_size": 16, "max_steps": 6, "eval_size": 10, "eval_samples": 1, "eval_steps": 1},
    problems=60,
)
