"""Trains each recipe's default with three seeds, and once paid by a coin; prints the tables of recipes/README.md.

    python tests/benchmarks/learning.py                          # 12 runs, two at a time
    python tests/benchmarks/learning.py countdown --jobs 1 --picture recipes/learning.png

The picture has the curves of each task, and its held-out figures before and after. Processor time is that of a run and
of all that it started.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))

from learnt_recipes import A_COIN, GOLD_REWARDS, Learnt, learnt  # after the path to it

SEEDS = (1, 2, 3)


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
            is_coin = run.who == A_COIN
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
    wanted = [(task, who) for task in options.tasks or GOLD_REWARDS for who in (*SEEDS, A_COIN)]
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
