"""Trains each recipe's default with three seeds, and once paid by a coin; prints the tables of recipes/README.md.

    python tests/benchmarks/learning.py                          # 12 runs, two at a time
    python tests/benchmarks/learning.py countdown --jobs 1 --picture recipes/learning.png

The picture has the curves of each task, and its held-out figures before and after. Processor time is that of a run and
of all that it started.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "shared"))

from coin_control import COIN, GOLD_REWARDS  # noqa: E402  # after the path to it

SEEDS = (1, 2, 3)
KINDS = ("cheating", "health")


@dataclass(frozen=True)
class Learnt:
    """One run: its ``eval.json``, what was logged of the gold-based reward by step, what the monitor told while it
    trained, and its seconds of a processor.
    """

    task: str
    who: str
    results: dict[str, Any]
    curve: list[tuple[int, float]]
    told: list[dict[str, Any]]
    seconds: float

    def share(self, when: str) -> dict[str, Any]:
        found: dict[str, Any] = self.results[when]["sampled"][GOLD_REWARDS[self.task]]
        return found

    def row(self) -> str:
        sampled = " | ".join(shown(self.share(when)) for when in ("before", "after", "difference"))
        return f"| {self.who} | {sampled} | {self.seconds:.0f} s |"

    def suspected(self) -> str:
        """The monitor's suspicions of cheating, and what it told of health."""
        kinds = {kind: [f"{one['rule']} {one['step']}" for one in self.told if one["kind"] == kind] for kind in KINDS}
        return f"{self.who}: " + "; ".join(f"{kind}: {', '.join(said) or 'nothing'}" for kind, said in kinds.items())


def shown(share: dict[str, Any]) -> str:
    low, high = share["interval"]
    return f"{share['mean']:.3f} [{low:.3f}, {high:.3f}]"


def learnt(task: str, who: int | str) -> Learnt:
    """Trains once, in a process and a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tossed.py").write_text(COIN)
        arguments = ["--output_dir", "run", "--seed", str(who if isinstance(who, int) else SEEDS[0])]
        if not isinstance(who, int):
            arguments += ["--reward_funcs", "tossed.coin", GOLD_REWARDS[task], "--reward_weights", "1", "0"]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
        with open(folder / "said", "w") as said:
            command = [sys.executable, str(ROOT / "recipes" / f"{task}.py"), *arguments]
            process = subprocess.Popen(command, cwd=folder, env=environment, stdout=said, stderr=said)
            _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{task}, {who}: {(folder / 'said').read_text()[-2000:]}")
        results = json.loads((folder / "run" / "eval.json").read_text())
        last = max((folder / "run").glob("checkpoint-*/trainer_state.json"), key=lambda path: path.stat().st_mtime)
        key = f"rewards/{GOLD_REWARDS[task]}/mean"
        logs = json.loads(last.read_text())["log_history"]
        curve = [(log["step"], log[key]) for log in logs if key in log]
        told = [json.loads(line) for line in (folder / "run" / "alerts.jsonl").read_text().splitlines()[1:]]
    return Learnt(task, str(who), results, curve, told, usage.ru_utime + usage.ru_stime)


def draw(runs: Sequence[Learnt], path: Path) -> None:
    """Draws for each task the share of right answers among those that were trained on, and that of held-out ones."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    tasks = list(dict.fromkeys(run.task for run in runs))
    figure, places = pyplot.subplots(
        1, len(tasks), figsize=(4.2 * len(tasks), 3.6), layout="constrained", squeeze=False
    )
    for axes, task in zip(places[0], tasks, strict=True):
        for run in (one for one in runs if one.task == task):
            is_coin = run.who == "a coin"
            color = "0.6" if is_coin else f"C{int(run.who) - 1}"
            name = run.who if is_coin else f"seed {run.who}"
            axes.plot(*zip(*run.curve, strict=True), color=color, linewidth=1, alpha=0.8, label=name)
            for step, when in ((0, "before"), (run.results["steps"] + 1, "after")):
                share = run.share(when)
                low, high = share["interval"]
                off = [[share["mean"] - low], [high - share["mean"]]]
                axes.errorbar(step, share["mean"], off, color=color, marker="o", markersize=4, capsize=3)
        axes.set(title=f"{task}: {GOLD_REWARDS[task]}", xlabel="step", ylim=(0, 1))
        axes.grid(alpha=0.3)
    places[0][0].set_ylabel("right: in training, and held out (dots)")
    places[0][0].legend(loc="lower right", frameon=False)
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", choices=[*GOLD_REWARDS, []], help="all, by default")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--picture", type=Path, help="a PNG of the curves")
    options = parser.parse_args()
    wanted = [(task, who) for task in options.tasks or GOLD_REWARDS for who in (*SEEDS, "a coin")]
    with ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(lambda one: learnt(*one), wanted))
    for task in dict.fromkeys(run.task for run in runs):
        print(f"\n{task}, `{GOLD_REWARDS[task]}`\n")
        print("| seed | sampled, before | sampled, after | difference | CPU |")
        print("|---|---|---|---|---|")
        print("\n".join(run.row() for run in runs if run.task == task))
        print("\nThe monitor told at a step, of")
        print("\n".join(run.suspected() for run in runs if run.task == task))
    if options.picture:
        draw(runs, options.picture)


if __name__ == "__main__":
    main()
