"""An exam: problems are asked, the answers scored, and both kept in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas
from datasets import Dataset

from grpo_rewards import Reward
from running.exam.asking import Kept, ask, identity
from running.exam.comparing import for_groups_of
from running.exam.policies import Policy
from running.exam.scoring import scored
from running.exam.summary import ByProblem, Figures, by_problem, figures

__all__ = ["Exam"]


@dataclass(frozen=True)
class Exam:
    """What is asked and how it is scored.

    Attributes:
        problems: held out, with the prompt and the columns that the rewards read.
        rewards: all that are reported; those that compare the answers to a problem, of several samples only.
        gold: the name of the one that says whether an answer is right.
        samples: sampled answers to each problem, beside the greedy one.
        rows: answers that a process generates at once.
        seed: of the samples.
    """

    problems: Dataset
    rewards: Sequence[Reward]
    gold: str
    samples: int
    rows: int
    seed: int

    def take(self, policy: Policy, path: Path, state: Any, answers: Path | None = None) -> None:
        """Asks everything and writes the table of scored answers, a parquet file; does nothing where that is there.

        What was asked is kept beside it while the exam is taken, so one that was stopped goes on; in ``answers``, if
        that names a file, it stays, so that other rewards judge the same answers. ``state`` is the trainer's, which
        some rewards read.
        """
        if policy.firsts(path.is_file()):
            return
        prompts = list(self.problems["prompt"])
        kept = Kept(answers or path.with_suffix(".partial.jsonl"), identity(policy, prompts, **self.drawn))
        greedy = ask(policy, prompts, 1, self.rows, self.seed, kept, greedy=True)
        sampled = ask(policy, prompts, self.samples, self.rows, self.seed, kept, greedy=False)
        if policy.rank == 0:
            tables = [
                scored(self.problems, answers, self.scored_by[how], self.gold, state, how)
                for how, answers in (("greedy", greedy), ("sampled", sampled))
            ]
            partial = path.with_suffix(".partial.parquet")
            pandas.concat(tables, ignore_index=True).to_parquet(partial)
            partial.replace(path)  # in one step: what is there is whole
            if answers is None:
                kept.remove()

    @property
    def scored_by(self) -> dict[str, list[Reward]]:
        """The rewards of greedy and of sampled answers: what compares the answers to a problem needs several."""
        return {"greedy": for_groups_of(self.rewards, 1), "sampled": for_groups_of(self.rewards, self.samples)}

    @property
    def drawn(self) -> dict[str, int]:
        """What decides the answers beside the policy: how many there are, together with which others, and the seed."""
        return {"samples": self.samples, "rows": self.rows, "seed": self.seed}

    def figures(self, path: Path) -> Figures:
        """The figures of an exam that was taken."""
        beyond = [one.name for one in self.rewards if one.range and not 0 <= one.range[0] <= one.range[1] <= 1]
        return figures(self.by_problem(path), beyond)

    def by_problem(self, path: Path) -> ByProblem:
        """The figures of each of its problems, which two exams are compared by."""
        names = {how: [reward.name for reward in rewards] for how, rewards in self.scored_by.items()}
        return by_problem(pandas.read_parquet(path), names, self.gold)
