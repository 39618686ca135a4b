"""Training from where a run stopped, as if it had not stopped, and stopping at a signal."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from transformers import TrainerCallback
from trl import GRPOTrainer

from running.resuming.checkpoints import can_be_resumed, last_checkpoint, trained_to_its_end
from running.resuming.place import Place
from running.resuming.reference import put_back_reference, write_reference
from running.resuming.stopping import Stopped, StopsOnSignal, heeding
from running.resuming.with_checkpoint import write_with_checkpoints

__all__ = ["train_from"]


def train_from(trainer: GRPOTrainer, checkpoint: str | None) -> None:
    """Trains to the end, from a checkpoint if there is one; takes only its weights if it is that of the last step.

    Raises:
        Stopped: a signal requested it. All processes raise it, once a checkpoint that was being written is whole.
    """
    put_back_reference(trainer, checkpoint)
    if checkpoint is not None and trained_to_its_end(Path(checkpoint), trainer.args):
        load_without_a_step(trainer, checkpoint)
        return
    stops, place = StopsOnSignal(trainer), Place(trainer, checkpoint)
    trainer.add_callback(stops)
    trainer.add_callback(place)
    write_with_checkpoints(trainer, place.write, partial(write_reference, trainer))
    with heeding(stops.handle):
        trainer.train(resume_from_checkpoint=checkpoint)
    if stops.signalled_anywhere():  # also where the signal came after the last step
        if trainer.is_world_process_zero():
            print(f"\n{stopped_with(Path(trainer.args.output_dir), trainer.state.global_step)}")
        raise Stopped


def stopped_with(folder: Path, step: int) -> str:
    """The last line of a run that was stopped: with which checkpoint the same command line goes on, if there is one."""
    last = last_checkpoint(folder)
    if last is None:
        return f"Stopped after step {step}. {folder} has no checkpoint: the same command line begins anew."
    if not can_be_resumed(last):
        return f"Stopped after step {step}. {last} has the model alone (--save_only_model): the run cannot go on."
    return f"Stopped after step {step} with {last.name} in {folder}; the same command line goes on from there."


class _Loaded(Exception):
    pass


class _LeavesBeforeTheFirstStep(TrainerCallback):
    def on_train_begin(self, *_: Any, **__: Any) -> None:
        raise _Loaded


def load_without_a_step(trainer: GRPOTrainer, checkpoint: str) -> None:
    """Loads a checkpoint as the trainer itself would, be its model sharded or not, and trains nothing.

    A trainer that is resumed at its last step takes one more, so it is left once it has loaded everything.
    """
    trainer.add_callback(callback := _LeavesBeforeTheFirstStep())
    try:
        trainer.train(resume_from_checkpoint=checkpoint)
    except _Loaded:
        pass
    finally:
        trainer.remove_callback(callback)
    trainer.is_in_train = False
    if trainer.args.load_best_model_at_end and trainer.state.best_model_checkpoint is not None:
        trainer._load_best_model()
    trainer._load_rng_state(checkpoint)  # so that the evaluation samples what it would have sampled
    trainer.control = trainer.callback_handler.on_train_end(trainer.args, trainer.state, trainer.control)
