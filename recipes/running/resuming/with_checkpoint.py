"""Writing files of one's own into a checkpoint, so that it is not whole without them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from transformers import TrainerCallback
from trl import GRPOTrainer

__all__ = ["WithCheckpoint"]


class WithCheckpoint(TrainerCallback):
    """Calls writers just before the trainer writes a checkpoint, whose last file says that it is whole.

    ``on_save`` comes after that file, and a process killed in between would leave a checkpoint that looks whole; only
    ``save_strategy="best"`` asks so late that it has to do. To be added after all callbacks that ask for a checkpoint.
    A writer is called on every process, with the folder and whether this step's figures are logged before it is whole.
    """

    def __init__(self, trainer: GRPOTrainer, *writers: Any) -> None:
        self.trainer, self.writers = trainer, writers
        self.written_at = -1

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if not control.should_save:
            return
        folder = folder_of(args, state)
        if state.is_world_process_zero and folder.exists():
            shutil.rmtree(folder)  # of a run that was killed while it wrote, perhaps with more processes
        self.trainer.accelerator.wait_for_everyone()
        self.write(folder, state.global_step, logged=control.should_log)
        self.trainer.accelerator.wait_for_everyone()

    on_epoch_end = on_step_end

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.written_at != state.global_step:
            logged = self.trainer._globalstep_last_logged == state.global_step
            self.write(folder_of(args, state), state.global_step, logged=logged)

    def write(self, folder: Path, step: int, *, logged: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for write in self.writers:
            write(folder, logged=logged)
        self.written_at = step


def folder_of(args: Any, state: Any) -> Path:
    return Path(args.output_dir) / f"checkpoint-{state.global_step}"
