"""How many of the equations in GSM8K's own solutions arithmetic_steps takes to be false.

    python tests/benchmarks/equations.py [--data DIR]

All are written by people and nearly all are true, so what it calls false is a slip of theirs, or of ours.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from labelled import DATA, rows

from grpo_rewards.answers import equations


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds gsm8k/train.jsonl")
    found = [equations(row["answer"]) for row in rows(parser.parse_args(arguments).data, "gsm8k/train")]
    total = sum(map(len, found))
    false = sum(not one.is_true for some in found for one in some)
    solutions = f"{sum(map(bool, found)):,} of {len(found):,} solutions"
    print(f"{total:,} distinct equations in {solutions}, {false} false ({false / max(total, 1):.2%})")


if __name__ == "__main__":
    main()
