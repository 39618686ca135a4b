"""What ``grpo-rewards score`` costs: one million completions, two processes beside one, and beside a bare loop.

    python tests/benchmarks/score_files.py [--rows 1000000] [--times 3] [--data ../shared/data/gsm8k/test.jsonl]

The completions are GSM8K's own solutions with a box at their end, seven of ten right, eight to a problem. The bare loop
is what one would write by hand: read all rows, score them with ``explain_all``, and write them with their verdicts.
Processor time is that of the command and all its processes; the start, which is the same command on so few rows that
they make no difference, is taken off. Two commands at once, with half of the rows each, say how much faster two
processes can be on this machine: they share nothing. On a machine that others use the processor times of ``-j 2`` and
of the two commands can be compared, which keep both cores busy, and no others.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

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


def cost(*commands: list[str]) -> tuple[float, float, float]:
    """(seconds of processor time, seconds, largest resident MB of one process so far) of commands at the same time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    if sum(one.wait() for one in running):
        raise SystemExit("a command failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, time.perf_counter() - start, after.ru_maxrss / 1024


def score(rows: Path, processes: int, specs: list[str]) -> list[str]:
    """The command."""
    out = str(rows.with_name(f"{rows.stem}_{processes}_out.jsonl"))
    named = ["score", *specs, "--overwrite", "-i", str(rows), "-o", out, "-j", str(processes)]
    return [sys.executable, "-m", "grpo_rewards.command_line", *named]


def least(times: int, *measured: list[list[str]]) -> list[tuple[float, float]]:
    """Of each the least processor time and the least time of so many rounds, in which they take turns."""
    rounds = [[cost(*commands)[:2] for commands in measured] for _ in range(times)]
    return [(min(spent for spent, _ in its), min(took for _, took in its)) for its in zip(*rounds, strict=True)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared/data/gsm8k/test.jsonl")
    arguments.add_argument("--times", type=int, default=1, help="rounds, of which the least counts")
    arguments.add_argument("--spec", action="append", help="a reward; boxed_answer by default")
    chosen = arguments.parse_args()
    specs = chosen.spec or ["boxed_answer"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made(folder / "whole.jsonl", chosen.rows, chosen.data)
        made(folder / "few.jsonl", FEW_ROWS, chosen.data)
        size = (folder / "whole.jsonl").stat().st_size / 1e6
        print(f"{chosen.rows:,} rows, {size:,.0f} MB; load {os.getloadavg()[0]:.1f}", flush=True)
        alone = compared(folder, chosen.rows, specs, chosen.times)
        if not chosen.spec:
            bare = [sys.executable, "-c", BARE, str(folder / "whole.jsonl"), str(folder / "bare.jsonl")]
            spent, seconds, memory = cost(bare)
            print(f"bare loop: {spent:.1f} s of processor, {seconds:.1f} s, {memory:.0f} MB")
            print(f"-j 1 beside the bare loop: {alone / spent:.2f} of its processor time")


def compared(folder: Path, rows: int, specs: list[str], times: int) -> float:
    """Prints what one process, two, and two commands take; returns the processor time of one."""
    whole, few, *halves = (folder / f"{name}.jsonl" for name in ("whole", "few", "first", "second"))
    with open(whole, "rb") as file:
        for half in halves:
            with open(half, "wb") as out:
                out.writelines(islice(file, (rows + 1) // 2))
    shutil.copy(few, folder / "again.jsonl")
    two_starts = [score(few, 1, specs), score(folder / "again.jsonl", 1, specs)]
    starts = [[score(few, 1, specs)], [score(few, 2, specs)], two_starts]
    wholes = [[score(whole, 1, specs)], [score(whole, 2, specs)], [score(half, 1, specs) for half in halves]]
    begun, done = least(times, *starts), least(times, *wholes)
    alone, two, apart = [(spent - start, took - wait) for (spent, took), (start, wait) in zip(done, begun, strict=True)]
    show("score -j 1", alone)
    show("score -j 2", two)
    show("two commands at once, half of the rows each", apart)
    print(f"at most {cost()[2]:.0f} MB in one process")
    for name, its in (("-j 2", two), ("two commands", apart)):
        print(f"{name} beside -j 1: {its[0] / alone[0]:.2f} of its processor, {alone[1] / its[1]:.2f} times as fast")
    beside = f"{two[0] / apart[0]:.2f} of their processor time, {two[1] / apart[1]:.2f} of their time"
    print(f"-j 2 beside two commands: {beside}")
    return alone[0]


def show(name: str, figures: tuple[float, float]) -> None:
    """Prints what a command took beside its start."""
    print(f"{name}: {figures[0]:.1f} s of processor, {figures[1]:.1f} s", flush=True)


if __name__ == "__main__":
    main()
