"""Trains a recipe's default once, in a process of its own, with its own rewards or with a coin's: what came of it."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from places import RECIPES

__all__ = ["A_COIN", "GOLD_REWARDS", "Learnt", "learnt"]

A_COIN = "a coin"
COIN = """
import random

from grpo_rewards import batch_reward


@batch_reward  # a reward of one completion that does not look at it is refused
def coin(completions: list[str]) -> list[float]:
    return [float(random.random() < 0.5) for _ in completions]
"""
# of each recipe's default: what says that an answer is right
GOLD_REWARDS = {"gsm8k": "boxed_answer", "competition_math": "boxed_answer", "countdown": "expression_reaches"}
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
    """Trains with a seed, or with ``A_COIN``, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tossed.py").write_text(COIN)
        arguments = ["--output_dir", "run", "--seed", str(who if isinstance(who, int) else 1)]
        if not isinstance(who, int):
            arguments += ["--reward_funcs", "tossed.coin", GOLD_REWARDS[task], "--reward_weights", "1", "0"]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
        with open(folder / "said", "w") as said:
            command = [sys.executable, str(RECIPES / f"{task}.py"), *arguments]
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
