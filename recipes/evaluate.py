"""Evaluate a model, or two beside each other, on the held-out problems of a recipe.

    python recipes/evaluate.py outputs/tiny-word_problems --task gsm8k
    python recipes/evaluate.py Qwen/Qwen2.5-0.5B-Instruct outputs/qwen2.5-0.5b-gsm8k --task gsm8k \\
        --config recipes/configs/gsm8k/qwen2.5-0.5b.yaml --eval_size 1319 --use_vllm

A model is a folder of a run or a checkpoint, a folder of an adapter, or a name on the hub. How it is prompted and on
which problems is taken from the run.json of its run, unless options say otherwise; they are those of the recipe.
Stopped, it goes on where it was.
"""

from __future__ import annotations

from running import Task  # isort: skip  # first: it says what is missing

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any

from accelerate import Accelerator
from accelerate.utils.memory import clear_device_cache
from datasets import Dataset
from running.before_loading.disk import require_writable
from running.evaluation.batched_generation import hashed, identity, rows_at_once
from running.evaluation.checkpoints import Checkpoint, checkpoint
from running.evaluation.compared_models import from_runs, settings_note, trained_on
from running.evaluation.comparing import groups_note, without_sizes
from running.evaluation.held_out import Evaluation
from running.evaluation.policies import Policy
from running.evaluation.summary import difference, printed
from running.evaluation.untrained import BATCH_TOKENS, NOT_TRAINED, policy_of, refuse_what_cannot_load
from running.interrupted import ends_on_interrupt
from running.launch import announce
from running.reading import as_prompts, load_problems
from running.reward_setup import checked, load_rewards
from running.settings import TaskArguments, settings
from running.task import task_called, task_names
from running.training import end
from transformers import TrainerState
from trl import GRPOConfig, ModelConfig, get_quantization_config

from grpo_rewards import Reward
from grpo_rewards.scoring.reward_code import reward_code

OUTPUT = Path("outputs") / "evaluations"


def evaluate(arguments: Sequence[str]) -> None:
    """Evaluates each model that the command line names, prints the figures and writes evaluation.json."""
    names, task, folder, options = parsed(arguments)
    require_writable(folder)
    with ends_on_interrupt(f"What was answered so far is in {folder}: the same command line goes on from there."):
        taken = [
            evaluated(name, task, options, found, folder)
            for name, found in zip(names, from_runs(names, task, options), strict=True)
        ]
        accelerator = Accelerator()
        if accelerator.is_main_process:
            report(names, taken, folder)
        end(accelerator)


def parsed(arguments: Sequence[str]) -> tuple[list[str], Task, Path, list[str]]:
    """The models, the task, where to write, and the other options; ends the program where they are not clear."""
    names = list(takewhile(lambda one: not one.startswith("-"), arguments))
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--task")
    parser.add_argument("--output_dir", type=Path, default=OUTPUT)  # that of a YAML is the run's
    found, options = parser.parse_known_args(arguments[len(names) :])
    if found.task is None or len(names) not in (1, 2):
        tasks = "|".join(task_names())
        sys.exit(f"usage: python recipes/evaluate.py MODEL [MODEL2] --task {tasks} [options of that recipe]")
    return names, task_called(found.task), found.output_dir, options


