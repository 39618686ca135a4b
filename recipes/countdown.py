"""Train a language model on Countdown with GRPO: combine the given numbers, each used once, to reach a target.

On a laptop, without a network: a tiny model on generated problems, in about a minute.

    accelerate launch recipes/countdown.py

The same model on a file of {"nums": [5, 2, 3], "target": 17} lines, or a real model on a GPU:

    accelerate launch recipes/countdown.py --dataset_path train.jsonl --max_steps 20
    accelerate launch recipes/countdown.py --model_name_or_path Qwen/Qwen2.5-1.5B-Instruct \\
        --dataset_name Jiayi-Pan/Countdown-Tasks-3to4 --dataset_test_split train --max_completion_length 1024

Every field of GRPOConfig and ModelConfig is an option; the command line overrides the YAML. Run again to resume.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from embedded import TINY_COUNTDOWN
from embedded.countdown_numbers import countdown_numbers, right
from training.arguments import ScriptArguments
from training.checks import check_before_loading, load_tokenizer
from training.data import Row, as_prompts, load_problems
from training.evaluation import Evaluation
from training.progress import LogCallback, ProgressLine, announce, end, save_results
from training.resume import checkpoint_to_resume, record_of, train
from training.rewards import accepted, load_rewards, read_columns
from trl import GRPOTrainer, get_peft_config, get_quantization_config

from grpo_rewards import check_rewards, reward
from grpo_rewards.checks import RewardMonitor
from grpo_rewards.loss import watch_loss

NAME = Path(__file__).stem  # a part of the output folder's name
COLUMNS = ("nums", "target")
# What is rewarded: an expression that reaches the target; of the given numbers, even if it does not; and reasoning.
REWARDS = {"expression_reaches": 1.0, "uses_each_number": 0.1, "think_answer_format": 0.2}
CORRECT = "expression_reaches"  # decides whether an answer is right
# What is trained where no model is named: 139,648 parameters that solve an eighth of the generated problems.
TINY = {"model_name_or_path": str(TINY_COUNTDOWN), "learning_rate": 3e-4, "max_steps": 60, "max_completion_length": 28}


def problems(args: ScriptArguments, seed: int, **options: Any) -> tuple[Dataset, Dataset]:
    """The problems to train on and those held out: of the data that are named, or generated."""
    return load_problems(args, COLUMNS, countdown_numbers, seed, **options)


def user_turn(row: Row) -> str:
    """The text of the user's turn."""
    numbers = str(row["nums"]).strip("[]")
    return (
        f"Reach {row['target']} with {numbers}, each used once, and + - * /. "
        "Reason in <think>, then give the expression in <answer>."
    )


# The decorator registers a reward under its function's name, by which REWARDS, --reward_funcs and a YAML find it.
# `completion` is given by the trainer, `nums` is a column of the data.
@reward(range=(0.0, 1.0))
def uses_each_number(completion: str, nums: Any) -> float | None:
    """1 if the last <answer>…</answer> has each given number once and no other, else 0; ``None`` if none is given."""
    given = re.findall("[0-9]+", str(nums))
    _, start, rest = completion.rpartition("<answer>")
    inside, end, _ = rest.partition("</answer>")
    if not given:
        return None
    return float(bool(start and end) and sorted(re.findall("[0-9]+", inside)) == sorted(given))


def main(argv: Sequence[str]) -> None:
    """Trains as the command line says."""
    script_args, training_args, model_args = arguments.parse_arguments(argv, TINY, REWARDS, NAME)
    check_before_loading(training_args, model_args)

    rewards = load_rewards(script_args.reward_funcs or REWARDS)
    both = problems(script_args, training_args.seed)
    train_set, held_out = as_prompts(both, user_turn, script_args.system_prompt, read_columns(rewards))
    tokenizer, thorough = load_tokenizer(model_args), script_args.thorough_check and training_args.process_index == 0
    report = check_rewards(rewards, train_set, tokenizer=tokenizer, args=training_args, thorough=thorough, right=right)
    rewards, train_set, held_out = accepted(report, train_set, held_out, script_args, training_args)
    record = record_of((script_args, training_args, model_args), rewards, train_set, held_out, recipe=NAME)
    checkpoint = checkpoint_to_resume(training_args, record, overwrite=script_args.overwrite)

    monitor = RewardMonitor(rewards)  # reports rewards that teach nothing, and signs of reward hacking
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=rewards,
        args=training_args,
        train_dataset=train_set,
        eval_dataset=held_out if len(held_out) else None,
        processing_class=tokenizer,
        peft_config=get_peft_config(model_args),
        quantization_config=get_quantization_config(model_args),
        callbacks=[monitor, ProgressLine(rewards, CORRECT, monitor), LogCallback()],
    )
    if script_args.watch_loss:
        watch_loss(trainer, every=10)
    evaluation = Evaluation(trainer, held_out, rewards, CORRECT, script_args)
    evaluation.attach()  # before training, and every eval_steps

    announce(trainer, "" if argv else "This takes about a minute on two cores.")
    train(trainer, checkpoint)
    results = evaluation.results()  # after training
    trainer.save_model(training_args.output_dir)
    save_results(trainer, results)
    end(trainer.accelerator)


if __name__ == "__main__":
    with arguments.ends_with_one_message(arguments.RESUME):
        main(sys.argv[1:])
