"""Evaluate a model, or two beside each other, on the held-out problems of a recipe; or ask a model one question.

    python recipes/evaluate.py outputs/tiny-word_problems --task gsm8k
    python recipes/evaluate.py Qwen/Qwen2.5-0.5B-Instruct outputs/qwen2.5-0.5b-gsm8k --task gsm8k \\
        --config recipes/configs/gsm8k/qwen2.5-0.5b.yaml --eval_size 1319 --use_vllm
    python recipes/evaluate.py outputs/tiny-word_problems --task gsm8k --ask "Ann has 3 apples and buys 4 more. …" \\
        --answer 7                                               what it says, and each reward's verdict on it

A model is a folder of a run or a checkpoint, a folder of an adapter, or a name on the hub. How it is prompted and on
which problems is taken from the run.json of its run, unless options say otherwise; they are those of the recipe.
Stopped, it goes on where it was.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import argparse
import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from hashlib import sha256
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any

from accelerate import Accelerator, PartialState
from accelerate.utils.memory import clear_device_cache
from datasets import Dataset
from peft import AutoPeftModelForCausalLM, LoraConfig, PeftConfig
from training.arguments import ScriptArguments
from training.checks import load_tokenizer, missing_packages, require_model, require_writable
from training.data import as_prompts
from training.evaluation import Answer, Evaluation, Messages, Policy, generate_answers
from training.figures import difference, table
from training.progress import end
from training.resume import read_json
from training.rewards import accepted, load_rewards, print_once, read_columns
from trl import GRPOConfig, GRPOTrainer, ModelConfig, get_quantization_config

from grpo_rewards import Reward, check_rewards
from grpo_rewards.errors import did_you_mean
from grpo_rewards.scoring.reward_code import reward_code

RECIPES = Path(__file__).resolve().parent
BATCH_TOKENS = 32_768  # prompts and answers at once: some 2 GB of keys and values for a model of 7 billion parameters
# What only training reads, at values that fit any number of processes: a configuration of a run may be for eight.
NOT_TRAINED = (
    *("--num_generations", "2", "--per_device_train_batch_size", "2"),
    *("--beta", "0", "--sync_ref_model", "false", "--log_completions", "false", "--eval_strategy", "no"),
    *("--report_to", "none", "--push_to_hub", "false", "--load_best_model_at_end", "false"),
    *("--optim", "adamw_torch", "--lr_scheduler_type", "constant"),
)
# What is taken from the run that made a model: how it was prompted, and on which problems it was evaluated.
GENERATION = (
    *("chat_template_kwargs", "max_completion_length", "temperature", "top_p", "top_k", "min_p"),
    *("repetition_penalty", "generation_kwargs"),
)
PROMPTING = ("system_prompt", *GENERATION, "dtype", "load_in_4bit", "load_in_8bit", "bnb_4bit_quant_type")
PROBLEMS = (
    *("dataset_path", "dataset_name", "dataset_config", "dataset_train_split", "dataset_test_split"),
    *("prompt_column", "answer_column", "eval_size", "eval_samples", "reward_funcs"),
)


def main(argv: Sequence[str]) -> None:
    """Evaluates each model that the command line names and writes evaluation.json, or asks one."""
    names = list(takewhile(lambda one: not one.startswith("-"), argv))
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--task")
    parser.add_argument("--output_dir", type=Path, default=Path("outputs") / "evaluations")  # a YAML's is the run's
    parser.add_argument("--ask")
    parser.add_argument("--row")
    parser.add_argument("--answer")
    own, options = parser.parse_known_args(argv[len(names) :])
    asks = own.ask is not None or own.row is not None
    if own.task is None or not 1 <= len(names) <= 2 - asks:
        known = "|".join(tasks())
        sys.exit(f"usage: python recipes/evaluate.py MODEL [MODEL2] --task {known} [options of that recipe]")
    task = task_called(own.task)
    if asks:
        ask(task, names[0], options, own)
        return
    require_writable(own.output_dir)
    runs = settings_of_runs(names, task, options)
    taken = [evaluated(task, name, options, run, own.output_dir) for name, run in zip(names, runs, strict=True)]
    accelerator = Accelerator()
    if accelerator.is_main_process:
        report(names, taken, own.output_dir)
    end(accelerator)


def tasks() -> list[str]:
    """The recipes that train, also those that a user put beside them."""
    return sorted(path.stem for path in RECIPES.glob("*.py") if "\nCORRECT = " in path.read_text(encoding="utf-8"))


def task_called(name: str) -> Any:
    """The module of a recipe: its rewards, prompt and problems. Ends the program where there is none of that name."""
    if name not in tasks():
        sys.exit(f"error: there is no --task {name}{did_you_mean(name, tasks())} Tasks: {', '.join(tasks())}.")
    return importlib.import_module(name)


def settings_of_runs(names: Sequence[str], task: Any, options: Sequence[str]) -> list[dict[str, Any]]:
    """For each model the settings of its run.json, by which it is prompted where the options do not say otherwise.

    A model that no run left here is prompted as the other one is, for they are compared. The problems and the rewards
    are those of the first run of this recipe, but not where the options name data.
    """
    folders = [Path(name).parent if Path(name).name.startswith("checkpoint-") else Path(name) for name in names]
    runs: list[dict[str, Any]] = [read_json(folder / "run.json").get("settings", {}) for folder in folders]
    of_task: dict[str, Any] = next((run for run in runs if task.NAME in (run.get("recipe"), run.get("task"))), {})
    has_data = any(arguments.peek(options, ("dataset_path", "dataset_name")).values())
    # without an eval_size of 0: that run was not evaluated, and this evaluation is as large as any
    shared = {} if has_data else {name: of_task[name] for name in PROBLEMS if of_task.get(name)}
    some: dict[str, Any] = next((run for run in runs if run), {})
    return [shared | {name: (run or some)[name] for name in PROMPTING if name in (run or some)} for run in runs]


def evaluated(
    task: Any, name: str, options: Sequence[str], run: Mapping[str, Any], folder: Path
) -> tuple[Evaluation, Path]:
    """Evaluates one model. Returns the evaluation with the file of its answers."""
    script_args, training_args, model_args = configs = settings(task, name, options, run)
    if script_args.eval_size == 0:
        sys.exit("error: --eval_size 0 leaves nothing to evaluate. A number beyond the problems there are takes all.")
    _, held_out = task.problems(script_args, training_args.seed, trains=False)
    print_once(overlap(name, script_args, len(held_out)))
    evaluation = evaluation_of(task, held_out, configs)
    kept = keep_answers(folder / Path(name).name, evaluation, model_args)
    judging = {
        "rewards": [str(reward) for reward in evaluation.scored_by],
        "columns": evaluation.problems.remove_columns("prompt").to_list(),  # the golds among them
        "code": reward_code(evaluation.scored_by),
        "grpo-rewards": version("grpo-rewards"),
    }
    path = kept.with_name(kept.name.replace(".answers.jsonl", f"-{hashed(judging)}.parquet"))
    if not path.is_file() and kept.is_file():
        print_once(f"{name}: {kept.name} has answers, which are judged by these rewards and golds.")
    evaluation.run(path)
    clear_device_cache(garbage_collection=True)  # the next model needs the room
    return evaluation, path


def settings(
    task: Any, name: str, options: Sequence[str], run: Mapping[str, Any]
) -> tuple[ScriptArguments, GRPOConfig, ModelConfig]:
    """The settings by which a model is prompted: the options over those of its run; nothing is trained."""
    argv = [*options, "--model_name_or_path", name, *NOT_TRAINED]
    script_args, training_args, model_args = arguments.parse_arguments(argv, task.TINY, task.REWARDS, task.NAME, run)
    if run:
        usual = {one.name: one.default for kind in (ScriptArguments, GRPOConfig, ModelConfig) for one in fields(kind)}
        taken = ", ".join(f"{one} {str(value)[:60]}" for one, value in run.items() if value != usual.get(one))
        print_once(f"{name}: {taken} (from run.json; options override it)")
    for message in missing_packages(training_args, model_args):
        sys.exit(f"error: {message}")
    require_model(name, model_args.model_revision)
    training_args.reward_weights, training_args.output_dir = None, "outputs/evaluations"
    script_args.eval_batch_tokens = script_args.eval_batch_tokens or BATCH_TOKENS
    return script_args, training_args, model_args


def evaluation_of(task: Any, rows: Dataset, configs: tuple[ScriptArguments, GRPOConfig, ModelConfig]) -> Evaluation:
    """The evaluation of a model on these problems; ends the program where the problems and the rewards disagree."""
    script_args, training_args, model_args = configs
    rewards = load_rewards(script_args.reward_funcs or task.REWARDS)
    (problems,) = as_prompts([rows], task.user_turn, script_args.system_prompt, read_columns(rewards))
    report = check_rewards(rewards, problems, tokenizer=load_tokenizer(model_args), args=training_args)
    rewards, problems, _ = accepted(report, problems, problems.select([]), script_args, training_args)
    trainer = untrained(problems, rewards, training_args, model_args)
    return Evaluation(trainer, problems, rewards, task.CORRECT, script_args)


class KeptPolicy(Policy):
    """A policy whose answers are kept in a file, a batch a line: what is there is not generated again."""

    def __init__(self, trainer: GRPOTrainer, path: Path) -> None:
        super().__init__(trainer)
        self.path = path
        self.kept: dict[int, list[Answer]] = self.firsts(read_batches(path))

    def answers(self, prompts: Sequence[Messages], seed: int) -> list[Answer]:
        """Those of the batch with this seed, its own. All processes generate, or none."""
        if not all(self.everyones([seed in self.kept])):
            found = dict(self.everyones([(seed, super().answers(prompts, seed))]))
            self.kept |= found
            if self.rank == 0:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("a") as file:
                    for one, answers in found.items():  # each line also behind one that was cut off
                        file.write("\n" + json.dumps({"seed": one, "answers": answers}) + "\n")
        return self.kept[seed]


def read_batches(path: Path) -> dict[int, list[Answer]]:
    """The batches of a file, by their seed; a line that was cut off when its program was killed is none."""
    found = {}
    for line in path.read_text().splitlines() if path.is_file() else ():
        with suppress(ValueError, KeyError):
            batch = json.loads(line)
            found[batch["seed"]] = [Answer(*answer) for answer in batch["answers"]]
    return found


def keep_answers(path: Path, evaluation: Evaluation, model_args: ModelConfig) -> Path:
    """Has an evaluation keep its answers in a file, and take those that are there. Returns the file.

    Its name says what decides the answers: other weights, settings or prompts are another one.
    """
    args = evaluation.trainer.args
    identity = hashed(
        [
            *(vars(model_args), weights_of(str(model_args.model_name_or_path)), args.model_init_kwargs),
            *([getattr(args, name) for name in (*GENERATION, "use_vllm", "bf16", "fp16")], evaluation.seed),
            *(evaluation.policy.tokens(list(evaluation.problems["prompt"])), evaluation.samples, evaluation.rows),
        ]
    )
    file = path.with_name(f"{path.name}-{identity}.answers.jsonl")
    evaluation.policy = KeptPolicy(evaluation.trainer, file)
    return file


def hashed(value: Any) -> str:
    """A short name of what can be written as JSON, the same for the same."""
    return sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


def weights_of(name: str) -> Any:
    """The files of a folder with their sizes and times, with those of an adapter's base; a name of the hub."""
    folder = Path(name)
    if not folder.is_dir():
        return name
    files = sorted(path for kind in ("*.safetensors", "*.bin", "*config.json") for path in folder.glob(kind))
    found: list[Any] = [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in files]
    if is_adapter(name):
        found.append(weights_of(str(PeftConfig.from_pretrained(name).base_model_name_or_path)))
    return found


