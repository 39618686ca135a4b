"""Answers of the policy that a trainer trains, generated in batches on all processes together, exactly as it trains."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, NamedTuple

import torch
from accelerate.utils import broadcast_object_list, gather_object
from tqdm.auto import tqdm
from trl import GRPOTrainer

__all__ = ["Answer", "Policy", "generate_answers", "kept_batches"]

Messages = list[dict[str, Any]]
Batch = list[tuple[int, int]]  # of rows: which problem, and which of its samples


class Answer(NamedTuple):
    """What a policy generated: its token ids, and the messages that a reward reads."""

    ids: list[int]
    completion: Messages


class Policy:
    """The policy that a trainer trains, which the trainer itself lets generate.

    So the chat template and its arguments, the sampling settings, the tokens that end an answer, vLLM where it is used,
    and sharded weights are those of training; only the model is in evaluation mode, without dropout. A batch has a
    generator of its own; vLLM has its own, which no seed of ours reaches. Tools are called; for a trainer with
    environments use its own evaluation, as recipes/calculator.py does.
    """

    def __init__(self, trainer: GRPOTrainer) -> None:
        self.trainer = trainer
        self.rank: int = trainer.accelerator.process_index
        self.processes: int = trainer.accelerator.num_processes

    def tokens(self, prompts: Sequence[Messages]) -> list[list[int]]:
        """The token ids of each prompt, as the template renders it."""
        ids: list[list[int]] = self.trainer._tokenize_prompts(list(prompts))[0]
        return ids

    def answers(self, prompts: Sequence[Messages], seed: int) -> list[Answer]:
        """One answer to each prompt. All processes call it as often, with as many prompts."""
        trainer, device = self.trainer, self.trainer.args.device
        before = trainer.model.training, trainer._metrics["eval"], trainer.num_generations_eval, trainer.args.report_to
        # what TRL notes and reports of these answers is not the run's
        trainer._metrics["eval"], trainer.num_generations_eval, trainer.args.report_to = defaultdict(list), 1, []
        if trainer.tools:  # which TRL hands out where it makes a training batch; an environment it makes there is not
            tools: dict[bool, dict[str, Any]] = {False: {}, True: {}}
            for tool in trainer.tools:
                tools[iscoroutinefunction(tool)][tool.__name__] = tool
            trainer._sync_tool_dicts = [tools[False]] * len(prompts)
            trainer._async_tool_dicts = [tools[True]] * len(prompts)
        others, kind = ([], "cuda") if device.type == "cpu" else ([device], device.type)
        trainer.model.eval()
        try:
            with torch.random.fork_rng(others, device_type=kind):  # no later step of training changes
                torch.manual_seed(seed)
                # in this order: the prompts' ids, the completions', the mask of tools, the completions
                _, ids, _, completions, *_ = trainer._generate(list(prompts))
        finally:
            trainer.model.train(before[0])
            _, trainer._metrics["eval"], trainer.num_generations_eval, trainer.args.report_to = before
        return [Answer(list(one), messages) for one, messages in zip(ids, completions, strict=True)]

    def everyones(self, mine: list[Any]) -> list[Any]:
        """What all processes have, in the order of their ranks."""
        found: list[Any] = gather_object(mine)
        return found

    def firsts(self, value: Any) -> Any:
        """What the first process has."""
        return broadcast_object_list([value])[0] if self.processes > 1 else value


def generate_answers(
    policy: Policy, prompts: Sequence[Messages], samples: int, rows: int, seed: int, kept: Path | None = None
) -> list[list[Answer]]:
    """The answers to each prompt, ``samples`` of them; all processes get them all.

    Batches depend neither on the number of processes nor on where an evaluation was stopped, and each has its own seed:
    so the answers do not, either. All processes generate as often, with as many rows, as sharded weights need it.
    ``kept`` is the file of the batches that are done, to which each further one is added.
    """
    batches = batched([len(ids) for ids in policy.tokens(prompts)], samples, rows)
    done: dict[int, list[Answer]] = policy.firsts(kept_batches(kept) if kept else {})
    left = [number for number in range(len(batches)) if number not in done]
    rounds = range(0, len(left), policy.processes)
    for start in tqdm(rounds, desc="evaluation", disable=policy.rank > 0 or not left, leave=False):
        # the last round may have fewer batches than there are processes: some repeat one, which counts once
        number = left[min(start + policy.rank, len(left) - 1)]
        first_problem, first_sample = batches[number][0]
        name = f"{seed}, sampled, problem {first_problem}, sample {first_sample}"
        batch_seed = random.Random(name).getrandbits(62)
        answers = policy.answers([prompts[problem] for problem, _ in batches[number]], batch_seed)
        found = dict(policy.everyones([(number, answers)]))
        done |= found
        if policy.rank == 0 and kept:
            keep_batches(kept, found)
    by_row: dict[tuple[int, int], Answer] = {}
    for number, batch in enumerate(batches):
        for row, answer in zip(batch, done[number], strict=True):
            by_row.setdefault(row, answer)  # of a row that was generated twice the first counts
    return [[by_row[problem, sample] for sample in range(samples)] for problem in range(len(prompts))]


def batched(lengths: Sequence[int], samples: int, rows: int) -> list[Batch]:
    """All rows in batches of one size, at most ``rows``.

    The longest prompts come first, so that too little memory shows at once. The last batch is filled up with its own
    rows again, fewer than there are batches.
    """
    order = sorted(range(len(lengths)), key=lambda problem: -lengths[problem])
    everything = [(problem, sample) for problem in order for sample in range(samples)]
    if not everything:
        return []
    size = -(-len(everything) // -(-len(everything) // rows))
    batches = [everything[start : start + size] for start in range(0, len(everything), size)]
    last = batches[-1]
    batches[-1] = [last[place % len(last)] for place in range(size)]
    return batches


def kept_batches(path: Path) -> dict[int, list[Answer]]:
    """The batches of a file, by their number; a line that was cut off when its program was killed is none."""
    found = {}
    for line in path.read_text().splitlines() if path.is_file() else ():
        with suppress(ValueError, KeyError):
            batch = json.loads(line)
            found[batch["batch"]] = [Answer(*answer) for answer in batch["answers"]]
    return found


def keep_batches(path: Path, found: dict[int, list[Answer]]) -> None:
    """Adds batches to the file, each as a line of its own, also behind one that was cut off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        for number, answers in found.items():
            file.write("\n" + json.dumps({"batch": number, "answers": answers}) + "\n")
