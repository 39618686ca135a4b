"""Keeps the reference of iterative GRPO with each checkpoint, for TRL's resumed trainer would begin with the first
one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback
from trl import GRPOTrainer

__all__ = ["keep_reference"]

FILE = "reference.pt"


def keep_reference(trainer: GRPOTrainer, checkpoint: str | None) -> None:
    """Saves a reference that is refreshed during training with each checkpoint, and takes it from the one resumed.

    Does nothing for a trainer whose reference stays as it is, or that has none. Ends the program with a message where
    the checkpoint does not have the reference, or the reference is sharded, so that its weights cannot be put back.
    """
    if not trainer.args.sync_ref_model:
        return
    if checkpoint is not None:
        path = Path(checkpoint) / FILE
        if not path.is_file():
            sys.exit(f"error: {path} is missing: the reference of this run is lost. Pass --overwrite to start anew.")
        if trainer.is_deepspeed_enabled or trainer.is_fsdp_enabled:
            sys.exit(
                "error: a run with sync_ref_model cannot be resumed where the reference is sharded; pass --overwrite "
                "to start anew."
            )
        # on the CPU first: the file says on which device its weights were, and that was the first process's
        weights = torch.load(path, map_location="cpu", weights_only=True)
        trainer.accelerator.unwrap_model(trainer.ref_model).load_state_dict(weights)
    trainer.add_callback(_SavesReference(trainer))


class _SavesReference(TrainerCallback):
    def __init__(self, trainer: GRPOTrainer) -> None:
        self.accelerator, self.reference = trainer.accelerator, trainer.ref_model

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        weights = self.accelerator.get_state_dict(self.reference)  # of all processes, if they share it
        if state.is_world_process_zero:
            torch.save(weights, Path(args.output_dir) / f"checkpoint-{state.global_step}" / FILE)
