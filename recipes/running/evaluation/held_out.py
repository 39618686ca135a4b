"""An evaluation on held-out problems: answers are generated and scored, and both kept in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas
from datasets import Dataset

from grpo_rewards import Reward
from running.evaluation.batched_generation import Kept, generate_answers, identity
from running.evaluation.comparing import for_groups_of
from running.evaluation.policies import Policy
from running.evaluation.scoring import scored
from running.evaluation.summary import ByProblem, Figures, by_problem, figures

__all__ = ["Evaluation", "answers_each"]


def answers_each(samples: int, *, greedy: bool) -> dict[str, int]:
    """How many answers to each problem an evaluation has, sampled and, if it is to, greedy."""
    return {"sampled": samples, **({"greedy": 1} if greedy else {})}


@dataclass(frozen=True)
class Evaluation:
    """Held-out problems, and how the answers to them are generated and scored.

    Attributes:
        problems: held out, with the prompt and the columns that the rewards read.
        rewards: all that are reported; those that compare the answers to a problem, of several samples only.
        gold: the name of the one that decides whether an answer is right.
        samples: sampled answers to each problem.
        rows: answers that a process generates at once.
        seed: of the samples.
        greedy: whether a greedy answer to each problem is generated, scored and reported beside them.
    """

    problems: Dataset
    rewards: Sequence[Reward]
    gold: str
    samples: int
    rows: int
    seed: int
    greedy: bool = False

    def run(self, policy: Policy, path: Path, state: Any, answers: Path | None = None) -> None:
        """Generates all answers and writes the table of their scores, a parquet file; does nothing where that is there.

        Answers are kept beside it meanwhile, so an evaluation that was stopped is resumed; in ``answers``, if that
        names a file, they stay, so that other rewards judge the same answers. ``state`` is the trainer's, which
        some rewards read.
        """
        if policy.firsts(path.is_file()):
            return
        prompts = list(self.problems["prompt"])
        kept = Kept(answers or path.with_suffix(".partial.jsonl"), identity(policy, prompts, **self.drawn))
        several = {
            how: generate_answers(policy, prompts, size, self.rows, self.seed, kept, greedy=how == "greedy")
            for how, size in self.sizes.items()
        }
        if policy.rank == 0:
            tables = [
                scored(self.problems, answers, self.scored_by[how], self.gold, state, how)
                for how, answers in several.items()
            ]
            partial = path.with_suffix(".partial.parquet")
            pandas.concat(tables, ignore_index=True).to_parquet(partial)
            partial.replace(path)  # in one step: what is there is whole
            if answers is None:
                kept.remove()

    @property
    def sizes(self) -> dict[str, int]:
        """How many answers there are to each problem, by how they are generated."""
        return answers_each(self.samples, greedy=self.greedy)

    @property
    def scored_by(self) -> dict[str, list[Reward]]:
        """The rewards of sampled and of greedy answers: what compares the answers to a problem needs several."""
        return {how: for_groups_of(self.rewards, size) for how, size in self.sizes.items()}

    @property
    def drawn(self) -> dict[str, int]:
        """What decides the answers beside the policy: how many there are, together with which others, and the seed."""
        return {"samples": self.samples, "rows": self.rows, "seed": self.seed, **({"greedy": 1} if self.greedy else {})}

    def figures(self, path: Path) -> Figures:
        """The figures of an evaluation that was run."""
        beyond = [one.name for one in self.rewards if one.range and not 0 <= one.range[0] <= one.range[1] <= 1]
        return figures(self.by_problem(path), beyond)

    def by_problem(self, path: Path) -> ByProblem:
        """The figures of each of its problems, by which two evaluations are compared."""
        names = {how: [reward.name for reward in rewards] for how, rewards in self.scored_by.items()}
        return by_problem(pandas.read_parquet(path), names, self.gold)
