"""Problems to train on and problems held out: from a file, from the hub, or generated."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from datasets import Dataset, load_dataset
from datasets.exceptions import DatasetGenerationError
from word_problems import word_problems

__all__ = ["load_problems"]


def load_problems(script: Any, *, seed: int) -> tuple[Dataset, Dataset]:
    """Training and held-out problems, with the columns question and answer; no row is in both.

    ``script`` says where from: a file, a data set on the hub, or, where it names neither, the generator with a seed.
    Ends the program with a message where there is nothing to train on.
    """
    size = script.eval_size
    if size < 0 or script.eval_samples < 1:
        sys.exit("error: --eval_size must be at least 0 and --eval_samples at least 1.")
    if script.dataset_path is not None:
        data = read_problems(Path(script.dataset_path))
        if len(data) <= size:
            sys.exit(f"error: {script.dataset_path} has {len(data)} problems and --eval_size {size} holds out as many.")
        order = data.shuffle(seed=0)  # not the run's seed: a problem held out once is held out under every seed
        return order.select(range(size, len(data))), order.select(range(size))
    if script.dataset_name is not None:
        data = load_dataset(script.dataset_name, script.dataset_config)
        train, held_out = data[script.dataset_train_split], data[script.dataset_test_split].shuffle(seed=0)
        require_columns(train)
        require_columns(held_out)
        return train, held_out.select(range(min(size, len(held_out))))
    problems = word_problems(2000, seed=seed), word_problems(size, seed=0, split="test")
    return Dataset.from_list(problems[0]), Dataset.from_list(problems[1])


def read_problems(path: Path) -> Dataset:
    """A file of JSON lines in GSM8K's own format."""
    if not path.is_file():
        sys.exit(f"error: --dataset_path {path}: there is no such file (in {os.getcwd()}).")
    if not path.stat().st_size:
        sys.exit(f"error: --dataset_path {path} is empty; it needs one JSON object a line.")
    try:
        problems = load_dataset("json", data_files=str(path), split="train")
    except (DatasetGenerationError, ValueError) as error:
        sys.exit(f"error: --dataset_path {path} must hold one JSON object a line: {error.__cause__ or error}")
    require_columns(problems)
    return (
        problems.add_column("line", list(range(1, len(problems) + 1))) if "line" not in problems.features else problems
    )


def require_columns(problems: Dataset) -> None:
    for column in ("question", "answer"):
        if column not in problems.column_names:
            sys.exit(f"error: the problems have no column '{column}'. Columns: {', '.join(problems.column_names)}.")
    if bad := [row for row, question in enumerate(problems["question"]) if not isinstance(question, str)]:
        sys.exit(
            f"error: the question of {len(bad)} of {len(problems)} problems is no text: rows {str(bad[:10])[1:-1]}."
        )
