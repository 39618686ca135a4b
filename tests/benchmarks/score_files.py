"""What ``grpo-rewards score`` costs: a million completions in one process, in two, in two commands, and in a bare loop.

    python tests/benchmarks/score_files.py [--rows 1000000] [--times 3] [--data DIR]

The completions are GSM8K's own solutions with a box at their end, seven of ten right, eight to a problem. The bare loop
is what one would write by hand: read all rows, score them with ``explain_all``, and write them with their verdicts.
Two commands at once, with half of the rows each, share nothing: they say how much faster two processes can be here.
Processor time is that of the command and all its processes; the start, which is the same work on so few rows that they
make no difference, is taken off.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from labelled import DATA, rows

FEW_ROWS = 1200  # several chunks, so that two processes start
BARE = """
import json, sys
import grpo_rewards as gr
with open(sys.argv[1]) as file, open(sys.argv[2], "w") as out:
    rows = [json.loads(line) for line in file]
    for at in range(0, len(rows), 1000):
        some = rows[at : at + 1000]
        completions, golds = [row["completion"] for row in some], [row["answer"] for row in some]
        verdicts = gr.boxed_answer.explain_all(completions, answer=golds)
        for row, verdict in zip(some, verdicts):
            row["reward"], row["reason"], row["prediction"] = verdict[:3]
            out.write(json.dumps(row) + "\\n")
"""


def made(path: Path, count: int, solutions: list[dict[str, str]]) -> Path:
    """Writes the completions."""
    rng = random.Random(0)
    with open(path, "w", encoding="utf-8") as file:
        for at in range(count):
            row = solutions[at // 8 % len(solutions)]
            working, gold = row["answer"].rsplit("#### ", 1)
            said = gold if rng.random() < 0.7 else str(rng.randint(1, 500))
            text = f"{working}The answer is \\boxed{{{said}}}."
            file.write(json.dumps({"prompt": row["question"], "completion": text, "answer": row["answer"]}) + "\n")
    return path


def cost(*commands: list[str]) -> tuple[float, float, float]:
    """(seconds of processor time, seconds, largest resident MB of one process so far) of commands at the same time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    running = [subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL) for command in commands]
    if sum(one.wait() for one in running):
        raise SystemExit("a command failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, time.perf_counter() - start, after.ru_maxrss / 1024


def score(path: Path, processes: int) -> list[str]:
    """The command."""
    words = ["score", "boxed_answer", "--overwrite", "-i", str(path), "-o", f"{path}.out.jsonl", "-j", str(processes)]
    return ["-m", "grpo_rewards", *words]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds gsm8k/test.jsonl")
    parser.add_argument("--times", type=int, default=1, help="rounds, of which the least counts")
    chosen = parser.parse_args()
    solutions = rows(chosen.data, "gsm8k/test")
    with tempfile.TemporaryDirectory() as name:
        files = [
            [made(Path(name) / f"{count}-{copy}.jsonl", count, solutions) for count in (FEW_ROWS, its)]
            for copy, its in enumerate((chosen.rows, chosen.rows // 2, chosen.rows // 2))
        ]
        whole, *halves = files
        size = whole[1].stat().st_size / 1e6
        print(f"{chosen.rows:,} rows, {size:,.0f} MB; load {os.getloadavg()[0]:.1f}", flush=True)
        for what, commands in {  # of each the start and the work
            "score -j 1": [[score(path, 1)] for path in whole],
            "score -j 2": [[score(path, 2)] for path in whole],
            "two commands at once": [[score(path, 1) for path in both] for both in zip(*halves, strict=True)],
            "bare loop": [[["-c", BARE, str(path), f"{path}.bare.jsonl"]] for path in whole],
        }.items():
            start, work = ([cost(*some) for _ in range(chosen.times)] for some in commands)
            spent, took = (min(one[at] for one in work) - min(one[at] for one in start) for at in (0, 1))
            print(f"{what}: {spent:.1f} s of processor, {took:.1f} s, at most {work[-1][2]:.0f} MB so far", flush=True)


if __name__ == "__main__":
    main()
