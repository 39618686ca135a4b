"""Answers of the policy that a trainer trains, generated in batches on all processes together, exactly as it trains."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, NamedTuple

import torch
from accelerate.utils import broadcast_object_list, gather_object
from tqdm.auto import tqdm
from trl import GRPOTrainer

__all__ = ["Answer", "Kept", "Policy", "generate_answers", "hashed", "rows_at_once"]

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
        self.engine = getattr(trainer, "vllm_generation", None)
        self.rank: int = trainer.accelerator.process_index
        self.processes: int = trainer.accelerator.num_processes

    @property
    def settings(self) -> dict[str, Any]:
        """All that decides the answers, but for the weights: two that are equal give the same answers."""
        if self.engine is None:
            options = dict(sorted(self.trainer.generation_kwargs.items()))
        else:
            names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_completion_length")
            options = {name: getattr(self.engine, name) for name in (*names, "generation_kwargs")}
        return {"template": self.trainer.chat_template_kwargs, "generation": options}

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
    policy: Policy, prompts: Sequence[Messages], samples: int, rows: int, seed: int, kept: Kept | None = None
) -> list[list[Answer]]:
    """The answers to each prompt, ``samples`` of them; all processes get them all.

    Batches depend neither on the number of processes nor on where an evaluation was stopped, and each has its own seed:
    so the answers do not, either. All processes generate as often, with as many rows, as sharded weights need it.
    """
    batches = batched([len(ids) for ids in policy.tokens(prompts)], samples, rows)
    done: dict[int, list[Answer]] = policy.firsts(kept.read() if kept else {})
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
            kept.add(found)
    by_row: dict[tuple[int, int], Answer] = {}
    for number, batch in enumerate(batches):
        for row, answer in zip(batch, done[number], strict=True):
            by_row.setdefault(row, answer)  # of a row that was generated twice the first counts
    return [[by_row[problem, sample] for sample in range(samples)] for problem in range(len(prompts))]


def rows_at_once(tokens: int, prompts: Sequence[Sequence[int]], longest_answer: int) -> int:
    """How many rows fit in a batch of so many tokens, prompts and answers together; at least one."""
    return max(tokens // (max(map(len, prompts), default=0) + longest_answer), 1)


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


def hashed(value: Any) -> str:
    """A short name of what can be written as JSON, the same for the same."""
    return sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


class Kept:
    """The answers of an evaluation that is under way, a line a batch, behind a line that says of which one."""

    def __init__(self, path: Path, identity: str) -> None:
        self.path = path
        self.head = {"exam": identity}  # the key that earlier versions wrote, whose files are read as well

    def read(self) -> dict[int, list[Answer]]:
        """The whole batches that were kept, by their number; none where the file is of another evaluation."""
        lines = [] if not self.path.is_file() else list(map(whole, self.path.read_text().splitlines()))
        if not lines or lines[0] != self.head:
            return {}
        of_this = [line for line in lines[1:] if line is not None]
        return {line["batch"]: [Answer(*answer) for answer in line["answers"]] for line in of_this}

    def add(self, found: dict[int, list[Answer]]) -> None:
        """Keeps batches; begins the file anew where it is of another evaluation."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+") as file:
            file.seek(0)
            if whole(file.readline()) != self.head:
                file.truncate(0)
                file.write(json.dumps(self.head) + "\n")
            for number, answers in found.items():
                # a line of its own, also behind one that was cut off in its middle
                file.write("\n" + json.dumps({"how": "sampled", "batch": number, "answers": answers}) + "\n")


def whole(line: str) -> Any:
    """The value of a line of JSON; ``None`` for an empty one and for one that was cut off."""
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return None
