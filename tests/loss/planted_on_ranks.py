"""One of two ranks: plants each mistake that takes ranks to notice, and writes down what was seen with it.

``python planted_on_ranks.py FOLDER``, in the environment of ``torch.distributed``.
"""

import os
import sys
from pathlib import Path

import pytest
import torch
from step_mutants import TOGETHER, plant

from grpo_rewards.loss.trl_check.step.live import train
from grpo_rewards.loss.trl_check.step.runs import RUNS_OF_RANKS
from grpo_rewards.loss.trl_check.step.whole import quietly


def seen_with(mutant, folder):
    with pytest.MonkeyPatch.context() as patch:
        plant(mutant, patch)
        try:
            return [train(run, folder) for run in RUNS_OF_RANKS]
        except Exception as error:  # noqa: BLE001 - whatever the mistake leads to
            return str(error)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    folder = Path(sys.argv[1])
    with quietly():
        seen = [seen_with(mutant, folder) for mutant in TOGETHER]
    torch.save(seen, folder / f"planted{os.environ['RANK']}.pt")
    torch.distributed.destroy_process_group()
