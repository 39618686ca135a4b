"""What a policy can do, measured on problems that it was not trained on: evaluations, and the folder that has them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["EVALUATION_FOLDERS", "evaluation_folder"]

EVALUATION_FOLDERS = ("evaluation", "exam")  # the name in the output folder of a run, and the one it had earlier


def evaluation_folder(output_dir: Path) -> Path:
    """The folder with a run's evaluations: ``evaluation``, or ``exam`` where only an earlier version left one."""
    folders = [output_dir / name for name in EVALUATION_FOLDERS]
    return next((folder for folder in folders if folder.is_dir()), folders[0])
