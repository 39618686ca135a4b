"""Train a language model to call a calculator: GRPO with a tool, an environment, and rewards that read both.

On a laptop, without a network: a tiny model on generated word problems, in about a minute.

    accelerate launch recipes/calculator.py

A real model on the same problems, on a GPU; check_rewards says whether its chat template can call tools:

    accelerate launch recipes/calculator.py --model_name_or_path Qwen/Qwen3-1.7B --max_completion_length 1024 \\
        --learning_rate 1e-6 --per_device_train_batch_size 8 --gradient_accumulation_steps 16 \\
        --per_device_eval_batch_size 8 --gradient_checkpointing true

Every field of GRPOConfig and ModelConfig is an option. docs/agents.md says what each reward sees of a transcript.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from datasets import Dataset
from embedded.calculator_problems import TINY_CALCULATOR, calculator_problems
from training.checks import check_before_loading
from training.progress import ProgressLine, announce
from training.rewards import print_once
from transformers import AutoTokenizer
from trl import GRPOTrainer, get_peft_config

from grpo_rewards import boxed_answer, check_rewards, reward, tool_calls
from grpo_rewards.answers import read_arithmetic
from grpo_rewards.checks import RewardMonitor
from grpo_rewards.scoring.tally import wilson

DEFAULTS = {
    "model_name_or_path": str(TINY_CALCULATOR),
    "output_dir": "outputs/tiny-calculator",
    "learning_rate": 3e-4,
    "lr_scheduler_type": "constant",
    "max_steps": 60,
    "per_device_train_batch_size": 128,
    "per_device_eval_batch_size": 200,
    "num_generations_eval": 1,  # one sample of each held-out problem, so that their mean has a simple interval
    "max_completion_length": 32,  # all turns together, with what the tool returns
    "gradient_checkpointing": False,
    "bf16": torch.cuda.is_available(),
    "dataloader_pin_memory": torch.cuda.is_available(),
    "reward_weights": [1.0, 0.2, 0.2],
    "logging_steps": 1,
    "log_completions": True,  # writes completions/*.parquet, which RewardMonitor reads
    "num_completions_to_print": 0,
    "report_to": "none",
    "save_strategy": "no",
}
INSTRUCTION = " Compute with the tool, in one expression. Then put the result, and nothing else, into \\boxed{…}."


@dataclass
class ScriptArguments:
    """How many problems are generated to train and to evaluate on."""

    train_size: int = 2000
    eval_size: int = 400


class Calculator:
    """The environment: a calculator for each completion. Its public method is the tool, its display the state."""

    def reset(self, **row: object) -> None:
        """Clears the display. The trainer calls it before each completion, with the row of the data."""
        self.display = ""

    def calculate(self, expression: str) -> str:
        """
        Computes an expression of numbers with + - * / and brackets.

        Args:
            expression: such as "47 * 86 + 529".
        """
        value = read_arithmetic(expression).value  # what is raised here, the model reads as the tool's error
        if value is None:
            raise ZeroDivisionError(expression)
        self.display = str(value)
        return self.display


@reward(range=(0.0, 1.0))
def display_shows(environments: Calculator | None, answer: str) -> float | None:
    """1 if the calculator last showed the answer, 0 if not, None where there is no calculator."""
    return None if environments is None else float(environments.display == answer)


# The box in the model's last message; the calls in all its messages; the state of the environment.
REWARDS = [boxed_answer, tool_calls.bind(columns={"answer": "calls"}), display_shows]


def problems(size: int, split: Literal["train", "test"], instruction: str) -> Dataset:
    """Rows of prompt, answer and calls."""
    rows = calculator_problems(size, seed=0, split=split)
    return Dataset.from_list(
        [{**row, "prompt": [{"role": "user", "content": row["question"] + instruction}]} for row in rows]
    )


def evaluated(trainer: GRPOTrainer) -> dict[str, list[float]]:
    """Each reward's mean over the held-out problems, with its 95 % interval."""
    trainer.evaluate()
    log, size = trainer.state.log_history[-1], len(trainer.eval_dataset)
    means = {one.__name__: log[f"eval_rewards/{one.__name__}/mean"] for one in REWARDS}
    return {name: [round(number, 3) for number in (mean, *wilson(mean, size))] for name, mean in means.items()}


def main() -> None:
    script_args, training_args, model_args = arguments.parse(sys.argv[1:], DEFAULTS, ScriptArguments)
    if script_args.train_size < 1 or script_args.eval_size < 1:
        sys.exit("error: --train_size and --eval_size must be at least 1.")
    check_before_loading(training_args, model_args)
    name = model_args.model_name_or_path
    instruction = "" if name == DEFAULTS["model_name_or_path"] else INSTRUCTION
    train_dataset = problems(script_args.train_size, "train", instruction)
    tokenizer = AutoTokenizer.from_pretrained(name, revision=model_args.model_revision)
    given = {"tokenizer": tokenizer, "args": training_args, "environment_factory": Calculator}
    report = check_rewards(REWARDS, train_dataset, **given).raise_for_errors()
    for finding in report:
        if finding.severity in ("warning", "note"):
            print_once(f"{finding.severity}: {finding}")
    trainer = GRPOTrainer(
        model=name,
        reward_funcs=report.rewards,
        args=training_args,
        train_dataset=train_dataset,
        eval_dataset=problems(script_args.eval_size, "test", instruction),
        processing_class=tokenizer,
        environment_factory=Calculator,
        peft_config=get_peft_config(model_args),
    )
    announce(trainer, "" if sys.argv[1:] else "This takes about a minute on two cores.")
    trainer.add_callback(monitor := RewardMonitor(report.rewards, gold=["boxed_answer"]))
    trainer.add_callback(ProgressLine(report.rewards, correct="boxed_answer", monitor=monitor))
    results = {"before": evaluated(trainer)}
    trainer.train()
    results["after"] = evaluated(trainer)
    trainer.save_model()
    if trainer.accelerator.is_main_process:
        (Path(training_args.output_dir) / "eval.json").write_text(json.dumps(results, indent=1))
        for reward_name, (mean, low, high) in results["before"].items():
            later, later_low, later_high = results["after"][reward_name]
            print(f"{reward_name}: {mean} [{low}, {high}] before, {later} [{later_low}, {later_high}] after")


if __name__ == "__main__":
    with arguments.ends_with_one_message("Run it again to start anew."):
        main()
