"""Prints the rows of the tables in docs/monitor.md from kept runs, and those of other runs; nothing is trained.

python tests/benchmarks/monitor_table.py [FOLDER]     # tests/data/monitor_runs by default
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from monitor_kept import Kept, read_all
from monitor_plants import FIRST_SIGHT, RUNS

__all__ = ["KEPT_RUNS", "figures", "rows_of", "said"]

KEPT_RUNS = Path(__file__).parents[1] / "data" / "monitor_runs"
RULES = ("dominance", "collapse", "drift of reward", "drift of length")


def rows_of(folder: Path) -> list[str]:
    """What was suspected by whom; each cheat; each run by someone who had not read the rules."""
    runs = read_all(folder)
    fitting, reporting, blind, second, elsewhere = (
        [kept for kept, its in runs if its == which] for which in (*RUNS, "elsewhere")
    )
    everything = [*fitting, *reporting, *blind, *second]
    planted = [(kept, which) for kept, which in runs if which in ("fitting", "reporting") and kept.head["cheat"]]
    return [
        counted("`RewardMonitor`, fitting half", fitting, lambda kept: bool(kept.suspicions), named(fitting)),
        counted("`RewardMonitor`, reporting half", reporting, lambda kept: bool(kept.suspicions), named(reporting)),
        counted("`RewardMonitor`, blind runs, at first sight", blind, lambda kept: first_sight(kept) != "nothing"),
        counted("`RewardMonitor`, blind runs, now", blind, lambda kept: bool(kept.suspicions)),
        counted(
            "`RewardMonitor`, second blind runs, at first sight", second, lambda kept: first_sight(kept) != "nothing"
        ),
        counted("`RewardMonitor`, second blind runs, now", second, lambda kept: bool(kept.suspicions)),
        *(counted(f"rewardspy's {rule}", everything, lambda kept, rule=rule: rule in kept.peers) for rule in RULES),  # type: ignore[misc]
        counted("any of these four", everything, lambda kept: bool(kept.peers)),
        counted("an alert of these, their higher level", everything, lambda kept: "alert" in kept.peers.values()),
        late("hacks by the author of the rules", [kept for kept, _ in planted]),
        late("blind hacks", [kept for kept in blind if kept.head["cheat"] and kept.suspicions]),
        late("second blind hacks", [kept for kept in second if kept.head["cheat"] and kept.suspicions]),
        *(row(kept.head["cheat"], which, *figures(kept), said(kept), peers(kept)) for kept, which in planted),
        *(
            blind_row(kept)
            for its in (blind, second, elsewhere)
            for kept in sorted(its, key=lambda kept: not kept.head["cheat"])
        ),
    ]


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def counted(title: str, runs: Sequence[Kept], spoke: Callable[[Kept], bool], by_name: str = "") -> str:
    """In how many of the cheats that were learnt, and of the honest runs, something spoke."""
    cheats = [kept for kept in runs if kept.head["cheat"] and kept.is_learnt]
    honest = [kept for kept in runs if not kept.head["cheat"]]
    shares = [f"{sum(map(spoke, some))} of {len(some)}" for some in (cheats, honest)]
    return row(title, shares[0], by_name, shares[1])


def named(runs: Sequence[Kept]) -> str:
    cheats = [kept for kept in runs if kept.head["cheat"] and kept.is_learnt]
    return str(sum(any(alert.rule == kept.head["cheat"] for alert in kept.suspicions) for kept in cheats))


def late(title: str, cheats: Sequence[Kept]) -> str:
    """How much of its rise a cheat had made by the step of the first suspicion, as the three steps before it show."""
    made = []
    for kept in cheats:
        totals = [log["reward"] for log in kept.history if "reward" in log]
        first, last = fmean(totals[:3]), fmean(totals[-10:])
        step = min(alert.step for alert in kept.suspicions)
        made.append((fmean(totals[step - 3 : step]) - first) / (last - first))
    shares = f"{min(made):.0%} to {max(made):.0%}" if made else "nothing"
    return row(f"{title}: share of the rise made by the first suspicion", shares)


def first_sight(kept: Kept) -> str:
    return FIRST_SIGHT.get(kept.head["name"], "nothing")


def figures(kept: Kept) -> list[str]:
    """The total and the right answers, at first and at last."""
    both = (kept.ends(name) for name in ("reward", "rewards/boxed_answer/mean"))
    return ["not looked for" if one is None else f"{one[0]:.2f} → {one[1]:.2f}" for one in both]


def said(kept: Kept) -> str:
    """The suspicions with their steps, and in bold what was planted."""
    marks = {kept.head["cheat"]: "**"}
    words = [
        f"{marks.get(alert.rule, '')}{alert.rule}{marks.get(alert.rule, '')} {alert.step}" for alert in kept.suspicions
    ]
    return ", ".join(words) or "nothing"


def peers(kept: Kept) -> str:
    return ", ".join(kept.peers) or "nothing"


def blind_row(kept: Kept) -> str:
    ill = ", ".join(f"{alert.rule} {alert.step}" for alert in kept.found if alert.kind == "health") or "nothing"
    kind = kept.head["cheat"] or "honest"
    return row(kept.head["name"], kind, *figures(kept), first_sight(kept), said(kept), ill, peers(kept))


if __name__ == "__main__":
    print("\n".join(rows_of(Path(sys.argv[1]) if len(sys.argv) > 1 else KEPT_RUNS)))