def is_adapter(name: str) -> bool:
    return (Path(name) / "adapter_config.json").is_file() and not (Path(name) / "config.json").is_file()


def untrained(
    problems: Dataset, rewards: list[Reward], training_args: GRPOConfig, model_args: ModelConfig
) -> GRPOTrainer:
    """A trainer that trains nothing, and generates as in a run.

    An adapter is merged, but not into a quantized model, which would round it. A trainer takes a quantized model only
    under an adapter: a whole one gets one that changes nothing, as a run's is before its first step.
    """
    name, peft_config = model_args.model_name_or_path, None
    model, quantization = name, get_quantization_config(model_args)
    if is_adapter(name):
        more = {} if quantization is None else {"device_map": {"": PartialState().device}}
        options = {**(training_args.model_init_kwargs or {}), "quantization_config": quantization, **more}
        adapted = AutoPeftModelForCausalLM.from_pretrained(name, **options)
        model, quantization = (adapted.merge_and_unload() if quantization is None else adapted), None
    elif quantization is not None:
        peft_config = LoraConfig(task_type="CAUSAL_LM", target_modules="all-linear")
    return GRPOTrainer(
        model=model,
        reward_funcs=rewards,
        args=training_args,
        train_dataset=problems,
        processing_class=load_tokenizer(model_args),
        quantization_config=quantization,
        peft_config=peft_config,
    )


