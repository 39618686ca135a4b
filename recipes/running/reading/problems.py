"""Problems to train on and problems held out: from a file, from a data set, or generated."""

from __future__ import annotations

import sys
from pathlib import Path

from datasets import Dataset

from running.reading.columns import as_named
from running.reading.files import read_file, require_exact
from running.reading.made_columns import with_made
from running.reading.named_data import read_named
from running.settings import TaskArguments
from running.task import Task

__all__ = ["as_prompts", "load_problems"]


def load_problems(task: Task, script: TaskArguments, *, seed: int, trains: bool = True) -> tuple[Dataset, Dataset]:
    """Training and held-out problems, with the task's columns; no row is in both.

    ``script`` says where from: a file, a data set by name, or, where it names neither, the generator with a seed. Ends
    the program with a message where there is nothing to train on, if it ``trains``: else all may be held out.
    """
    size = script.eval_size
    if size < 0 or script.eval_samples < 1:
        sys.exit("error: --eval_size must be at least 0 and --eval_samples at least 1.")
    if script.dataset_path is not None:
        path = Path(script.dataset_path)
        data = as_named(read_file(path), task, script)
        require_exact(data, task.columns, path)
        return with_held_out(data, size, script.dataset_path, trains=trains)
    if script.dataset_name is not None:
        train, test = (as_named(split, task, script) for split in read_named(script))
        if script.dataset_train_split == script.dataset_test_split:
            return with_held_out(train, size, script.dataset_name, trains=trains)
        return train, test.shuffle(seed=0).select(range(min(size, len(test))))
    if script.prompt_column or script.answer_column:
        sys.exit("error: --prompt_column and --answer_column are about data: pass --dataset_path or --dataset_name.")
    if task.generate is None:
        sys.exit(f"error: {task.name} makes no problems of its own: name them with --dataset_path or --dataset_name.")
    problems = task.generate(2000, seed=seed, split="train"), task.generate(size, seed=0, split="test")
    train, held_out = (with_made(Dataset.from_list(rows), task) for rows in problems)
    return train, held_out


def with_held_out(problems: Dataset, size: int, where: str, *, trains: bool) -> tuple[Dataset, Dataset]:
    """The problems without ``size`` of them, and these; where nothing is trained, all if there are no more."""
    if not trains:
        size = min(size, len(problems))
    elif len(problems) <= size:
        sys.exit(f"error: {where} has {len(problems)} problems and --eval_size {size} holds out as many.")
    order = problems.shuffle(seed=0)  # not the run's seed: a problem held out once is held out under every seed
    rest = range(size, len(problems)) if size < len(problems) else []  # datasets refuses an empty range at the end
    return order.select(rest), order.select(range(size))


def as_prompts(task: Task, problems: Dataset, system_prompt: str | None) -> Dataset:
    """Adds the conversational prompt that TRL reads; the other columns stay for the rewards."""
    system = [{"role": "system", "content": system_prompt}] if system_prompt else []
    return problems.map(lambda row: {"prompt": [*system, {"role": "user", "content": task.user_turn(row)}]})
