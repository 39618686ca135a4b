"""Train a language model on multiple choice with GRPO. Copy this file into recipes/ and start it there.

    accelerate launch recipes/multiple_choice.py                                 the tiny model, on generated questions
    accelerate launch recipes/multiple_choice.py --dataset_path quiz.jsonl --model_name_or_path MODEL     a real one

The data have the columns question, choices (a list of texts) and answer (a letter, a text, or an index from 0).
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import random
import sys
from collections.abc import Sequence
from typing import Any

from datasets import Dataset
from embedded import TINY_WORD_PROBLEMS
from training.arguments import ScriptArguments
from training.checks import check_before_loading, load_tokenizer
from training.data import Row, as_prompts, load_problems
from training.evaluation import Evaluation
from training.progress import LogCallback, ProgressLine, announce, end, save_results
from training.resume import checkpoint_to_resume, record_of, train
from training.rewards import accepted, load_rewards, read_columns
from trl import GRPOTrainer, get_peft_config, get_quantization_config

from grpo_rewards import check_rewards
from grpo_rewards.checks import RewardMonitor
from grpo_rewards.loss import watch_loss

NAME = "multiple_choice"
COLUMNS = ("question", "answer", "choices")
REWARDS = {"multiple_choice": 1.0, "boxed_format": 0.1}
CORRECT = "multiple_choice"  # decides whether an answer is right
TINY = {
    "model_name_or_path": str(TINY_WORD_PROBLEMS),
    "learning_rate": 3e-4,
    "max_steps": 10,
    "max_completion_length": 32,
}
LETTERS = "ABCDEFGHIJ"


def questions(n: int, seed: int, split: str = "train") -> list[dict[str, Any]]:
    """n sums with four results to choose from; those whose two numbers are equal are held out."""
    draw = random.Random(f"{split} {seed}")
    pairs = [(a, b) for a in range(2, 30) for b in range(2, 30) if (a == b) == (split == "test")]
    return [row_of(*draw.choice(pairs), draw) for _ in range(n)]


def row_of(a: int, b: int, draw: random.Random) -> dict[str, Any]:
    """One question, with the right result and three near it in any order."""
    near = draw.sample([one for one in range(a + b - 5, a + b + 6) if one not in (a + b, a, b)], 3)
    choices = draw.sample([a + b, *near], 4)
    return {
        "question": f"What is {a} + {b}?",
        "choices": [str(one) for one in choices],
        "answer": LETTERS[choices.index(a + b)],
    }


def user_turn(row: Row) -> str:
    """The question, its options with letters, and how the answer is to be written."""
    options = "\n".join(f"{letter}) {text}" for letter, text in zip(LETTERS, row["choices"], strict=False))
    return f"{row['question']}\n{options}\nReason first, then give the letter of one option in \\boxed{{}}."


def problems(args: ScriptArguments, seed: int, **options: Any) -> tuple[Dataset, Dataset]:
    """The problems to train on and those held out: of the data that are named, or generated."""
    return load_problems(args, COLUMNS, questions, seed, **options)


def main(argv: Sequence[str]) -> None:
    """Trains as the command line says."""
    script_args, training_args, model_args = arguments.parse_arguments(argv, TINY, REWARDS, NAME)
    check_before_loading(training_args, model_args)

    rewards = load_rewards(script_args.reward_funcs or REWARDS)
    both = problems(script_args, training_args.seed)
    train_set, held_out = as_prompts(both, user_turn, script_args.system_prompt, read_columns(rewards))
    tokenizer, thorough = load_tokenizer(model_args), script_args.thorough_check and training_args.process_index == 0
    report = check_rewards(rewards, train_set, tokenizer=tokenizer, args=training_args, thorough=thorough)
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

    announce(trainer)
    train(trainer, checkpoint)
    results = evaluation.results()  # after training
    trainer.save_model(training_args.output_dir)
    save_results(trainer, results)
    end(trainer.accelerator)


if __name__ == "__main__":
    with arguments.ends_with_one_message(arguments.RESUME):
        main(sys.argv[1:])
