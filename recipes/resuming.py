"""Going on where a run stopped, and never where another one did."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from transformers.trainer_utils import get_last_checkpoint
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
    found = get_last_checkpoint(folder) if folder.is_dir() else None
    before = json.loads(record.read_text()) if found and record.exists() else identity
    differs = [name for name in identity if before.get(name) != identity[name]]
    if differs:
        changes = ", ".join(f"{name} was {before.get(name)!r}, now {identity[name]!r}" for name in differs)
        sys.exit(
            f"error: {folder} holds a run with other settings ({changes}). Pass another --output_dir, or --overwrite."
        )
    if training.process_index == 0:
        folder.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps(identity, indent=2))
        if found:
            print(f"Resuming from {found}; --overwrite starts anew.")
    return None if found is None else str(found)
