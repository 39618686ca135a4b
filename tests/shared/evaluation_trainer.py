"""A trainer of the tiny model with a handful of held-out problems, as the tests of evaluations need it."""

from pathlib import Path

from datasets import Dataset
from embedded.word_problems import word_problems
from gsm8k import user_turn
from places import TINY
from training.data import as_prompts
from trl import GRPOConfig, GRPOTrainer

import grpo_rewards as gr

(PROBLEMS,) = as_prompts([Dataset.from_list(word_problems(24, 0, "test"))], user_turn, None)
PROMPTS = list(PROBLEMS["prompt"])


def trainer_of(
    folder: Path, model: Path = TINY, eval_dataset: Dataset | None = None, **settings: object
) -> GRPOTrainer:
    usual = {"max_completion_length": 24, "per_device_train_batch_size": 8, "report_to": "none", "bf16": False}
    usual |= {"use_cpu": True, "gradient_checkpointing": False, "learning_rate": 1e-4, "disable_tqdm": True}
    args = GRPOConfig(output_dir=str(folder), **{**usual, **settings})
    return GRPOTrainer(str(model), [gr.boxed_answer], args, train_dataset=PROBLEMS, eval_dataset=eval_dataset)
