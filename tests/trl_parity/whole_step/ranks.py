"""Two processes that train the tiny model together, and what each saw: ``python -m whole_step.ranks FOLDER``."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import torch

from grpo_rewards.loss.trl_check.tiny import as_two_ranks
from whole_step.live import Seen, train
from whole_step.runs import RUNS_OF_RANKS


def seen_by_ranks(saved_by_each: list[bytes]) -> list[list[Seen]]:
    """Returns what each rank saw in each of ``RUNS_OF_RANKS``."""
    saved = [torch.load(io.BytesIO(one), weights_only=False) for one in saved_by_each]
    return [list(of_run) for of_run in zip(*saved, strict=True)]


def main(folder: Path) -> None:
    """Trains in each of ``RUNS_OF_RANKS`` as two ranks, and writes down what was seen."""

    def work(rank: int) -> bytes:
        torch.set_default_dtype(torch.float64)
        written = io.BytesIO()
        torch.save([train(run, folder) for run in RUNS_OF_RANKS], written)
        return written.getvalue()

    as_two_ranks(folder, work)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
