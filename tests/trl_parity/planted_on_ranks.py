"""Two ranks that plant each mistake which takes ranks to notice, and write down what was seen with it.

``python planted_on_ranks.py FOLDER`` is both of them.
"""

import sys
from pathlib import Path

import pytest
from step_mutants import MUTANTS, ON_RANKS, plant
from whole_step.live import train
from whole_step.ranks import save_as_two_ranks
from whole_step.runs import RUNS_OF_RANKS

from grpo_rewards.loss.trl_check.tiny import quietly


def seen_with(mutant, folder):
    with pytest.MonkeyPatch.context() as patch, quietly():
        plant(mutant, patch)
        try:
            return [train(run, folder) for run in RUNS_OF_RANKS]
        except Exception as error:  # noqa: BLE001 - whatever the mistake leads to
            return str(error)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    save_as_two_ranks(folder, lambda: [seen_with(one, folder) for name in ON_RANKS for one in MUTANTS[name]])
