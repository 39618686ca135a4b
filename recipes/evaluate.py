"""Evaluate a model, or two beside each other, on the held-out problems of a recipe.

    python recipes/evaluate.py outputs/tiny-word_problems --task gsm8k
    python recipes/evaluate.py Qwen/Qwen2.5-0.5B-Instruct outputs/qwen2.5-0.5b-gsm8k --task gsm8k \\
        --config recipes/configs/gsm8k/qwen2.5-0.5b.yaml --eval_size 1319 --use_vllm

A model is a folder of a run or a checkpoint, a folder of an adapter, or a name on the hub. The options are those of the
recipe: with the configuration of a run the exam is that run's own. Stopped, it goes on where it was.
"""

from __future__ import annotations

from running import Task  # isort: skip  # first: it says what is missing

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path

from accelerate import Accelerator
from accelerate.utils.memory import clear_device_cache
from datasets import Dataset
from running.command_line import peek
from running.exam.asking import asked_at_once, identity
from running.exam.checkpoints import Checkpoint, checkpoint
from running.exam.engine import EnginePolicy
from running.exam.policies import Policy, TrainersPolicy
from running.exam.summary import difference, printed
from running.exam.taking import Exam
from running.launch import announce
from running.paid_for import checked, load_rewards
from running.reading import as_prompts, load_problems
from running.settings import settings
from running.training import end
from transformers import TrainerState
from trl import GRPOConfig, GRPOTrainer, ModelConfig

from grpo_rewards import Reward

BATCH_TOKENS = 32_768  # prompts and answers at once: some 2 GB of keys and values for a model of 7 billion parameters
# What only training reads, at values that fit any number of processes: a configuration of a run may be for eight.
NOT_TRAINED = (
    *("--num_generations", "2", "--per_device_train_batch_size", "2"),
    *("--beta", "0", "--sync_ref_model", "false", "--log_completions", "false", "--eval_strategy", "no"),
    *("--report_to", "none", "--push_to_hub", "false", "--load_best_model_at_end", "false"),
)


def evaluate(arguments: Sequence[str]) -> None:
    """Takes the exam of each model that the command line names, prints the figures and writes evaluation.json."""
    names, task, options = asked_for(arguments)
    folder = Path(peek(options, ("output_dir",))["output_dir"] or Path("outputs") / "evaluations")
    taken = [take(name, task, options, folder) for name in names]
    accelerator = Accelerator()
    if accelerator.is_main_process:
        report(names, taken, folder)
    end(accelerator)


def asked_for(arguments: Sequence[str]) -> tuple[list[str], Task, list[str]]:
    """The models, the task, and the other options; ends the program with a message where they are not clear."""
    names = list(takewhile(lambda one: not one.startswith("-"), arguments))
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--task")
    found, options = parser.parse_known_args(arguments[len(names) :])
    tasks = task_names()
    if found.task not in tasks or len(names) not in (1, 2):
        sys.exit(f"usage: python recipes/evaluate.py MODEL [MODEL2] --task {'|'.join(tasks)} [options of that recipe]")
    return names, task_called(found.task), options


def task_names() -> list[str]:
    """The recipes that say what a task is."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if "\nTASK = Task(" in path.read_text())


def task_called(name: str) -> Task:
    task: Task = importlib.import_module(name).TASK
    return task


def take(name: str, task: Task, options: Sequence[str], folder: Path) -> tuple[Exam, Path]:
    """Takes the exam of one model. Returns it with the file of its answers."""
    script, training, model = settings(task, [*options, "--model_name_or_path", name, *NOT_TRAINED])
    announce(training)
    refuse_what_vllm_cannot(training)
    script.reward_funcs = list(dict.fromkeys([*(script.reward_funcs or task.rewards), *task.also_reported]))
    training.reward_weights = None
    loaded = checkpoint(name, model.model_revision)
    _, held_out = load_problems(task, script, seed=training.seed)
    problems = as_prompts(task, held_out, script.system_prompt)
    rewards = checked(load_rewards(task, script, training), problems, held_out, script, training, loaded.tokenizer)
    training.output_dir = str(folder)
    policy = policy_of(loaded, rewards, problems, training, model, options)
    prompts = policy.tokens(problems["prompt"])
    rows = asked_at_once(script.eval_batch_tokens or BATCH_TOKENS, prompts, training.max_completion_length)
    exam = Exam(problems, rewards, task.gold_reward, script.eval_samples, rows, training.seed)
    which = identity(policy, problems["prompt"], weights=loaded.weights, rewards=script.reward_funcs, **exam.drawn)
    path = folder / f"{Path(name).name}-{which}.parquet"
    exam.take(policy, path, TrainerState(), loaded.weights)
    del policy
    clear_device_cache(garbage_collection=True)  # the next model needs the room
    return exam, path


def policy_of(
    loaded: Checkpoint,
    rewards: list[Reward],
    problems: Dataset,
    training: GRPOConfig,
    model: ModelConfig,
    options: Sequence[str],
) -> Policy:
    """Who is asked: the model in a trainer, which generates as in training, or in vLLM."""
    if training.use_vllm:
        memory = peek(options, ("vllm_gpu_memory_utilization",))["vllm_gpu_memory_utilization"]
        return EnginePolicy(loaded, training, float(memory or 0.9), model.dtype or "auto")
    return TrainersPolicy(trainer_of(loaded, rewards, problems, training))


def refuse_what_vllm_cannot(training: GRPOConfig) -> None:
    if training.use_vllm and find_spec("vllm") is None:
        sys.exit('error: --use_vllm needs vLLM: pip install "trl[vllm]".')
    if training.use_vllm and training.world_size > 1:
        sys.exit("error: vLLM is asked by one process; share a model by --vllm_tensor_parallel_size instead.")


def trainer_of(model: Checkpoint, rewards: list[Reward], problems: Dataset, training: GRPOConfig) -> GRPOTrainer:
    """A trainer that trains nothing: it is what generates in a run."""
    options = training.model_init_kwargs or {}
    return GRPOTrainer(
        model=model.name if model.base is None else model.merged(**options),
        reward_funcs=list(rewards),
        args=training,
        train_dataset=problems,
        processing_class=model.tokenizer,
    )


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
