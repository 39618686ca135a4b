"""Keeps the reference of iterative GRPO with each checkpoint, for TRL's resumed trainer would begin with the first
one."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from trl import GRPOTrainer

__all__ = ["put_back_reference", "write_reference"]

FILE = "reference.pt"


def put_back_reference(trainer: GRPOTrainer, checkpoint: str | None) -> None:
    """Gives a resumed trainer the reference of its checkpoint, if it has one that is refreshed during training.

    Ends the program with a message where the checkpoint does not have the reference, or the reference is sharded, so
    that its weights cannot be put back.
    """
    if not trainer.args.sync_ref_model or checkpoint is None:
        return
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


def write_reference(trainer: GRPOTrainer, folder: Path) -> None:
    """Saves a reference that is refreshed during training; does nothing for one that stays as it is."""
    if not trainer.args.sync_ref_model:
        return
    weights = trainer.accelerator.get_state_dict(trainer.ref_model)  # of all processes, if they share it
    if trainer.is_world_process_zero():
        torch.save(weights, folder / FILE)
