"""Keep the problems of a recipe that a model solves now and then: what it always or never solves teaches GRPO nothing.

    python recipes/filter.py --task countdown
    python recipes/filter.py Qwen/Qwen2.5-0.5B-Instruct --task gsm8k --dataset_name openai/gsm8k --samples 16 \\
        --config recipes/configs/gsm8k/qwen2.5-0.5b.yaml --highest 0.9 --output kept.jsonl
    accelerate launch recipes/gsm8k.py --dataset_path kept.jsonl --config recipes/configs/gsm8k/qwen2.5-0.5b.yaml

Each problem to train on is sampled several times, as in training; kept is a problem whose share of solved samples lies
strictly between two bounds, with that share as its pass_rate, and with its columns called as in the data. That is
the dynamic sampling of DAPO (Yu et al. 2025, arXiv:2503.14476) done once, before a run. The model is the recipe's tiny
one where none is named. How it is prompted, and on which data, is taken from the run.json of its run, unless options
say otherwise; they are those of the recipe. Stopped, it goes on where it was; other bounds need no new samples.
"""

from training import arguments  # isort: skip  # not found? Copy this beside gsm8k.py, or set PYTHONPATH

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from accelerate import Accelerator
from datasets import Dataset
from evaluate import evaluation_of, keep_answers, settings, settings_of_runs, task_called, tasks
from training.checks import require_writable
from training.data import LINE, renamings
from training.evaluation import generate_answers, scored
from training.progress import end
from training.rewards import in_evaluations, load_rewards
from transformers import TrainerState

Rates = list[float | None]  # of each problem the share of its samples that is right; None where one cannot be scored
BAR = 40  # characters of the longest bar


def main(argv: Sequence[str]) -> None:
    """Samples, keeps what lies between the bounds, writes it and shows how the problems are spread."""
    sieve, options = parsed(argv)
    output: Path = sieve.output
    problems, rates = rated(sieve, options)
    accelerator = Accelerator()
    kept = [row for row, rate in enumerate(rates) if rate is not None and sieve.lowest < rate < sieve.highest]
    if accelerator.is_main_process:
        print(f"\n{histogram(rates, sieve.samples)}\n")
        bounds = f"above {sieve.lowest} and below {sieve.highest}"
        print(f"kept {len(kept)} of {len(rates)} problems, those with a pass rate {bounds}")
        if kept:
            write(problems, rates, kept, output)
            print(f"They are in {output}: train on them with --dataset_path {output}")
    end(accelerator)
    if not kept:
        sys.exit("error: no problem lies between the bounds. Take more --samples, other bounds or another model.")


def parsed(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The sieve's options on the command line, and the other options; ends the program where they are not clear."""
    names = [argv[0]] if argv and not argv[0].startswith("-") else []
    parser = argparse.ArgumentParser(allow_abbrev=False, prog="python recipes/filter.py [MODEL]")
    parser.add_argument("--task", required=True, help=f"whose problems are sifted: {', '.join(tasks())}")
    parser.add_argument("--samples", type=int, default=8, help="of each problem")
    parser.add_argument("--lowest", type=float, default=0.0, help="a problem that is kept has a higher pass rate")
    parser.add_argument("--highest", type=float, default=1.0, help="a problem that is kept has a lower pass rate")
    parser.add_argument("--output", type=Path, help="a file of JSON lines")
    sieve, options = parser.parse_known_args(argv[len(names) :])
    if sieve.samples < 2 or not sieve.lowest < sieve.highest:
        parser.error("it needs at least 2 --samples, and a --lowest below its --highest")
    task = task_called(sieve.task)
    sieve.model = names[0] if names else task.TINY["model_name_or_path"]
    sieve.output = sieve.output or Path("outputs") / "filtered" / f"{Path(sieve.model).name}-{task.NAME}.jsonl"
    if sieve.output.suffix != ".jsonl" or sieve.output.is_dir():
        parser.error(f"--output {sieve.output} must be a file whose name ends with .jsonl, as --dataset_path reads it")
    require_writable(sieve.output.parent, "--output")
    return sieve, options


def rated(sieve: argparse.Namespace, options: Sequence[str]) -> tuple[Dataset, Rates]:
    """The problems to train on, in their order and with their columns called as in the data, and their pass rates."""
    task = task_called(sieve.task)
    (run,) = settings_of_runs([sieve.model], task, options)
    run.pop("eval_samples", None)  # those of an evaluation
    if task.CORRECT not in [reward.name for reward in in_evaluations(load_rewards(run.get("reward_funcs", ())))]:
        run.pop("reward_funcs", None)
    # all rows of a file: a run holds some of those out that it finds in the file that is written here
    options = ["--eval_size", "0", *options, "--eval_samples", str(sieve.samples)]
    script_args, training_args, model_args = configs = settings(task, sieve.model, options, run)
    rows, _ = task.problems(script_args, training_args.seed)
    rows = rows.sort(LINE) if LINE in rows.column_names else rows
    specs = script_args.reward_funcs or task.REWARDS
    script_args.reward_funcs = [
        spec for spec in specs if task.CORRECT in [one.name for one in in_evaluations(load_rewards([spec]))]
    ]
    if not script_args.reward_funcs:
        sys.exit(f"error: --reward_funcs must have {task.CORRECT}, which decides whether an answer is right.")
    evaluation = evaluation_of(task, rows, configs)
    keep_answers(sieve.output.with_suffix(""), evaluation, model_args)
    policy, problems = evaluation.policy, evaluation.problems
    answers = generate_answers(policy, problems["prompt"], sieve.samples, evaluation.rows, evaluation.seed)
    rates: Rates | None = None
    if policy.rank == 0:
        table = scored(problems, answers, evaluation.scored_by, task.CORRECT, TrainerState())
        groups = [list(group) for _, group in table.groupby("problem")["solved"]]
        rates = [None if any(one is None for one in several) else sum(several) / len(several) for several in groups]
    for given, column, _ in renamings(script_args, task.COLUMNS):
        rows = rows.rename_column(column, given)
    return rows.remove_columns([name for name in rows.column_names if name == LINE]), policy.firsts(rates)


def histogram(rates: Rates, samples: int) -> str:
    """How many problems have how many of their samples right, a line each."""
    counts = Counter(None if rate is None else round(rate * samples) for rate in rates)
    most = max(counts.values())
    named: list[tuple[int | None, str]] = [(right, f"{right} of {samples}") for right in range(samples + 1)]
    lines = [
        f"{name:>12} {counts[right]:7d}  {'#' * -(-counts[right] * BAR // most)}"
        for right, name in [*named, (None, "not scored")]
        if right is not None or counts[right]
    ]
    return "\n".join([f"{'samples right':>12} {'problems':>6}", *lines])


def write(problems: Dataset, rates: Rates, kept: Sequence[int], output: Path) -> None:
    """The rows that are kept, with their pass_rate, in their order and all at once."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_suffix(".partial.jsonl")
    with partial.open("w", encoding="utf-8") as file:
        for at in kept:
            row: dict[str, Any] = {**problems[at], "pass_rate": rates[at]}
            file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
    partial.replace(output)


if __name__ == "__main__":
    with arguments.ends_with_one_message("The same command line starts again, and generates no kept answer twice."):
        main(sys.argv[1:])