def evaluated(
    name: str, task: Task, options: Sequence[str], found: Mapping[str, Any], folder: Path
) -> tuple[Evaluation, Path]:
    """Evaluates one model, with what was ``found`` of its run. Returns the evaluation with the file of its answers."""
    script, training, model = settings(task, [*options, "--model_name_or_path", name, *NOT_TRAINED], found)
    announce(training)
    print_once(settings_note(name, found, options), training)
    refuse_what_cannot_load(training, model)
    loaded = checkpoint(name, model.model_revision)
    problems, rewards = held_out_problems(task, script, training, loaded)
    print_once(trained_on(name, script, len(problems)), training)
    training.output_dir = str(folder)
    policy = policy_of(loaded, rewards, problems, training, model, options)
    prompts = policy.tokens(problems["prompt"])
    rows = rows_at_once(script.eval_batch_tokens or BATCH_TOKENS, prompts, training.max_completion_length)
    evaluation = Evaluation(
        problems, rewards, task.gold_reward, script.eval_samples, rows, training.seed, script.eval_greedy
    )
    answers = (
        folder / f"{Path(name).name}-{answers_identity(evaluation, policy, loaded, training, model)}.answers.jsonl"
    )
    path = folder / answers.name.replace(".answers.jsonl", f"-{judged_identity(evaluation, script)}.parquet")
    if answers.is_file() and not path.is_file() and (judged := sorted(folder.glob(f"{answers.name[:-14]}-*.parquet"))):
        others = ", ".join(one.name for one in judged)
        print_once(
            f"{name}: its answers are kept, and judged anew: rewards, their code or golds are others than of {others}",
            training,
        )
    evaluation.run(policy, path, TrainerState(), answers)
    del policy
    clear_device_cache(garbage_collection=True)  # the next model needs the room
    return evaluation, path


def held_out_problems(
    task: Task, script: TaskArguments, training: GRPOConfig, loaded: Checkpoint
) -> tuple[Dataset, list[Reward]]:
    """The held-out problems with their prompts, and the rewards that are reported of them."""
    if script.eval_size == 0:
        sys.exit("error: --eval_size 0 leaves nothing to evaluate. A number beyond the problems there are takes all.")
    script.reward_funcs = list(dict.fromkeys([*(script.reward_funcs or task.rewards), *task.also_reported]))
    training.reward_weights = None
    _, held_out = load_problems(task, script, seed=training.seed, trains=False)
    problems = as_prompts(task, held_out, script.system_prompt)
    rewards = without_sizes(load_rewards(task, script, training))
    rewards, problems, _ = checked(rewards, problems, held_out, script, training, loaded.tokenizer, trains=False)
    print_once(groups_note(rewards, script.eval_samples), training)
    return problems, rewards


def answers_identity(
    evaluation: Evaluation, policy: Policy, loaded: Checkpoint, training: GRPOConfig, model: ModelConfig
) -> str:
    """A short name of all that decides the answers: other ones are another file."""
    quantization = get_quantization_config(model)
    return identity(
        policy,
        evaluation.problems["prompt"],
        weights=loaded.weights,
        computed=[training.model_init_kwargs, training.bf16, training.fp16, quantization and quantization.to_dict()],
        **evaluation.drawn,
    )


def judged_identity(evaluation: Evaluation, script: TaskArguments) -> str:
    """A short name of all that decides the verdicts of some answers: the golds, and what the rewards do with them."""
    judging = {
        "rewards": script.reward_funcs,
        "columns": evaluation.problems.remove_columns("prompt").to_list(),  # the golds among them
        "code": reward_code(evaluation.rewards),
        "grpo-rewards": version("grpo-rewards"),
    }
    return hashed(judging)


def print_once(text: str, training: GRPOConfig) -> None:
    """Prints a message, once."""
    if text and training.process_index == 0:
        print(text)


def report(names: Sequence[str], taken: Sequence[tuple[Evaluation, Path]], folder: Path) -> None:
    """Prints the figures of the models, and of two the difference, and writes them."""
    places = ("first", "second")[: len(names)] if len(names) > 1 else ("model",)
    figures = {place: evaluation.figures(path) for place, (evaluation, path) in zip(places, taken, strict=True)}
    if len(taken) > 1:
        figures["difference"] = difference(*(evaluation.by_problem(path) for evaluation, path in taken))
    print("\n" + "".join(f"{place}: {name}\n" for place, name in zip(places, names, strict=True)))
    evaluation = taken[0][0]
    print(printed(figures, evaluation.samples))
    answers = [str(path) for _, path in taken]
    summary = {
        "models": list(names),
        "answers": answers,
        "problems": len(evaluation.problems),
        "samples": evaluation.samples,
    }
    (folder / "evaluation.json").write_text(json.dumps({**summary, **figures}, indent=2))
    print(f"\nFigures are in {folder / 'evaluation.json'}, answers with their verdicts in {', '.join(answers)}.")


if __name__ == "__main__":
    evaluate(sys.argv[1:])
