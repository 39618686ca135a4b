"""What watch_loss costs: processor time of a training run on the tiny model, watched every ten steps and not.

    python tests/benchmarks/watching.py [--steps N]

Runs with and without take turns; the median of their ratios is printed, and what a check takes.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import torch

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "shared"), str(TESTS / "loss")]

from tiny_trainer import trainer  # noqa: E402  # the tests' folders are no packages

from grpo_rewards.loss import watch_loss  # noqa: E402

TURNS = 5


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    steps = parser.parse_args(arguments).steps
    torch.set_num_threads(1)
    seconds(5, None)  # what is loaded and compiled once is no part of what is measured
    turns = [(seconds(steps, None), seconds(steps, 10), seconds(steps, 1)) for _ in range(TURNS)]
    step = statistics.median(without for without, _, _ in turns) / steps
    for every, index in ((10, 1), (1, 2)):
        ratio = statistics.median(turn[index] / turn[0] for turn in turns)
        print(f"every={every}: {ratio - 1:+.1%} of a step of {step * 1e3:.1f} ms, {TURNS} turns of {steps} steps")


def seconds(steps: int, every: int | None) -> float:
    """Processor time of a run."""
    sizes = {"per_device_train_batch_size": 16, "num_generations": 8, "max_completion_length": 32}
    with tempfile.TemporaryDirectory() as folder:
        run = trainer(folder, max_steps=steps, **sizes)
        if every is not None:
            watch_loss(run, every)
        start = time.process_time()
        run.train()
        return time.process_time() - start


if __name__ == "__main__":
    main()
