"""Two processes that train the tiny model together, and what each saw: ``python -m whole_step.ranks FOLDER``."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from grpo_rewards.loss.trl_check.tiny import as_two_ranks
from whole_step.live import train
from whole_step.runs import RUNS_OF_RANKS


def on_both_ranks(saved_by_each: list[bytes]) -> list[tuple[Any, ...]]:
    """Returns what both ranks saw, thing by thing."""
    saved = [torch.load(io.BytesIO(one), weights_only=False) for one in saved_by_each]
    return list(zip(*saved, strict=True))


def save_as_two_ranks(folder: Path, look: Callable[[], list[Any]]) -> None:
    """Writes down what two ranks see, each a process that computes in float64."""

    def work(rank: int) -> bytes:
        torch.set_default_dtype(torch.float64)
        written = io.BytesIO()
        torch.save(look(), written)
        return written.getvalue()

    as_two_ranks(folder, work)


def main(folder: Path) -> None:
    """Trains in each of ``RUNS_OF_RANKS`` as two ranks, and writes down what was seen."""
    save_as_two_ranks(folder, lambda: [train(run, folder) for run in RUNS_OF_RANKS])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
