"""What every registered reward costs on the shapes of text that a policy might fall into, in seconds per megabyte.

    python tests/benchmarks/hostile_texts.py [--size 100000] [--worst 30] [--rewards close_to,keywords] [--shapes a]

One text a call, as ``grpo_rewards.checks.TEXT_SHAPES`` build it, with the columns and options of the linear
time test; seconds of processor time for a million characters. Where one call is slow, the least of three counts, each
with a text of another length, for what was read once may be remembered.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(FOLDER / "shared"), str(FOLDER / "rewards"), str(FOLDER)]

from contract_cases import LISTED, case_of  # noqa: E402  # the tests' folders are no packages
from test_linear_time import BOUND, given  # noqa: E402

from grpo_rewards.checks import TEXT_SHAPES  # noqa: E402

MEGABYTE = 1_000_000  # characters
SLOW = 0.1  # seconds per megabyte, from which a call is repeated
CALLS, SHORTER = 3, 100  # each text is so many characters shorter than the one before


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000, help="characters of a text")
    parser.add_argument("--worst", type=int, default=30, help="how many lines are printed")
    parser.add_argument("--rewards", default=",".join(LISTED), help="names, with commas between them")
    parser.add_argument("--shapes", default="", help="only the shapes whose names have this in them")
    options = parser.parse_args(arguments)
    measured = [
        (seconds_per_megabyte(name, shape, options.size), name, shape)
        for name in options.rewards.split(",")
        for shape in TEXT_SHAPES
        if options.shapes in shape
    ]
    for seconds, name, shape in sorted(measured, reverse=True)[: options.worst]:
        print(f"{seconds:7.3f} s/MB  {name:24} {shape}")


def seconds_per_megabyte(name: str, shape: str, size: int) -> float:
    reward = case_of(name)[0].bind(**BOUND.get(name, {}))
    beside = given(name)
    reward.score("4", **beside)  # what is imported and compiled once is no part of what a text costs
    least = float("inf")
    for number in range(CALLS):
        text = TEXT_SHAPES[shape](size - SHORTER * number)
        start = time.process_time()
        reward.score(text, **beside)
        least = min(least, (time.process_time() - start) / len(text) * MEGABYTE)
        if least < SLOW:
            break
    return least


if __name__ == "__main__":
    main()
