"""A trainer of the tiny model, for runs of a few steps."""

from datasets import Dataset
from places import TINY
from quiet_training import QUIET
from trl import GRPOConfig, GRPOTrainer

import grpo_rewards as gr


def uneven(completions, **_):
    """Another number for each completion, so that no loss is 0."""
    return [len(text) + index / 8 for index, text in enumerate(completions)]


def trainer(folder, given=None, kind=GRPOTrainer, **options):
    """``given``: arguments of the trainer itself, and ``eval_rows``, how many rows there are to evaluate on."""
    few = {"max_steps": 3, "per_device_train_batch_size": 8, "num_generations": 4, "max_completion_length": 16}
    rows = [{"prompt": f"{n} + 2?\n", "answer": str(n + 2)} for n in range(40)]
    given = dict(given or {})
    if eval_rows := given.pop("eval_rows", 0):
        given["eval_dataset"] = Dataset.from_list(rows[:eval_rows])
    return kind(
        **{
            "model": str(TINY),
            "reward_funcs": [gr.final_answer, gr.repetition],
            "train_dataset": Dataset.from_list(rows),
            **given,
        },
        args=GRPOConfig(output_dir=str(folder), **{**QUIET, **few, **options}),
    )
