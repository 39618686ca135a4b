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

from __future__ import annotations

from running import Task  # isort: skip  # first: it says what is missing

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any

from accelerate import Accelerator
from datasets import Dataset
from running.before_loading.disk import require_writable
from running.command_line import peek
from running.evaluation.batched_generation import Kept, generate_answers, identity, rows_at_once
from running.evaluation.checkpoints import checkpoint
from running.evaluation.compared_models import from_runs, settings_note
from running.evaluation.policies import Answer
from running.evaluation.scoring import scored
from running.evaluation.untrained import BATCH_TOKENS, NOT_TRAINED, policy_of, refuse_what_cannot_load
from running.interrupted import end_interrupted, ends_on_interrupt
from running.launch import announce
from running.reading import LINE, as_came, as_prompts, load_problems
from running.reward_setup import checked, load_rewards, named_rewards
from running.settings import settings
from running.task import task_called, task_names
from running.training import end
from transformers import TrainerState

from grpo_rewards import Reward

Rates = list[float | None]  # of each problem the share of its samples that is right; None where one cannot be scored
BAR = 40  # characters of the longest bar


def sift(arguments: Sequence[str]) -> None:
    """Samples, keeps what lies between the bounds, writes it and shows how the problems are spread."""
    sieve, options = parsed(arguments)
    task = task_called(sieve.task)
    problems, rates, output = rated(task, sieve, options)
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


def parsed(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The sieve's options on the command line, and the other options; ends the program where they are not clear."""
    names = list(takewhile(lambda one: not one.startswith("-"), arguments))
    tasks = task_names()
    parser = argparse.ArgumentParser(allow_abbrev=False, prog="python recipes/filter.py [MODEL]")
    parser.add_argument("--task", required=True, choices=tasks, help="the recipe whose problems are sifted")
    parser.add_argument("--samples", type=int, default=8, help="of each problem")
    parser.add_argument("--lowest", type=float, default=0.0, help="a problem that is kept has a higher pass rate")
    parser.add_argument("--highest", type=float, default=1.0, help="a problem that is kept has a lower pass rate")
    parser.add_argument("--output", type=Path, help="a file of JSON lines")
    sieve, options = parser.parse_known_args(arguments[len(names) :])
    if len(names) > 1:
        parser.error(f"one model at a time, not {', '.join(names)}")
    if sieve.samples < 2 or not sieve.lowest < sieve.highest:
        parser.error("it needs at least 2 --samples, and a --lowest below its --highest")
    if sieve.output is not None and (sieve.output.suffix != ".jsonl" or sieve.output.is_dir()):
        parser.error(f"--output {sieve.output} must be a file whose name ends with .jsonl, as --dataset_path reads it")
    sieve.model = names[0] if names else None
    return sieve, options


def rated(task: Task, sieve: argparse.Namespace, options: Sequence[str]) -> tuple[Dataset, Rates, Path]:
    """The problems to train on, in their order, with their pass rates on the first process, and where they will be."""
    named = ["--model_name_or_path", sieve.model] if sieve.model else []
    # all rows of a file: a run holds some of those out that it finds in the file that is written here
    options = ["--eval_size", "0", *options, *named]
    name, of_its_run = taken_of_run(task, options)
    script, training, model = settings(task, [*options, *NOT_TRAINED], of_its_run)
    announce(training)
    if training.process_index == 0 and (note := settings_note(name, of_its_run, options)):
        print(note)
    refuse_what_cannot_load(training, model)
    output = sieve.output or Path("outputs") / "filtered" / f"{Path(training.output_dir).name}.jsonl"
    training.output_dir = str(output.parent)
    require_writable(output.parent, "--output")
    loaded = checkpoint(model.model_name_or_path, model.model_revision)
    problems, held_out = load_problems(task, script, seed=training.seed)
    problems = problems.sort(LINE) if LINE in problems.column_names else problems
    prompted = as_prompts(task, problems, script.system_prompt)
    gold = gold_of(task, load_rewards(task, script, training))
    training.reward_weights = None
    rewards, prompted, _ = checked([gold], prompted, held_out, script, training, loaded.tokenizer, trains=False)

    policy = policy_of(loaded, rewards, prompted, training, model, options)
    prompts = list(prompted["prompt"])
    rows = rows_at_once(
        script.eval_batch_tokens or BATCH_TOKENS, policy.tokens(prompts), training.max_completion_length
    )
    drawn = {"samples": sieve.samples, "rows": rows, "seed": training.seed}
    answers = Kept(output.with_suffix(".answers.jsonl"), identity(policy, prompts, weights=loaded.weights, **drawn))
    with keeping(answers, len(prompts) * sieve.samples):
        found = generate_answers(policy, prompts, sieve.samples, rows, training.seed, answers, greedy=False)
        rates = pass_rates(prompted, found, rewards[0]) if policy.rank == 0 else None
    return as_came(problems, task, script), policy.firsts(rates), output


def taken_of_run(task: Task, options: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The model, and how it is prompted and on which data where the options do not say: as in its run, if one made it.

    The run's rewards are taken if the one that decides whether an answer is right is among them.
    """
    name = peek(options, ("model_name_or_path",))["model_name_or_path"] or str(task.model)
    (found,) = from_runs([name], task, options)
    found.pop("eval_samples", None)  # those of an evaluation
    if task.gold_reward not in [reward.name for reward in named_rewards(found.get("reward_funcs", ()))]:
        found.pop("reward_funcs", None)
    return name, found


@contextmanager
def keeping(answers: Kept, samples: int) -> Iterator[None]:
    """Ends the program at Ctrl-C, and says how many answers are kept and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        kept = min(sum(map(len, answers.read("sampled").values())), samples)  # a batch may have some of them twice
        where = f"{kept} of {samples} samples are kept in {answers.path}, and the same command line goes on from there."
        rest = where if kept else "no sample is kept yet, and the same command line begins anew."
        end_interrupted(f"Interrupted: {rest}")


def gold_of(task: Task, rewards: Sequence[Reward]) -> Reward:
    """The reward that decides whether an answer is right."""
    for reward in rewards:
        if reward.name == task.gold_reward:
            return reward
    sys.exit(f"error: --reward_funcs must have {task.gold_reward}, which decides whether an answer is right.")


def pass_rates(problems: Dataset, answers: Sequence[Sequence[Answer]], gold: Reward) -> Rates:
    table = scored(problems, answers, [gold], gold.name, TrainerState(), "sampled")
    solved = [list(group) for _, group in table.groupby("problem")["solved"]]
    return [None if any(one is None for one in several) else sum(several) / len(several) for several in solved]


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
    with ends_on_interrupt("The same command line starts again, and generates no answer twice that is kept."):
        sift(sys.argv[1:])
