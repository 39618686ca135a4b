"""Train a language model to call tools with GRPO. Copy this file into recipes/ and start it there.

    accelerate launch recipes/tool_calls.py                                       the tiny model, on generated requests
    accelerate launch recipes/tool_calls.py --dataset_path calls.jsonl --model_name_or_path MODEL            a real one

The data have the columns question, answer (the calls that are wanted, as JSON) and tools (their descriptions, as JSON).
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import json
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

NAME = "tool_calls"
COLUMNS = ("question", "answer", "tools")
REWARDS = {"tool_calls": 1.0, 'tool_calls(credit="arguments", name="nearly_right")': 0.2}
CORRECT = "tool_calls"  # decides whether an answer is right
TINY = {
    "model_name_or_path": str(TINY_WORD_PROBLEMS),
    "learning_rate": 3e-4,
    "max_steps": 10,
    "max_completion_length": 48,
}

TOOLS = json.dumps(
    [
        {"name": "weather", "parameters": {"city": "string", "day": "string"}},
        {"name": "timer", "parameters": {"minutes": "integer"}},
    ]
)
CITIES = {"train": ("Oslo", "Lima", "Kyiv", "Accra", "Quito"), "test": ("Bonn", "Pune")}


def requests(n: int, seed: int, split: str = "train") -> list[dict[str, Any]]:
    """n requests; a third wants the weather, a third a timer, and a third is small talk and wants no call."""
    draw = random.Random(f"{split} {seed}")
    return [row_of(draw.randrange(3), draw, split) for _ in range(n)]


def row_of(kind: int, draw: random.Random, split: str) -> dict[str, Any]:
    """One request, with the calls that it wants."""
    city, day = draw.choice(CITIES[split]), draw.choice(("today", "tomorrow"))
    minutes = 2 * draw.randint(1, 30) + (split == "test")
    question, calls = (
        (f"What will the weather be in {city} {day}?", [{"name": "weather", "arguments": {"city": city, "day": day}}]),
        (f"Set a timer for {minutes} minutes.", [{"name": "timer", "arguments": {"minutes": minutes}}]),
        (f"Greetings from {city}!", []),
    )[kind]
    return {"question": question, "answer": json.dumps(calls), "tools": TOOLS}


def user_turn(row: Row) -> str:
    """The tools, how a call is written, and the request."""
    return (
        f"Tools: {row['tools']}\nCall one as "
        '<tool_call>{"name": …, "arguments": {…}}</tool_call>, or answer in words where none is needed.\n'
        f"{row['question']}"
    )


def problems(args: ScriptArguments, seed: int, **options: Any) -> tuple[Dataset, Dataset]:
    """The problems to train on and those held out: of the data that are named, or generated."""
    return load_problems(args, COLUMNS, requests, seed, **options)


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
