"""Train a language model on grade-school arithmetic with GRPO and rule-based rewards.

On a laptop, without a network: a tiny model on generated word problems, in about a minute.

    accelerate launch recipes/gsm8k.py

The same model on GSM8K's own file, or a real model on a GPU:

    accelerate launch recipes/gsm8k.py --dataset_path train.jsonl --max_steps 20
    accelerate launch recipes/gsm8k.py --config recipes/configs/gsm8k/qwen2.5-0.5b.yaml

Every field of GRPOConfig and ModelConfig is an option; the command line overrides the YAML. Run again to resume.
"""

from __future__ import annotations

from embedded import TINY_WORD_PROBLEMS
from embedded.word_problems import word_problems
from running import Task, run

TASK = Task(
    name="word_problems",
    generate=word_problems,
    model=TINY_WORD_PROBLEMS,
    # What is rewarded: the right answer in \boxed{…}, and reasoning in <think>…</think> before it.
    rewards={"boxed_answer": 1.0, "think_format": 0.2},
    also_reported=("running.evaluation.harness.strict_match", "running.evaluation.harness.flexible_extract"),
    tiny={"learning_rate": 3e-4, "max_steps": 60, "max_completion_length": 32},
    shows=(
        "sampling found answers that reason first and then put the result in a box, the\n"
        "rewards favoured them, and GRPO made them more frequent. That strategy was a third of what the tiny\n"
        "model was warmed up on; GRPO sharpened it. It did not teach arithmetic."
    ),
)

if __name__ == "__main__":
    run(TASK)
