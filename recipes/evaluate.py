"""Evaluate a model, or two beside each other, on the held-out problems of a recipe.

    python recipes/evaluate.py outputs/tiny-word_problems --task gsm8k
    python recipes/evaluate.py Qwen/Qwen2.5-0.5B-Instruct outputs/qwen2.5-0.5b-gsm8k --task gsm8k \\
        --config recipes/configs/gsm8k/qwen2.5-0.5b.yaml --eval_size 1319 --use_vllm

A model is a folder of a run or a checkpoint, a folder of an adapter, or a name on the hub. How it is asked and on which
problems is taken from the run.json of its run, unless options say otherwise; they are those of the recipe. Stopped, it
goes on where it was.
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
from running.exam.asking import asked_at_once, hashed, identity
from running.exam.checkpoints import Checkpoint, checkpoint
from running.exam.comparing import told_of_groups, without_sizes
from running.exam.examinees import from_runs, told, trained_on
from running.exam.policies import Policy
from running.exam.summary import difference, printed
from running.exam.taking import Exam
from running.exam.untrained import BATCH_TOKENS, NOT_TRAINED, policy_of, refuse_what_cannot_load
from running.interrupted import ends_on_interrupt
from running.launch import announce
from running.paid_for import checked, load_rewards
from running.reading import as_prompts, load_problems
from running.settings import TaskArguments, settings
from running.task import task_called, task_names
from running.training import end
from transformers import TrainerState
from trl import GRPOConfig, ModelConfig, get_quantization_config

from grpo_rewards import Reward
from grpo_rewards.registry.functions.reward_code import reward_code

OUTPUT = Path("outputs") / "evaluations"


def evaluate(arguments: Sequence[str]) -> None:
    """Takes the exam of each model that the command line names, prints the figures and writes evaluation.json."""
    names, task, folder, options = asked_for(arguments)
    require_writable(folder)
    with ends_on_interrupt(f"What was answered so far is in {folder}: the same command line goes on from there."):
        taken = [
            take(name, task, options, found, folder)
            for name, found in zip(names, from_runs(names, task, options), strict=True)
        ]
        accelerator = Accelerator()
        if accelerator.is_main_process:
            report(names, taken, folder)
        end(accelerator)


def asked_for(arguments: Sequence[str]) -> tuple[list[str], Task, Path, list[str]]:
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


def take(name: str, task: Task, options: Sequence[str], found: Mapping[str, Any], folder: Path) -> tuple[Exam, Path]:
    """Takes the exam of one model, with what was ``found`` of its run. Returns it with the file of its answers."""
    script, training, model = settings(task, [*options, "--model_name_or_path", name, *NOT_TRAINED], found)
    announce(training)
    say(told(name, found, options), training)
    refuse_what_cannot_load(training, model)
    loaded = checkpoint(name, model.model_revision)
    problems, rewards = examined(task, script, training, loaded)
    say(trained_on(name, script, len(problems)), training)
    training.output_dir = str(folder)
    policy = policy_of(loaded, rewards, problems, training, model, options)
    prompts = policy.tokens(problems["prompt"])
    rows = asked_at_once(script.eval_batch_tokens or BATCH_TOKENS, prompts, training.max_completion_length)
    exam = Exam(problems, rewards, task.gold_reward, script.eval_samples, rows, training.seed)
    answers = folder / f"{Path(name).name}-{asked_identity(exam, policy, loaded, training, model)}.answers.jsonl"
    path = folder / answers.name.replace(".answers.jsonl", f"-{judged_identity(exam, script)}.parquet")
    if answers.is_file() and not path.is_file() and (judged := sorted(folder.glob(f"{answers.name[:-14]}-*.parquet"))):
        said = ", ".join(one.name for one in judged)
        say(
            f"{name}: its answers are kept, and judged anew: rewards, their code or golds are others than of {said}",
            training,
        )
    exam.take(policy, path, TrainerState(), answers)
    del policy
    clear_device_cache(garbage_collection=True)  # the next model needs the room
    return exam, path


def examined(
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
    say(told_of_groups(rewards, script.eval_samples), training)
    return problems, rewards


def asked_identity(exam: Exam, policy: Policy, loaded: Checkpoint, training: GRPOConfig, model: ModelConfig) -> str:
    """A short name of all that decides the answers: other ones are another file."""
    quantization = get_quantization_config(model)
    return identity(
        policy,
        exam.problems["prompt"],
        weights=loaded.weights,
        computed=[training.model_init_kwargs, training.bf16, training.fp16, quantization and quantization.to_dict()],
        **exam.drawn,
    )


def judged_identity(exam: Exam, script: TaskArguments) -> str:
    """A short name of all that decides the verdicts of some answers: the golds, and what the rewards do with them."""
    said = {
        "rewards": script.reward_funcs,
        "columns": exam.problems.remove_columns("prompt").to_list(),  # the golds among them
        "code": reward_code(exam.rewards),
        "grpo-rewards": version("grpo-rewards"),
    }
    return hashed(said)


def say(text: str, training: GRPOConfig) -> None:
    """Prints what there is to say, once."""
    if text and training.process_index == 0:
        print(text)


def report(names: Sequence[str], taken: Sequence[tuple[Exam, Path]], folder: Path) -> None:
    """Prints the figures of the models, and of two the difference, and writes them."""
    places = ("first", "second")[: len(names)] if len(names) > 1 else ("model",)
    figures = {place: exam.figures(path) for place, (exam, path) in zip(places, taken, strict=True)}
    if len(taken) > 1:
        figures["difference"] = difference(*(exam.by_problem(path) for exam, path in taken))
    print("\n" + "".join(f"{place}: {name}\n" for place, name in zip(places, names, strict=True)))
    exam = taken[0][0]
    print(printed(figures, exam.samples))
    answers = [str(path) for _, path in taken]
    said = {"models": list(names), "answers": answers, "problems": len(exam.problems), "samples": exam.samples}
    (folder / "evaluation.json").write_text(json.dumps({**said, **figures}, indent=2))
    print(f"\nFigures are in {folder / 'evaluation.json'}, answers with their verdicts in {', '.join(answers)}.")


if __name__ == "__main__":
    evaluate(sys.argv[1:])