def overlap(name: str, script_args: ScriptArguments, problems: int) -> str:
    """A warning where some of the problems were trained on: they are more than the run held out of the same data."""
    run = read_json(Path(name) / "run.json").get("settings", {})
    same_file = script_args.dataset_path is not None and script_args.dataset_path == run.get("dataset_path")
    if not same_file or problems <= (held_out := run.get("eval_size", problems)):
        return ""
    return f"warning: of these {problems} problems the run of {name} held out {held_out}; it trained on the others."


def report(names: Sequence[str], taken: Sequence[tuple[Evaluation, Path]], folder: Path) -> None:
    """Prints the figures of the models, and of two the difference, and writes them."""
    places = ("first", "second")[: len(names)] if len(names) > 1 else ("model",)
    found = {place: evaluation.figures(path) for place, (evaluation, path) in zip(places, taken, strict=True)}
    if len(taken) > 1:
        found["difference"] = difference(*(evaluation.by_problem(path) for evaluation, path in taken))
    print("\n" + "".join(f"{place}: {name}\n" for place, name in zip(places, names, strict=True)))
    evaluation, answers = taken[0][0], [str(path) for _, path in taken]
    print(table(found, evaluation.samples))
    head = {"models": list(names), "answers": answers, "problems": len(evaluation.problems)}
    summary = {**head, "samples": evaluation.samples, **found}
    (folder / "evaluation.json").write_text(json.dumps(summary, indent=2))
    print(f"\nFigures are in {folder / 'evaluation.json'}, answers with their verdicts in {', '.join(answers)}.")


