"""Generates the answers to all problems in batches, on all processes together, and of a stopped evaluation the rest."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from running.evaluation.policies import Answer, Messages, Policy

__all__ = ["Kept", "generate_answers", "hashed", "identity", "rows_at_once"]

Batch = list[tuple[int, int]]  # of rows: which problem, and which of its samples


def generate_answers(
    policy: Policy, prompts: Sequence[Messages], samples: int, rows: int, seed: int, kept: Kept, *, greedy: bool
) -> list[list[Answer]]:
    """The answers to each prompt, ``samples`` of them; all processes get them all.

    Batches depend neither on the number of processes nor on where an evaluation was stopped, and each has its own seed:
    so the answers do not, either. All processes generate as often, with as many rows, as sharded weights need it.
    """
    how = "greedy" if greedy else "sampled"
    lengths = [len(ids) for ids in policy.tokens(prompts)]
    batches = batched(lengths, samples, rows)
    done: dict[int, list[Answer]] = policy.firsts(kept.read(how))
    left = [number for number in range(len(batches)) if number not in done]
    rounds = range(0, len(left), policy.processes)
    for start in tqdm(rounds, desc=f"evaluation, {how}", disable=policy.rank > 0 or not left, leave=False):
        # the last round may have fewer batches than there are processes: some repeat one, which counts once
        number = left[min(start + policy.rank, len(left) - 1)]
        batch = batches[number]
        seeds = [seed_of(seed, how, problem, sample) for problem, sample in batch]
        answers = policy.answers([prompts[problem] for problem, _ in batch], seeds, greedy=greedy)
        found = dict(policy.everyones([(number, answers)]))
        done |= found
        if policy.rank == 0:
            kept.add(how, found)
    return in_order(batches, done, len(prompts), samples)


def rows_at_once(tokens: int, prompts: Sequence[Sequence[int]], longest_answer: int) -> int:
    """How many rows fit in a batch of so many tokens, prompts and answers together; at least one."""
    longest = max(map(len, prompts), default=0) + longest_answer
    return max(tokens // longest, 1)


def batched(lengths: Sequence[int], samples: int, rows: int) -> list[Batch]:
    """All rows in batches of one size, at most ``rows``.

    The longest prompts come first, so that too little memory shows at once. The last batch is filled up with its own
    rows again, fewer than there are batches.
    """
    order = sorted(range(len(lengths)), key=lambda problem: -lengths[problem])
    everything = [(problem, sample) for problem in order for sample in range(samples)]
    count = -(-len(everything) // rows)
    size = -(-len(everything) // count) if count else 0
    batches = [everything[start : start + size] for start in range(0, len(everything), size or 1)]
    if batches:
        last = batches[-1]
        batches[-1] = [last[place % len(last)] for place in range(size)]
    return batches


def in_order(
    batches: Sequence[Batch], done: dict[int, list[Answer]], problems: int, samples: int
) -> list[list[Answer]]:
    """Each problem's answers, by the order of problems and samples. Of a row generated twice the first counts."""
    found: dict[tuple[int, int], Answer] = {}
    for number, batch in enumerate(batches):
        for row, answer in zip(batch, done[number], strict=True):
            found.setdefault(row, answer)
    return [[found[problem, sample] for sample in range(samples)] for problem in range(problems)]


def seed_of(seed: int, how: str, problem: int, sample: int) -> int:
    return random.Random(f"{seed}, {how}, problem {problem}, sample {sample}").getrandbits(62)


def identity(policy: Policy, prompts: Sequence[Messages], **more: Any) -> str:
    """A short name of all that decides the answers: what was kept under another one is of another evaluation."""
    return hashed([policy.settings, policy.tokens(prompts), more])


def hashed(value: Any) -> str:
    """A short name of what can be written as JSON, the same for the same."""
    return sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


class Kept:
    """The answers of an evaluation that is under way, a line a batch, behind a line that says of which one."""

    def __init__(self, path: Path, identity: str) -> None:
        self.path = path
        self.head = {"exam": identity}  # the key that earlier versions wrote, whose files are read as well

    def read(self, how: str) -> dict[int, list[Answer]]:
        """The whole batches that were kept, by their number; none where the file is of another evaluation."""
        lines = [] if not self.path.is_file() else list(map(whole, self.path.read_text().splitlines()))
        if not lines or lines[0] != self.head:
            return {}
        return {
            line["batch"]: [Answer(*answer) for answer in line["answers"]]
            for line in lines[1:]
            if line is not None and line["how"] == how
        }

    def add(self, how: str, found: dict[int, list[Answer]]) -> None:
        """Keeps batches; begins the file anew where it is of another evaluation."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+") as file:
            file.seek(0)
            if whole(file.readline()) != self.head:
                file.truncate(0)
                file.write(json.dumps(self.head) + "\n")
            for number, answers in found.items():
                # a line of its own, also behind one that was cut off in its middle
                file.write("\n" + json.dumps({"how": how, "batch": number, "answers": answers}) + "\n")

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def whole(line: str) -> Any:
    """The value of a line of JSON; ``None`` for an empty one and for one that was cut off."""
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return None
