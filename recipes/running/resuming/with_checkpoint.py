"""Writing files of one's own into a checkpoint, so that it is not whole without them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trl import GRPOTrainer

__all__ = ["write_with_checkpoints"]


def write_with_checkpoints(trainer: GRPOTrainer, *writers: Callable[[Path], None]) -> None:
    """Has a trainer call writers, on every process and with the folder, just before it writes a checkpoint.

    The last file of a checkpoint says that it is whole. ``on_save`` comes after that file, and a process killed in
    between would leave a checkpoint that looks whole; and before it no callback knows whether there will be a
    checkpoint, for ``save_strategy="best"`` decides once all have been called.
    """
    save = trainer._save_checkpoint

    def save_with_these(*given: Any, **named: Any) -> None:
        folder = Path(trainer.args.output_dir) / f"checkpoint-{trainer.state.global_step}"
        if trainer.is_world_process_zero():
            remove(folder)  # of a run that was killed while it wrote, perhaps with more processes
        trainer.accelerator.wait_for_everyone()
        folder.mkdir(parents=True, exist_ok=True)
        for write in writers:
            write(folder)
        trainer.accelerator.wait_for_everyone()
        save(*given, **named)

    trainer._save_checkpoint = save_with_these


def remove(checkpoint: Path) -> None:
    """Removes a checkpoint, first the file that says that it is whole; does nothing where there is none."""
    (checkpoint / "trainer_state.json").unlink(missing_ok=True)
    if checkpoint.exists():
        shutil.rmtree(checkpoint)
