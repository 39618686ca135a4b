"""How many completions a second boxed_answer scores, beside an earlier commit of this package, in turn in one run.

    python tests/benchmarks/against_earlier.py [COMMIT] [--data DIR] [--rounds 5] [--without-log]

Every file of completions is shuffled and scored in calls of 64, as a trainer hands them over, each time with all caches
of the package emptied. The two versions take turns, and the best time of each call counts, since other programs on the
machine slow down some of them. Rates are per second of processor time of the process that scores; what its workers for
computer algebra take in a pass is given beside it. ``--without-log`` leaves out the trainer's functions that log, for
what is logged of a completion is not the same in all versions.
"""

import argparse
import gc
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

import psutil
from labelled import DATA, call, rows

ROOT = Path(__file__).resolve().parents[2]
EARLIER = "5841537"  # the last one before the answers were read in many more forms
FILES = ("gsm8k_real", "math_real", "long_real")
Pass = dict[str, Any]
CALL = 64  # completions a call, as of one device in a training step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", default=EARLIER)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds answers/*.jsonl.gz")
    parser.add_argument("--rounds", type=int, default=5, help="passes of each version over each file")
    parser.add_argument("--without-log", action="store_true", help="scoring alone, without log_metric and log_extra")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    settings = parser.parse_args()
    if settings.worker:
        return answer_requests(settings.data, settings.without_log)
    if not all(rows(settings.data, f"answers/{file}") for file in FILES):
        parser.error(f"{settings.data} has no answers/*.jsonl.gz of {', '.join(FILES)}.")
    packing = ["git", "archive", settings.commit]
    archive = subprocess.run(packing, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        packages = {settings.commit: Path(folder), "this": ROOT}
        workers = {name: started(one, settings) for name, one in packages.items()}
        print("| file | version | completions | per second | ratio | workers' seconds |\n|---|---|---|---|---|---|")
        for file in FILES:
            passes: dict[str, list[Pass]] = {name: [] for name in workers}
            for at in range(settings.rounds):
                for name in list(workers)[:: 1 if at % 2 else -1]:
                    passes[name].append(asked(workers[name], file))
            best = {
                name: sum(map(min, zip(*(one["calls"] for one in some), strict=True))) for name, some in passes.items()
            }
            for name, some in passes.items():
                count, ratio = some[0]["count"], best[settings.commit] / best[name]
                workers_seconds = min(one["workers"] for one in some)
                print(
                    f"| {file} | {name} | {count} | {count / best[name]:,.0f} | {ratio:.2f} | {workers_seconds:.1f} |",
                    flush=True,
                )
        for worker in workers.values():
            worker.communicate()
    return None


def started(package: Path, settings: argparse.Namespace) -> subprocess.Popen[str]:
    """A process that scores with the package of this folder when it is asked to."""
    command = [sys.executable, __file__, "--worker", "--data", str(settings.data)]
    command += ["--without-log"] if settings.without_log else []
    environment = {**os.environ, "PYTHONPATH": str(package)}  # which is looked into before what is installed
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def asked(worker: subprocess.Popen[str], file: str) -> Pass:
    """The figures of one pass: the ``count`` of completions, processor seconds of its ``calls``, those of workers."""
    print(file, file=worker.stdin, flush=True)
    figures: Pass = json.loads(worker.stdout.readline())  # type: ignore[union-attr]  # it is a pipe
    return figures


def answer_requests(data: Path, without_log: bool) -> None:
    """Makes a pass over each file whose name comes in, and prints its figures."""
    import grpo_rewards as gr

    calls = {file: calls_of(data, file) for file in FILES}
    for one in (one for some in calls.values() for one in some if without_log):
        del one["log_metric"], one["log_extra"]
    for some in calls.values():
        one_pass(gr.boxed_answer, some)  # what is imported, compiled and started when it is first needed
    gc.collect()
    gc.freeze()  # how much else there is for the garbage collector to look through is chance: a trainer has far more
    for line in sys.stdin:
        forget()
        print(json.dumps(one_pass(gr.boxed_answer, calls[line.strip()])), flush=True)


def forget() -> None:
    """Empties the caches of the package, of whichever version it is.

    Those without a bound hold tables and expressions that are compiled once, as imports are; texts have a bound.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("grpo_rewards"):
            for key, value in list(vars(module).items()):
                if hasattr(value, "cache_clear"):
                    if value.cache_parameters()["maxsize"] is not None:
                        value.cache_clear()
                elif key == "forget":
                    value()


def calls_of(data: Path, file: str) -> list[dict[str, Any]]:
    items = rows(data, f"answers/{file}")
    random.Random(0).shuffle(items)
    return [call(items[at : at + CALL]) for at in range(0, len(items), CALL)]


def one_pass(reward: Any, calls: list[dict[str, Any]]) -> Pass:
    before, own = of_workers(), []
    for one in calls:
        start = time.process_time()
        reward(**one)
        own.append(time.process_time() - start)
    return {"count": sum(len(one["completions"]) for one in calls), "calls": own, "workers": of_workers() - before}


def of_workers() -> float:
    """Seconds of processor time that the living processes below this one have taken."""
    return sum(sum(one.cpu_times()[:2]) for one in psutil.Process().children(recursive=True))


if __name__ == "__main__":
    main()
