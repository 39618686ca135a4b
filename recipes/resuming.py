"""Going on where a run stopped, and never where another one did."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from trl import GRPOConfig

__all__ = ["checkpoint_to_resume"]


def checkpoint_to_resume(training: GRPOConfig, identity: dict[str, Any], *, overwrite: bool) -> str | None:
    """The last checkpoint in the output folder, if it is of this very run.

    ``identity`` holds the settings that make a run the run that it is; they are kept in ``run.json``. A checkpoint of
    other settings ends the program with a message that names them. ``overwrite`` removes checkpoints and completions.
    """
    folder = Path(training.output_dir)
    record = folder / "run.json"
    identity = json.loads(json.dumps(identity, default=str))
    with training.main_process_first():
        if overwrite and training.process_index == 0:
            for old in (*folder.glob("checkpoint-*"), folder / "completions"):
                shutil.rmtree(old, ignore_errors=True)
    found = last_checkpoint(folder)
    before = json.loads(record.read_text()) if found and record.exists() else identity
    differs = [name for name in identity if before.get(name) != identity[name]]
    if differs:
        changes = ", ".join(f"{name} was {before.get(name)!r}, now {identity[name]!r}" for name in differs)
        sys.exit(
            f"error: {folder} holds a run with other settings ({changes}). Pass another --output_dir, or --overwrite."
        )
    stop_if_finished(folder, found, training)
    if training.process_index == 0:
        folder.mkdir(parents=True, exist_ok=True)
        partial = record.with_suffix(".partial")
        partial.write_text(json.dumps(identity, indent=2))
        partial.replace(record)  # in one step: other processes may be reading it
        if found:
            print(f"Resuming from {found}; --overwrite starts anew.")
    return found


def stop_if_finished(folder: Path, checkpoint: str | None, training: GRPOConfig) -> None:
    """Ends the program where there is nothing left to train: a resumed trainer would take one step too many."""
    if checkpoint is None or not (folder / "eval.json").is_file():
        return
    done = json.loads((Path(checkpoint) / "trainer_state.json").read_text())
    planned = training.max_steps if training.max_steps > 0 else done["max_steps"]
    if done["global_step"] >= planned:
        if training.process_index == 0:
            print(f"{folder} holds this run, finished at step {done['global_step']}; its figures are in eval.json.")
            print("Raise --max_steps to go on, or pass --overwrite to start anew.")
        sys.exit(0)


def last_checkpoint(folder: Path) -> str | None:
    """The last checkpoint that was written to its end: the trainer's state is the last file of one."""
    whole = [state.parent for state in folder.glob("checkpoint-*/trainer_state.json")]
    return max(map(str, whole), key=lambda path: int(path.rpartition("-")[2]), default=None)
