"""Two ranks that plant each mistake which takes ranks to notice, and write down what was seen with it.

``python planted_on_ranks.py FOLDER`` is both of them.
"""

import io
import sys
from pathlib import Path

import pytest
import torch
from step_mutants import MUTANTS, ON_RANKS, plant
from whole_step.live import train
from whole_step.runs import RUNS_OF_RANKS

from grpo_rewards.loss.trl_check.tiny import as_two_ranks, quietly


def seen_with(mutant, folder):
    with pytest.MonkeyPatch.context() as patch:
        plant(mutant, patch)
        try:
            return [train(run, folder) for run in RUNS_OF_RANKS]
        except Exception as error:  # noqa: BLE001 - whatever the mistake leads to
            return str(error)


def work(rank):
    torch.set_default_dtype(torch.float64)
    written = io.BytesIO()
    with quietly():
        torch.save(
            [seen_with(mutant, Path(sys.argv[1])) for mutant in [one for name in ON_RANKS for one in MUTANTS[name]]],
            written,
        )
    return written.getvalue()


if __name__ == "__main__":
    as_two_ranks(Path(sys.argv[1]), work)
