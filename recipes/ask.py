"""Prompt a trained model, or an adapter, and see each reward's verdict on its answer.

    python recipes/ask.py outputs/tiny-word_problems --task gsm8k "Ann has 3 apples and buys 4. How many has she?"
    python recipes/ask.py outputs/tiny-word_problems --task gsm8k "…" --answer 7 --samples 4
    python recipes/ask.py outputs/tiny-word_problems --task gsm8k             # one question after the other

With --answer, or --row for a task of several columns, each reward gives its verdict. --merge_to FOLDER puts an adapter
into its model first, saves the whole, and prompts that. The model is prompted as in an evaluation; the system prompt,
the options of the chat template, the sampling and the rewards are those of the run, if it holds its run.json.
"""

from __future__ import annotations

from running import Task  # isort: skip  # first: it says what is missing

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from running.before_loading.model_files import configuration
from running.interrupted import ends_on_interrupt
from running.recorded import HALF, HOW_PROMPTED, recorded, taken
from running.sampling import ModelSampler, merged, verdicts
from running.task import task_called


def main(argv: Sequence[str]) -> None:
    """Answers the question of the command line, or those typed or piped in."""
    options = command_line().parse_intermixed_args(argv)
    task = task_called(options.task)
    configuration(options.model)  # says what to do if there is no such model
    with ends_on_interrupt():
        sampler = None
        for row in rows(options, task):
            question = question_of(row, task)
            sampler = sampler or sampler_of(options, task)  # only once there is a question
            if options.question is None:
                print(f"> {question}")
            for completion in sampler.completions(question):
                print(completion.text)
                for line in verdicts(sampler.rewards, completion, row):
                    print(f"    {line}")
                print()


def sampler_of(options: argparse.Namespace, task: Task) -> ModelSampler:
    """The model prompted as in its run, where the command line does not say otherwise."""
    run = recorded(options.model)
    of_run = run.get("reward_funcs") if run.get("task", task.name) == task.name else None  # those read its columns
    if run.get("load_in_4bit") or run.get("load_in_8bit"):
        print(f"{options.model} was trained on a quantized model, and is loaded unquantized.", file=sys.stderr)
    greedy = options.temperature == 0 or (options.temperature is None and options.samples == 1)
    return ModelSampler(
        model=merged(options.model, Path(options.merge_to)) if options.merge_to else options.model,
        rewards=options.reward_funcs or of_run or list(task.rewards),
        task=task,
        options=list(options_of(options)),
        of_run=taken(run, (*HOW_PROMPTED, *HALF)),
        samples=options.samples,
        greedy=greedy,
    )


def options_of(options: argparse.Namespace) -> Iterator[str]:
    """The options of the command line on how the model is prompted, as options of a recipe."""
    template = options.chat_template_kwargs
    given = {
        "max_completion_length": options.max_new_tokens,
        "temperature": options.temperature or None,  # at 0 the answer is greedy
        "system_prompt": options.system_prompt,
        "chat_template_kwargs": None if template is None else json.dumps(template),
    }
    yield from (f"--{name}={value}" for name, value in given.items() if value is not None)


def question_of(row: Mapping[str, Any], task: Task) -> str:
    """The user's turn for a problem; ends the program where the row does not have what that is made from."""
    try:
        return task.user_turn(row)
    except KeyError as error:
        if error.args[0] not in task.columns or error.args[0] in row:
            raise
        example = json.dumps(dict.fromkeys(task.columns, "…"), ensure_ascii=False)
        sys.exit(
            f"error: a problem of {task.name} is made from its columns {', '.join(task.columns)}: there is no "
            f"{error.args[0]}. Give them all with --row '{example}', or pipe in such lines."
        )


def command_line() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a folder with a model or an adapter, or a model of the hub")
    parser.add_argument("question", nargs="?", help="the prompt; without it, what is typed or piped in, line by line")
    parser.add_argument("--task", required=True, help="the recipe that it was trained with, such as gsm8k")
    parser.add_argument("--answer", help="the gold, with which the rewards compare")
    parser.add_argument("--row", help="a problem of the task's data, as a JSON object, in place of a question")
    parser.add_argument("--samples", type=int, default=1, help="how many answers to draw; more than one are sampled")
    parser.add_argument("--temperature", type=float, help="of sampling; 0 answers greedily, as one sample does anyway")
    parser.add_argument("--max_new_tokens", type=int, help="the longest answer; the run's, or 512")
    parser.add_argument("--system_prompt", help="put before the question; the run's, if it is known")
    parser.add_argument(
        "--chat_template_kwargs", type=json_object, help="options of the chat template, as a JSON object; the run's"
    )
    parser.add_argument("--reward_funcs", nargs="+", help="rewards by spec; the run's, or the task's")
    parser.add_argument("--merge_to", help="a new folder for the model with the adapter merged into it")
    return parser


def json_object(text: str) -> dict[str, Any]:
    """An option's JSON object."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError
    return found


def rows(options: argparse.Namespace, task: Task) -> Iterator[dict[str, Any]]:
    """One problem after the other, as a row of the task's data: that of the command line, or those typed in."""
    if options.row is not None:
        try:
            row = json.loads(options.row)
        except ValueError as error:
            sys.exit(f"error: --row is no JSON: {error}")
        if not isinstance(row, dict) or task.columns[0] not in row:
            sys.exit(f"error: --row must be a JSON object with {', '.join(task.columns)}.")
        yield row
        return
    if options.question is not None:
        yield {
            task.columns[0]: options.question,
            **({} if options.answer is None else {task.columns[-1]: options.answer}),
        }
    elif sys.stdin.isatty():
        yield from typed(task)
    else:
        yield from (piped(line.strip(), task) for line in sys.stdin if line.strip())


def piped(line: str, task: Task) -> dict[str, Any]:
    """A line from a pipe: a problem of the task's data as a JSON object, or a question."""
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    return row if isinstance(row, dict) and task.columns[0] in row else {task.columns[0]: line}


def typed(task: Task) -> Iterator[dict[str, Any]]:
    """Problems from the keyboard, column by column; the last one, mostly the gold, may be left empty."""
    first, last = task.columns[0], task.columns[-1]
    while True:
        row: dict[str, Any] = {}
        try:
            for column in task.columns:
                hint = {first: " (empty to end)", last: ", if you know it"}.get(column, "")
                if typed_text := input(f"{column}{hint}> ").strip():
                    row[column] = typed_text
                elif column == first:
                    return
        except EOFError:
            return
        yield row


if __name__ == "__main__":
    main(sys.argv[1:])
