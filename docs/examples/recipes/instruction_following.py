"""Train a language model to follow instructions that can be checked. Copy this file into recipes/ and start it there.

    accelerate launch recipes/instruction_following.py                           the tiny model, on generated requests
    accelerate launch recipes/instruction_following.py --dataset_path requests.jsonl --model_name_or_path MODEL

The data have IFEval's columns: prompt, instruction_id_list and kwargs.
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

NAME = "instruction_following"
COLUMNS = ("prompt", "instruction_id_list", "kwargs")
# An instruction says nothing of the contents. A judge or a reward model for these stands beside them in a real run.
REWARDS = {"instructions": 1.0, "repetition(ngram=10)": 0.5}
CORRECT = "instructions"  # decides whether an answer is right
TINY = {
    "model_name_or_path": str(TINY_WORD_PROBLEMS),
    "learning_rate": 3e-4,
    "max_steps": 10,
    "max_completion_length": 48,
}

# an instruction's name, its arguments, and how a request words it
KINDS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("punctuation:no_comma", {}, "Use no commas."),
    ("length_constraints:number_words", {"num_words": 12, "relation": "at least"}, "Use at least 12 words."),
    ("detectable_format:number_bullet_lists", {"num_bullets": 3}, "Answer in exactly 3 bullet points, such as * this."),
    ("startend:quotation", {}, "Wrap the whole answer in double quotation marks."),
)
TOPICS = {
    "train": ("bread", "rivers", "chess", "bees", "maps", "tea", "clocks", "snow", "bridges", "owls"),
    "test": ("ships", "rain", "violins", "glass"),
}


def requests(n: int, seed: int, split: str = "train") -> list[dict[str, Any]]:
    """n requests with one or two instructions each, about topics that no other split has."""
    draw = random.Random(f"{split} {seed}")
    rows = []
    for _ in range(n):
        kinds = draw.sample(KINDS, draw.choice((1, 2)))
        rows.append(
            {
                "prompt": " ".join(
                    [f"Tell me about {draw.choice(TOPICS[split])}.", *(wording for *_, wording in kinds)]
                ),
                "instruction_id_list": [name for name, *_ in kinds],
                "kwargs": [arguments for _, arguments, _ in kinds],
            }
        )
    return rows


def problems(args: ScriptArguments, seed: int, **options: Any) -> tuple[Dataset, Dataset]:
    """The problems to train on and those held out: of the data that are named, or generated."""
    return load_problems(args, COLUMNS, requests, seed, **options)


def user_turn(row: Row) -> str:
    """The text of the user's turn."""
    return str(row["prompt"])


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