def ask(task: Any, name: str, options: Sequence[str], own: argparse.Namespace) -> None:
    """Prints a model's answers to one question, and each reward's verdict on them."""
    try:
        row = json.loads(own.row) if own.row is not None else {task.COLUMNS[0]: own.ask}
    except ValueError as error:
        sys.exit(f"error: --row is no JSON: {error}")
    row |= {} if own.answer is None else {task.COLUMNS[-1]: own.answer}
    if missing := [column for column in task.COLUMNS[:-1] if column not in row]:
        sys.exit(f"error: the prompt is made from {', '.join(task.COLUMNS)}: {missing[0]} is missing. Give --row.")
    (run,) = settings_of_runs([name], task, options)
    one_greedy = (
        [] if arguments.peek(options, ("eval_samples",))["eval_samples"] else ["--eval_samples", "1", "--top_k", "1"]
    )
    script_args, training_args, model_args = settings(task, name, [*one_greedy, *options], run)
    rewards = load_rewards(script_args.reward_funcs or task.REWARDS)
    can_explain = [reward for reward in rewards if isinstance(reward, Reward)]  # no plain function can
    rewards = [reward for reward in can_explain if {*read_columns([reward])} <= {*row, "prompt"}]
    (problems,) = as_prompts([Dataset.from_list([row])], task.user_turn, script_args.system_prompt)
    policy = Policy(untrained(problems, load_rewards(task.REWARDS), training_args, model_args))
    samples = script_args.eval_samples
    for answer in generate_answers(policy, problems["prompt"], samples, samples, training_args.seed)[0]:
        print(answer.completion[-1]["content"])
        for line in verdicts(rewards, answer.completion, answer.ids, {**row, "prompt": problems[0]["prompt"]}):
            print(f"    {line}")


def verdicts(rewards: Sequence[Reward], completion: Any, ids: list[int], row: Mapping[str, Any]) -> Iterator[str]:
    """A line for each reward: its number, its reason and what it compared."""
    for reward in rewards:
        found = reward.explain(completion, completion_ids=ids, **row)
        number = "none" if found.reward is None else f"{found.reward:g}"
        compared = [f"{name} {value!r}" for name in ("prediction", "answer") if (value := getattr(found, name))]
        yield f"{reward.name} {number}: {', '.join([found.reason, *compared])}".rstrip(": ")


if __name__ == "__main__":
    with arguments.ends_with_one_message("The same command line goes on from the answers that are kept."):
        main(sys.argv[1:])
