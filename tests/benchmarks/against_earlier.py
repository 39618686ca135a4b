"""How many completions a second boxed_answer scores, beside an earlier commit of this package, in turn in one run.

    python tests/benchmarks/against_earlier.py [COMMIT] [--data DIR] [--rounds 5]

Every file of completions is shuffled and scored once, in calls of 64, as a trainer hands them over. Each pass runs in a
child forked for it, so that its caches are cold; only what a process does once, such as compiling patterns, was done
before, by scoring the rows of another file. The two versions take turns, and the best pass of each counts. Rates are
per second of processor time of the process that scores; what its workers for computer algebra take is given beside it.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

from labelled import DATA, call, rows

ROOT = Path(__file__).resolve().parents[2]
EARLIER = "5841537"  # the last one before the answers were read in many more forms
FIRST_SCORED = "t3_pairs"
FILES = ("gsm8k_real", "math_real", "long_real")
CALL = 64  # completions a call, as of one device in a training step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", default=EARLIER)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds answers/*.jsonl.gz")
    parser.add_argument("--rounds", type=int, default=5, help="passes of each version over each file")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    settings = parser.parse_args()
    if settings.worker:
        return answer_requests(settings.data)
    packing = ["git", "archive", settings.commit]
    archive = subprocess.run(packing, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        workers = {settings.commit: started(Path(folder), settings.data), "this": started(ROOT, settings.data)}
        print("| file | version | completions | per second | ratio | workers' seconds |\n|---|---|---|---|---|---|")
        for file in FILES:
            passes: dict[str, list[dict[str, float]]] = {name: [] for name in workers}
            for at in range(settings.rounds):
                for name in list(workers)[:: 1 if at % 2 else -1]:
                    passes[name].append(asked(workers[name], file))
            best = {name: min(some, key=lambda one: one["own"]) for name, some in passes.items()}
            first = best[settings.commit]
            for name, one in best.items():
                rate, ratio = one["count"] / one["own"], first["own"] / one["own"]
                print(
                    f"| {file} | {name} | {one['count']} | {rate:,.0f} | {ratio:.2f} | {one['workers']:.1f} |",
                    flush=True,
                )
        for worker in workers.values():
            worker.communicate()
    return None


def started(package: Path, data: Path) -> subprocess.Popen[str]:
    """A process that scores with the package of this folder when it is asked to."""
    command = [sys.executable, __file__, "--worker", "--data", str(data)]
    environment = {**os.environ, "PYTHONPATH": str(package)}  # which is looked into before what is installed
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def asked(worker: subprocess.Popen[str], file: str) -> dict[str, float]:
    """The figures of one pass: the ``count`` of completions, processor seconds of its ``own``, those of its workers."""
    print(file, file=worker.stdin, flush=True)
    figures: dict[str, float] = json.loads(worker.stdout.readline())  # type: ignore[union-attr]  # it is a pipe
    return figures


def answer_requests(data: Path) -> None:
    """Makes a pass over each file whose name comes in, in a child of its own, and prints its figures."""
    import grpo_rewards as gr

    reward = gr.boxed_answer
    for one in calls_of(data, FIRST_SCORED):
        reward(**one)
    calls = {file: calls_of(data, file) for file in FILES}
    for line in sys.stdin:
        child = os.fork()
        if not child:
            print(json.dumps(one_pass(reward, calls[line.strip()])), flush=True)
            os._exit(0)
        os.waitpid(child, 0)


def calls_of(data: Path, file: str) -> list[dict[str, Any]]:
    items = rows(data, f"answers/{file}")
    random.Random(0).shuffle(items)
    return [call(items[at : at + CALL]) for at in range(0, len(items), CALL)]


def one_pass(reward: Any, calls: list[dict[str, Any]]) -> dict[str, float]:
    import psutil

    start = time.process_time()
    for one in calls:
        reward(**one)
    own = time.process_time() - start
    workers = psutil.Process().children(recursive=True)
    return {
        "count": sum(len(one["completions"]) for one in calls),
        "own": own,
        "workers": sum(sum(worker.cpu_times()[:4]) for worker in workers),
    }


if __name__ == "__main__":
    main()
