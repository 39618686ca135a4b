"""The place of a run between two generations, which TRL's checkpoints lose.

A generation serves ``steps_per_generation * num_iterations`` micro-batches. A resumed ``GRPOTrainer`` counts them from
0 and has none of its completions: it would sample others for the rest of them, and from there on generate in the middle
of what the sampler repeats. It also begins again with the first epoch's order of problems, and its next log forgets the
steps since the one before. So the count, the completions if the checkpoint is in the middle of them, and the figures
not yet logged are kept beside it, and the sampler is brought to its epoch.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import send_to_device
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from running.resuming.checkpoints import PLACE
from running.resuming.same_run import layout

__all__ = ["Place", "save_between_generations", "steps_between_boundaries"]


def steps_between_boundaries(training: GRPOConfig) -> int:
    """After how many optimizer steps a generation ends together with a step."""
    generation = training.steps_per_generation * training.num_iterations
    accumulated: int = training.gradient_accumulation_steps
    return math.lcm(generation, accumulated) // accumulated


def save_between_generations(training: GRPOConfig) -> None:
    """Rounds ``save_steps`` up, so that no checkpoint has to hold completions, and says so.

    With ``load_best_model_at_end`` it stays a multiple of ``eval_steps``, for what is saved between two of these cannot
    be the best.
    """
    requested = training.save_steps
    if training.save_strategy != "steps" or requested <= 0 or (requested < 1 and training.max_steps <= 0):
        return
    steps, generation = whole_steps(requested, training), steps_between_boundaries(training)
    if steps % generation == 0:
        return
    chosen = training.load_best_model_at_end and training.eval_strategy == "steps"
    every = math.lcm(generation, whole_steps(training.eval_steps, training)) if chosen else generation
    training.save_steps = -(-steps // every) * every
    if training.process_index == 0:
        best = " The best model is chosen among those that are saved after an evaluation." * chosen
        print(
            f"save_steps is {training.save_steps} in place of {steps}: a generation serves {generation} steps, and a "
            f"checkpoint between two of them holds no completions.{best}"
        )


def whole_steps(requested: float, training: GRPOConfig) -> int:
    """Steps that are given as such, or as a share of all."""
    return math.ceil(requested * training.max_steps) if requested < 1 else int(requested)


class Place(TrainerCallback):
    """Writes the place of a trainer beside a checkpoint (``write``), and takes it from the one that is resumed."""

    def __init__(self, trainer: GRPOTrainer, checkpoint: str | None) -> None:
        self.trainer, self.checkpoint = trainer, checkpoint

    def write(self, folder: Path) -> None:
        trainer = self.trainer
        generation = trainer.args.steps_per_generation * trainer.num_iterations
        within = trainer._step % generation != 0
        place = {
            "layout": layout(trainer.args),
            "micro_steps": trainer._step,
            "buffer": trainer._buffered_inputs if within else None,
            "table": json.dumps(table_of(trainer), default=str) if within else None,
            "metrics": {name: [*map(float, several)] for name, several in trainer._metrics["train"].items()},
            "loss": trainer._tr_loss,
            "logged_at": trainer._globalstep_last_logged,
        }
        torch.save(place, folder / PLACE.format(rank=trainer.args.process_index))

    def on_train_begin(self, args: Any, state: Any, control: Any, train_dataloader: Any = None, **_: Any) -> None:
        if self.checkpoint is None:
            return
        state.compute_steps(args, state.max_steps)  # save_steps and logging_steps as they are now, not as they were
        draw_past_orders(train_dataloader, state.global_step, args.gradient_accumulation_steps)
        path = Path(self.checkpoint) / PLACE.format(rank=args.process_index)
        if not path.is_file():
            return
        # by way of the CPU: torch does not know the device cpu:0, which several processes without an accelerator have
        place = send_to_device(torch.load(path, map_location="cpu", weights_only=True), args.device)
        if place["layout"] == layout(args):  # else it lies on a boundary, from which one can count anew
            self.take(place)

    def take(self, place: dict[str, Any]) -> None:
        trainer = self.trainer
        trainer._step, trainer._buffered_inputs = place["micro_steps"], place["buffer"]
        trainer._metrics["train"].update(place["metrics"])
        trainer._globalstep_last_logged = place["logged_at"]
        trainer._tr_loss = place["loss"]
        if place["table"] is not None:
            fill_table(trainer, json.loads(place["table"]))


def table_of(trainer: GRPOTrainer) -> dict[str, Any]:
    """The rows of TRL's table of completions, which it writes at each step; images are left out."""
    columns = {name: column for name, column in trainer._logs.items() if name != "images"}
    return {
        name: {each: list(rows) for each, rows in column.items()} if isinstance(column, dict) else list(column)
        for name, column in columns.items()
    }


def fill_table(trainer: GRPOTrainer, table: dict[str, Any]) -> None:
    for name, column in table.items():
        if isinstance(column, dict):
            for each, rows in column.items():
                trainer._logs[name][each].extend(rows)
        else:
            trainer._logs[name].extend(column)


def draw_past_orders(dataloader: Any, step: int, accumulated: int) -> None:
    """Draws the orders of the epochs that are past: the sampler draws one an epoch, from one generator."""
    sampler = next(samplers_of(dataloader), None)
    if sampler is None:
        return
    for _ in range(step // max(-(-len(dataloader) // accumulated), 1)):
        torch.randperm(sampler.num_samples, generator=sampler.generator)


def samplers_of(loader: Any) -> Iterator[Any]:
    """TRL's sampler, under what accelerate and torch have wrapped around it; none for a stream or a fixed order."""
    for name in ("batch_sampler", "sampler"):
        inner = getattr(loader, name, None)
        if inner is not None:
            if getattr(inner, "generator", None) is not None and hasattr(inner, "num_samples"):
                yield inner
            yield from samplers_of(inner)
