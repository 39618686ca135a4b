"""What ``grpo-rewards score`` costs: one million completions, two processes beside one, and beside a bare loop.

    python tests/benchmarks/score_files.py [--rows 1000000] [--data ../shared/data/gsm8k/test.jsonl]

The completions are GSM8K's own solutions with a box at their end, seven of ten right, eight to a problem. The bare loop
is what one would write by hand: read all rows, score them with ``explain_all``, and write them with their verdicts.
Processor time is that of the command and its children; start-up is the same command on one row.
"""

from __future__ import annotations

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

SPEC = "boxed_answer"
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


def made(path: Path, count: int, data: Path) -> None:
    """Writes the completions."""
    rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    rng = random.Random(0)
    with open(path, "w", encoding="utf-8") as file:
        for at in range(count):
            row = rows[at // 8 % len(rows)]
            working, gold = row["answer"].rsplit("#### ", 1)
            said = gold if rng.random() < 0.7 else str(rng.randint(1, 500))
            text = f"{working}The answer is \\boxed{{{said}}}."
            file.write(json.dumps({"prompt": row["question"], "completion": text, "answer": row["answer"]}) + "\n")


def cost(command: list[str]) -> tuple[float, float, float]:
    """(seconds of processor time, seconds, largest resident MB of one process so far) of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, time.perf_counter() - start, after.ru_maxrss / 1024


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared/data/gsm8k/test.jsonl")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows, one = Path(folder, "rows.jsonl"), Path(folder, "one.jsonl")
        made(rows, chosen.rows, chosen.data)
        made(one, 1, chosen.data)
        command = [sys.executable, "-m", "grpo_rewards.command_line", "score", SPEC, "--overwrite"]
        begun = {j: cost([*command, "-i", str(one), "-o", str(one.with_name("o.jsonl")), "-j", j]) for j in ("1", "2")}
        print(f"{chosen.rows:,} rows, {rows.stat().st_size / 1e6:,.0f} MB; load {os.getloadavg()[0]:.1f}")
        figures = {}
        for j in ("1", "2"):
            spent, seconds, memory = cost([*command, "-i", str(rows), "-o", str(rows.with_name("o.jsonl")), "-j", j])
            figures[j] = (spent - begun[j][0], seconds - begun[j][1])
            print(
                f"score -j {j}: {figures[j][0]:.1f} s of processor, {figures[j][1]:.1f} s, {memory:.0f} MB", flush=True
            )
        spent, seconds, memory = cost([sys.executable, "-c", BARE, str(rows), str(rows.with_name("bare.jsonl"))])
        print(f"bare loop: {spent:.1f} s of processor, {seconds:.1f} s, {memory:.0f} MB")
        print(f"one process beside the bare loop: {figures['1'][0] / spent:.2f} of its processor time")
        print(f"two processes: {figures['1'][1] / figures['2'][1]:.2f} times as fast as one")


if __name__ == "__main__":
    main()
