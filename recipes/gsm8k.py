"""Train a language model on grade-school arithmetic with GRPO and rule-based rewards.

On a laptop, without a network: a tiny model on generated word problems, in about a minute.

    accelerate launch recipes/gsm8k.py

The same model on GSM8K's own file, or a real model on a GPU:

    accelerate launch recipes/gsm8k.py --dataset_path train.jsonl --max_steps 20
    accelerate launch recipes/gsm8k.py --config recipes/configs/gsm8k/qwen2.5-0.5b.yaml

Every field of GRPOConfig and ModelConfig is an option; the command line overrides the YAML. Run again to resume.
The default shows that rewards and GRPO sharpen a strategy that the tiny model has, to reason and then use a box; it
teaches no arithmetic.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from embedded import TINY_WORD_PROBLEMS
from embedded.word_problems import word_problems
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

NAME = "word_problems" if Path(__file__).stem == "gsm8k" else Path(__file__).stem  # a copy has a folder of its own
COLUMNS = ("question", "answer")
# What is rewarded: the right answer in \boxed{…}, and reasoning in <think>…</think> before it.
REWARDS = {"boxed_answer": 1.0, "think_format": 0.2}
CORRECT = "boxed_answer"  # decides whether an answer is right
# What is trained where no model is named: 137,600 parameters that solve about half of the generated problems.
TINY = {
    "model_name_or_path": str(TINY_WORD_PROBLEMS),
    "learning_rate": 3e-4,
    "max_steps": 60,
    "max_completion_length": 32,
}


def problems(args: ScriptArguments, seed: int, **options: Any) -> tuple[Dataset, Dataset]:
    """The problems to train on and those held out: of the data that are named, or generated."""
    return load_problems(args, COLUMNS, word_problems, seed, **options)


def user_turn(row: Row) -> str:
    """The text of the user's turn."""
    question: str = row["question"]
    return question


def main(argv: Sequence[str], trainer_class: type[GRPOTrainer] = GRPOTrainer, **options: Any) -> None:
    """Trains as the command line says, with ``GRPOTrainer`` or a class derived from it and what else that takes."""
    name = NAME if trainer_class is GRPOTrainer else trainer_class.__name__  # which has a folder of its own, too
    script_args, training_args, model_args = arguments.parse_arguments(argv, TINY, REWARDS, name)
    check_before_loading(training_args, model_args)

    # The rewards read some of the columns; a trainer of one's own may read all that the recipe has.
    rewards = load_rewards(script_args.reward_funcs or REWARDS)
    reads = [*read_columns(rewards), *(() if trainer_class is GRPOTrainer else COLUMNS)]
    both = problems(script_args, training_args.seed)
    train_set, held_out = as_prompts(both, user_turn, script_args.system_prompt, reads)
    tokenizer, thorough = load_tokenizer(model_args), script_args.thorough_check and training_args.process_index == 0
    given = {name: options[name] for name in ("tools", "environment_factory") if name in options}
    report = check_rewards(rewards, train_set, tokenizer=tokenizer, args=training_args, thorough=thorough, **given)
    rewards, train_set, held_out = accepted(report, train_set, held_out, script_args, training_args)
    configs, more = (script_args, training_args, model_args), {"recipe": NAME, "trainer": trainer_class, **options}
    record = record_of(configs, rewards, train_set, held_out, **more)
    checkpoint = checkpoint_to_resume(training_args, record, overwrite=script_args.overwrite)

    monitor = RewardMonitor(rewards)  # reports rewards that teach nothing, and signs of reward hacking
    trainer = trainer_class(
        model=model_args.model_name_or_path,
        reward_funcs=rewards,
        args=training_args,
        train_dataset=train_set,
        eval_dataset=held_out if len(held_out) else None,
        processing_class=tokenizer,
        peft_config=get_peft_config(model_args),
        quantization_config=get_quantization_config(model_args),
        callbacks=[monitor, ProgressLine(rewards, CORRECT, monitor), LogCallback()],
        **options,
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
