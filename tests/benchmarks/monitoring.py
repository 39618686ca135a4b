"""What RewardMonitor takes of a processor for one step's table: completions of GSM8K's solutions, many in each.

    python tests/benchmarks/monitoring.py [--completions 256] [--characters 7000]

Every step has other solutions, so that nothing that was counted once is remembered; half of the completions are right.
"""

import argparse
import itertools
import statistics
import time
from collections.abc import Iterator, Sequence

from labelled import DATA, rows

from grpo_rewards.checks.run.contents import Table
from grpo_rewards.checks.run.rules import Watch

STEPS, GROUP = 10, 8


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--completions", type=int, default=256)
    parser.add_argument("--characters", type=int, default=7_000, help="of each completion")
    options = parser.parse_args(arguments)
    texts = completions(options.characters)
    watch, taken = Watch(), []
    for step in range(1, STEPS + 1):
        table = table_of(step, list(itertools.islice(texts, options.completions)))
        begun = time.process_time()
        log = {"step": step, "reward": 0.5, "rewards/boxed_answer/mean": 0.5, "frac_reward_zero_std": 0.0}
        watch.see(log, table)
        taken.append(time.process_time() - begun)
    print(
        f"{options.completions} completions of {options.characters:,} characters: {statistics.median(taken):.2f} s "
        f"of a processor, the median of {STEPS} steps; {min(taken):.2f} to {max(taken):.2f} s"
    )


def completions(characters: int) -> Iterator[str]:
    """Texts of about as many characters, made of solutions in their order, over and over."""
    solutions = itertools.cycle([row["answer"] for row in rows(DATA, "gsm8k/train")])
    while True:
        text = ""
        while len(text) < characters:
            text += next(solutions) + "\n\n"
        yield text[:characters]


def table_of(step: int, texts: Sequence[str]) -> Table:
    return {
        "step": [step] * len(texts),
        "prompt": [f"problem {number // GROUP} of step {step}" for number in range(len(texts))],
        "completion": list(texts),
        "answer": [str(number // GROUP) for number in range(len(texts))],
        "boxed_answer": [float(number % 2) for number in range(len(texts))],
        "advantage": [float(number % 2 * 2 - 1) for number in range(len(texts))],
    }


if __name__ == "__main__":
    main()
