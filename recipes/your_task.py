"""Train a language model on a task of your own. Copy this file, and change what stands under 1, 2 and 3.

    python recipes/your_task.py                                           the tiny model, on a CPU, to see that it runs
    accelerate launch recipes/your_task.py --model_name_or_path Qwen/Qwen2.5-0.5B-Instruct       a real one, on a GPU

Nothing else is needed: every field of GRPOConfig and ModelConfig is an option, --config FILE.yaml holds any of them,
and what is wrong with the data or a reward is reported before a model is loaded. Run again to resume.
"""

from __future__ import annotations

from running import Task, run  # isort: skip  # first: it says what is missing

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embedded import TINY_WORD_PROBLEMS

from grpo_rewards import reward

# 1. The data: a file with one JSON object a line, and the columns that the prompt and the rewards read. Some of its
#    rows, --eval_size of them, are held out and evaluated before and after. A data set on the hub: --dataset_name.
DATA = Path(__file__).with_name("your_task.jsonl")  # {"question": "Ana has 4 eggs and finds 3 more. …", "answer": "7"}
COLUMNS = ("question", "answer")


# 2. The prompt: what the user says, made from a row. Say in it what the rewards will look for.
def user_turn(row: Mapping[str, Any]) -> str:
    """The text of the user's turn."""
    return f"{row['question']} Put the result in \\boxed{{}}."


# 3. The rewards, each with its weight, and which of them decides whether an answer is right. There are many to choose
#    from: docs/rewards.md. One of your own is a function with a decorator, which registers it under the function's
#    name. Before the star: what the trainer gives, `completion` and columns of the data. After it: options.
@reward
def brief(completion: str, *, characters: int) -> float:
    """1 if the completion is no longer than that, else 0."""
    return float(len(completion) <= characters)


REWARDS = {"boxed_answer": 1.0, "brief(characters=60)": 0.1}
GOLD_REWARD = "boxed_answer"

TASK = Task(
    name="your_task",
    data=DATA,
    columns=COLUMNS,
    ask=user_turn,
    rewards=REWARDS,
    gold_reward=GOLD_REWARD,
    # what is trained where no model is named: 137,600 parameters that know word problems, and nothing else
    model=TINY_WORD_PROBLEMS,
    tiny={"learning_rate": 3e-4, "max_steps": 30, "max_completion_length": 32},
)

if __name__ == "__main__":
    run(TASK)
