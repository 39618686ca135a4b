"""How many completions a second boxed_answer scores, beside TRL's accuracy_reward in the same run.

    python tests/benchmarks/answers.py [--data DIR] [--quick]

Both get conversational completions and the gold as it stands in the data set, every item once. Rates are per second
of processor time, that of child processes included, so that a busy machine does not change them much; latencies are
by the clock, one item a call. Before each timed run the caches of grpo_rewards are emptied. Ours is the median of as
many runs as fit into a second, 200 at most; TRL's is one run. "Scan and compare" looks for the last box and compares
strings: what a reward in Python cannot be faster than.
"""

import argparse
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import psutil
from labelled import DATA, Row, call, installed, rows, trl_accuracy

import grpo_rewards as gr
from grpo_rewards.answers.symbolic import schedule as settling
from grpo_rewards.rewards.correctness import mathematics

Reward: TypeAlias = Callable[..., Any]
SECONDS, RUNS = 1.0, 200  # ours is measured again and again, so long and so often at most
CALL = 64  # completions a call, as of one device in a training step
QUICK = 300  # items for TRL with --quick, evenly spread


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds answers/*.jsonl.gz")
    parser.add_argument("--quick", action="store_true", help=f"TRL on {QUICK} items of each kind of work only")
    options = parser.parse_args(arguments)
    boxed = [row for row in rows(options.data, "answers/gsm8k_real") if row["kind"] == "boxed"]
    work = {
        "gsm8k_real, boxed, distinct golds": list({row["gold"]: row for row in boxed}.values()),
        "gsm8k_real, boxed, all": boxed,
        "long_real": rows(options.data, "answers/long_real"),
        "math_real": rows(options.data, "answers/math_real"),
    }
    trl = trl_accuracy()
    trl(**call([{"completion": r"\boxed{1}", "gold": "1"}]))  # its imports are no part of what is measured
    print(machine(), end="\n\n")
    print("| work | items | TRL/s | ours/s | ratio | scan and compare/s | ratio |\n|---|---|---|---|---|---|---|")
    for name, items in work.items():
        if items:
            print(rates(name, items, spread(items, options.quick), trl), flush=True)
    if work["math_real"]:
        print("\n| latency on math_real | p50 | p99 | largest |\n|---|---|---|---|")
        print(latencies("TRL", trl, spread(work["math_real"], options.quick)))
        forget()
        print(latencies("ours", gr.boxed_answer, work["math_real"]))


def rates(name: str, items: list[Row], some: list[Row], trl: Reward) -> str:
    """One line of the first table; ``some`` of the items are for TRL."""
    theirs = len(some) / processor_time(trl, [call(some)], seconds=0)
    calls = [call(items[at : at + CALL]) for at in range(0, len(items), CALL)]
    mine = len(items) / processor_time(gr.boxed_answer, calls)
    bare = len(items) / processor_time(scan_and_compare, [{"items": items}])
    ratios = f"{mine / theirs:,.0f} | {bare:,.0f} | {bare / theirs:,.0f}"
    return f"| {name} | {len(items)} | {theirs:,.0f} (of {len(some)}) | {mine:,.0f} | {ratios} |"


def scan_and_compare(items: list[Row]) -> list[float]:
    found = []
    for row in items:
        text = row["completion"]
        start = text.rfind("\\boxed{") + len("\\boxed{")
        found.append(float(text[start : text.find("}", start)] == row["gold"]))
    return found


def latencies(who: str, reward: Reward, items: list[Row]) -> str:
    """One line of the second table."""
    seconds = []
    for one in [call([row]) for row in items]:
        start = time.perf_counter()
        reward(**one)
        seconds.append(time.perf_counter() - start)
    seconds.sort()
    p50, p99 = seconds[len(seconds) // 2], seconds[min(int(len(seconds) * 0.99), len(seconds) - 1)]
    return f"| {who}, {len(items)} items | {p50 * 1e3:,.3f} ms | {p99 * 1e3:,.2f} ms | {seconds[-1] * 1e3:,.1f} ms |"


def processor_time(reward: Reward, calls: list[dict[str, Any]], seconds: float = SECONDS) -> float:
    """Seconds of processor time that the calls take with empty caches, in this process and in all that it starts.

    The calls are made again for so many ``seconds``, but once at least and ``RUNS`` times at most; the median of these
    runs counts, and the mean of what child processes took.
    """
    runs: list[float] = []
    before = of_children()
    while not runs or (sum(runs) < seconds and len(runs) < RUNS):
        forget()
        start = time.process_time()
        for one in calls:
            reward(**one)
        runs.append(time.process_time() - start)
    return statistics.median(runs) + (of_children() - before) / len(runs)


def of_children() -> float:
    """Seconds of processor time of all that this process started, living or waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = children.ru_utime + children.ru_stime
    for child in psutil.Process().children(recursive=True):
        try:
            total += sum(child.cpu_times()[:4])  # user, system, and the same of its own that ended
        except psutil.Error:
            continue  # it has just ended, and is counted by whoever waited for it
    return total


def forget() -> None:
    """Empties every cache of grpo_rewards in this process."""
    mathematics.forget()
    settling.forget()
    for clear in caches():
        clear()


@cache  # looking for them would push what is measured out of the processor's own caches
def caches() -> list[Callable[[], None]]:
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("grpo_rewards")]
    found = {id(value): value for module in modules for value in vars(module).values() if hasattr(value, "cache_clear")}
    return [value.cache_clear for value in found.values()]


def spread(items: list[Row], quick: bool) -> list[Row]:
    return items[:: max(len(items) // QUICK, 1)] if quick else items


def machine() -> str:
    packages = ("grpo-rewards", "trl", "math-verify", "sympy")
    versions = ", ".join(f"{package} {found}" for package in packages if (found := installed(package)))
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


if __name__ == "__main__":
    main()
