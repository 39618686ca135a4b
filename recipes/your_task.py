"""Train a language model on a task of your own. Copy this file, and change what stands under 1, 2 and 3.

    python recipes/your_task.py                                           the tiny model, on a CPU, to see that it runs
    accelerate launch recipes/your_task.py --model_name_or_path Qwen/Qwen2.5-0.5B-Instruct       a real one, on a GPU

Nothing else is needed: every field of GRPOConfig and ModelConfig is an option, --config FILE.yaml holds any of them,
and what is wrong with the data or a reward is reported before a model is loaded. Run again to resume.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import sys
from collections.abc import Sequence
from pathlib import Path
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

from grpo_rewards import check_rewards, reward
from grpo_rewards.checks import RewardMonitor
from grpo_rewards.loss import watch_loss

NAME = Path(__file__).stem  # a part of the output folder's name

# 1. The data: a file with one JSON object a line, and the columns that the prompt and the rewards read. Some of its
#    rows, --eval_size of them, are held out and evaluated before and after. A data set on the hub: --dataset_name.
DATA = Path(__file__).with_name("your_task.jsonl")  # {"question": "Ana has 4 eggs and finds 3 more. …", "answer": "7"}
COLUMNS = ("question", "answer")


def problems(args: ScriptArguments, seed: int, **options: Any) -> tuple[Dataset, Dataset]:
    """The problems to train on and those held out."""
    if args.dataset_path is None and args.dataset_name is None:
        args.dataset_path = str(DATA)
    return load_problems(args, COLUMNS, None, seed, **options)


# 2. The prompt: what the user says, made from a row. Say in it what the rewards will look for.
def user_turn(row: Row) -> str:
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
CORRECT = "boxed_answer"

# What is trained where no model is named: 137,600 parameters that know word problems, and nothing else.
TINY = {
    "model_name_or_path": str(TINY_WORD_PROBLEMS),
    "learning_rate": 3e-4,
    "max_steps": 30,
    "max_completion_length": 32,
}


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
