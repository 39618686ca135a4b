"""Ask a trained model, or an adapter, and see what each reward says of its answer.

    python recipes/ask.py outputs/tiny-word_problems --task gsm8k "Ann has 3 apples and buys 4. How many has she?"
    python recipes/ask.py outputs/tiny-word_problems --task gsm8k "…" --answer 7 --samples 4
    python recipes/ask.py outputs/tiny-word_problems --task gsm8k             # one question after the other

With --answer, or --row for a task of several columns, each reward gives its verdict. --merge_to FOLDER puts an adapter
into its model first, saves the whole, and asks that. The system prompt and the rewards are those of the run, where the
folder holds its run.json.
"""

from __future__ import annotations

from running import Task  # isort: skip  # first: it says what is missing

import argparse
import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from running.before_loading.model_files import configuration
from running.trying import Trial, merged, verdicts

RECIPES = Path(__file__).resolve().parent


def main(argv: Sequence[str]) -> None:
    """Answers what the command line asks, or what is typed or piped in."""
    said = command_line().parse_intermixed_args(argv)
    task = task_of(said.task)
    run = recorded(Path(said.model))
    configuration(said.model)  # says what to do if there is no such model
    model = merged(said.model, Path(said.merge_to)) if said.merge_to else said.model
    trial = Trial(
        model=model,
        rewards=said.reward_funcs or run.get("reward_funcs") or list(task.rewards),
        system_prompt=run.get("system_prompt") if said.system_prompt is None else said.system_prompt,
        max_new_tokens=said.max_new_tokens or run.get("max_completion_length") or 512,
        temperature=said.temperature,
        samples=said.samples,
    )
    for row in rows(said, task):
        asked = task.asked(row) if set(task.columns[:-1]) <= set(row) else str(row[task.columns[0]])
        if said.question is None:
            print(f"> {asked}")
        for completion in trial.completions(asked):
            print(completion.text)
            for line in verdicts(trial.rewards, completion, row):
                print(f"    {line}")
            print()


def command_line() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a folder with a model or an adapter, or a model of the hub")
    parser.add_argument("question", nargs="?", help="what to ask; without it, what is typed or piped in, line by line")
    parser.add_argument("--task", required=True, help="the recipe that it was trained with, such as gsm8k")
    parser.add_argument("--answer", help="the gold, with which the rewards compare")
    parser.add_argument("--row", help="a problem of the task's data, as a JSON object, in place of a question")
    parser.add_argument("--samples", type=int, default=1, help="how many answers to draw; more than one are sampled")
    parser.add_argument("--temperature", type=float, help="of sampling; 0 answers greedily, as one sample does anyway")
    parser.add_argument("--max_new_tokens", type=int, help="the longest answer; the run's, or 512")
    parser.add_argument("--system_prompt", help="put before the question; the run's, if it is known")
    parser.add_argument("--reward_funcs", nargs="+", help="rewards by spec; the run's, or the task's")
    parser.add_argument("--merge_to", help="a new folder for the model with the adapter merged into it")
    return parser


def task_of(name: str) -> Task:
    """The task of a recipe; ends the program where there is no recipe of that name."""
    tasks = sorted(path.stem for path in RECIPES.glob("*.py") if "\nTASK = " in path.read_text(encoding="utf-8"))
    if name not in tasks:
        sys.exit(f"error: there is no --task {name}. Tasks: {', '.join(tasks)}.")
    found: Task = importlib.import_module(name).TASK
    return found


def recorded(folder: Path) -> Mapping[str, Any]:
    """The settings of the run that made a model; nothing if none wrote them down beside it."""
    record = folder / "run.json"
    settings: Mapping[str, Any] = json.loads(record.read_text(encoding="utf-8"))["settings"] if record.is_file() else {}
    return settings


def rows(said: argparse.Namespace, task: Task) -> Iterator[dict[str, Any]]:
    """One problem after the other, as a row of the task's data: that of the command line, or those typed in."""
    if said.row is not None:
        try:
            row = json.loads(said.row)
        except ValueError as error:
            sys.exit(f"error: --row is no JSON: {error}")
        if not isinstance(row, dict) or task.columns[0] not in row:
            sys.exit(f"error: --row must be a JSON object with {', '.join(task.columns)}.")
        yield row
        return
    for question, answer in [(said.question, said.answer)] if said.question is not None else typed():
        gold = {} if answer is None else {task.columns[-1]: answer}
        yield {task.columns[0]: question, **gold}


def typed() -> Iterator[tuple[str, str | None]]:
    """Questions from the keyboard with the answers that one knows, or from a pipe, a line each, without."""
    if not sys.stdin.isatty():
        yield from ((line.strip(), None) for line in sys.stdin if line.strip())
        return
    while True:
        try:
            question = input("question (empty to end)> ").strip()
            answer = input("its answer, if you know it> ").strip() if question else ""
        except EOFError:
            return
        if not question:
            return
        yield question, answer or None


if __name__ == "__main__":
    main(sys.argv[1:])
