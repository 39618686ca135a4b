"""The problems of a run: from a file, from a data set on the hub or in a folder, or generated; as prompts for TRL."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset, get_dataset_config_names, load_dataset
from datasets.exceptions import DatasetGenerationError, DatasetNotFoundError
from huggingface_hub import constants

from grpo_rewards import RewardError
from grpo_rewards.errors import did_you_mean
from grpo_rewards.scoring.rows import KINDS, TABLES, Source, columns_in
from training.arguments import ScriptArguments

__all__ = ["LINE", "as_prompts", "held_out_of", "load_problems", "read_file", "renamings"]

Row = Mapping[str, Any]
# Called with how many problems, a seed, and split="train" or "test"; no problem is in both splits.
Generate = Callable[..., list[dict[str, Any]]]
# For a column that the data may not have, the column that it is made from, and how.
Made = Mapping[str, tuple[str, Callable[[Any], Any]]]

LINE = "line of the file"  # the column with the number of a row's line: no data call one so, and no reward can read it


def load_problems(
    script_args: ScriptArguments,
    columns: Sequence[str],
    generate: Generate | None,
    seed: int,
    *,
    made: Made | None = None,
    trains: bool = True,
) -> tuple[Dataset, Dataset]:
    """The problems to train on and those held out; no row is in both.

    They are those of ``--dataset_path`` or ``--dataset_name``, or generated where neither is named. Ends the program
    with a message where they cannot be read, or lack a column.

    Args:
        script_args: where the problems are from, and how many are held out.
        columns: what every data set must have; the first two can be given other names on the command line.
        generate: makes problems of a seed.
        seed: of the generated problems to train on.
        made: the columns that are made from others.
        trains: whether there must be something to train on; else all may be held out.
    """
    args, size = script_args, script_args.eval_size
    if size < 0 or args.eval_samples < 1:
        sys.exit("error: --eval_size must be at least 0 and --eval_samples at least 1.")
    if args.dataset_path is not None:
        data = with_columns(read_file(Path(args.dataset_path)), columns, made or {}, args)
        return held_out_of(data, size, args.dataset_path, trains=trains)
    if args.dataset_name is not None:
        train, test = (with_columns(split, columns, made or {}, args) for split in read_named(args))
        if args.dataset_train_split == args.dataset_test_split:
            return held_out_of(train, size, args.dataset_name, trains=trains)
        return train, test.shuffle(seed=0).select(range(min(size, len(test))))
    if args.prompt_column or args.answer_column:
        sys.exit("error: --prompt_column and --answer_column are about data: pass --dataset_path or --dataset_name.")
    if generate is None:
        sys.exit("error: this recipe makes no problems of its own: name them with --dataset_path or --dataset_name.")
    try:
        generated = [Dataset.from_list(rows) for rows in (generate(2000, seed, "train"), generate(size, 0, "test"))]
    except ValueError as error:
        sys.exit(f"error: --eval_size {size}: {error}")
    train, test = (with_columns(rows, columns, made or {}, args) if len(rows) else rows for rows in generated)
    return train, test


def as_prompts(
    problems: Sequence[Dataset], user_turn: Callable[[Row], str], system_prompt: str | None, reads: Sequence[str] = ()
) -> list[Dataset]:
    """Adds the conversational prompt that TRL reads, and keeps of the other columns those that somebody reads.

    TRL hands every column to every reward, and one may have a name that an argument has. All are kept where ``reads``
    is empty, or names one that is missing, which is then reported with those that there are.
    """
    system = [{"role": "system", "content": system_prompt}] if system_prompt else []
    found = []
    for rows in problems:
        turns = [user_turn(row) for row in rows]
        if bad := [row for row, turn in enumerate(turns) if not isinstance(turn, str)]:
            numbers, do = str(bad[:10])[1:-1], "Give the text of the user's turn: messages are made by the recipe."
            sys.exit(f"error: the prompt of {len(bad)} of {len(rows)} problems is no text: rows {numbers}. {do}")
        has_all = set(reads) <= {*rows.column_names, "prompt"}
        kept = {*reads, LINE} if reads and has_all else {*rows.column_names} - (set() if has_all else {LINE})
        names = [name for name in rows.column_names if name in kept and name != "prompt"]
        # datasets cannot add a column to a table without rows
        rows = rows.select_columns(names) if len(rows) else Dataset.from_dict({name: [] for name in names})
        found.append(rows.add_column("prompt", [[*system, {"role": "user", "content": turn}] for turn in turns]))
    return found


def with_columns(problems: Dataset, columns: Sequence[str], made: Made, args: ScriptArguments) -> Dataset:
    """The problems with the recipe's own names for their columns; ends the program where one is missing."""
    own = [name for name in problems.column_names if name != LINE]
    there, renamed = f"Columns: {', '.join(own)}.", dict[str, str]()
    for given, column, option in renamings(args, columns):
        if given not in own:
            near = did_you_mean(given, own)
            sys.exit(f"error: --{option} {given}: the problems have no such column{near} {there}")
        if given in (*renamed, *columns) and column not in own:
            sys.exit(f"error: --{option} {given}: that column is read as another one already. {there}")
        if column in own:
            do = f"Leave --{option} out to use that one, or remove it from the data."
            sys.exit(f"error: --{option} {given}: the problems have a column of that name already, '{column}'. {do}")
        renamed[given] = column
    problems = problems.rename_columns(renamed)
    for column, (source, make) in made.items():
        if column not in problems.column_names and source in problems.column_names:
            # all at once: where the first rows make None, map() would take the column for one without a type
            problems = problems.add_column(column, [make(value) for value in problems[source]])
    for column in columns:
        if column not in problems.column_names:
            near = did_you_mean(column, problems.column_names)
            do = " Name it with --prompt_column or --answer_column." if column in columns[:2] else ""
            sys.exit(f"error: the problems have no column '{column}'{near} {there}{do}")
    return problems


def renamings(args: ScriptArguments, columns: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """What the data call one of the first two columns, the recipe's name for it, and the option that says so."""
    for option, column in zip(("prompt_column", "answer_column"), columns, strict=False):
        given = getattr(args, option)
        if given is not None and given != column:
            yield given, column, option


def held_out_of(problems: Dataset, size: int, where: str, *, trains: bool = True) -> tuple[Dataset, Dataset]:
    """The problems without ``size`` of them, and these; where nothing is trained, all if there are no more."""
    if not trains:
        size = min(size, len(problems))
    elif len(problems) <= size:
        sys.exit(f"error: --eval_size {size} holds out all {len(problems)} problems of {where}: choose a lower one.")
    order = problems.shuffle(seed=0)  # not the run's seed: a problem held out once is held out under every seed
    rest = range(size, len(problems)) if size < len(problems) else []  # datasets refuses an empty range at the end
    return order.select(rest), order.select(range(size))


def read_file(path: Path) -> Dataset:
    """The rows of a file, those of JSON lines and CSV with their ``LINE``; ends the program where it cannot be read."""
    if not path.is_file():
        sys.exit(f"error: --dataset_path {path}: there is no such file (in {os.getcwd()}).")
    if not path.name.endswith(KINDS):
        endings = ", ".join(KINDS)
        sys.exit(f"error: --dataset_path {path}: its name must end with {endings}. A folder is a --dataset_name.")
    try:
        columns = columns_in([path])
    except RewardError as error:
        sys.exit(f"error: --dataset_path {error}")
    if not path.name.endswith(TABLES):
        columns[LINE] = [number for chunk in Source([path]).chunks() for number, *_ in chunk.rows()[0]]
    return Dataset.from_dict(columns, on_mixed_types="use_json")


def read_named(args: ScriptArguments) -> tuple[Dataset, Dataset]:
    """The splits to train and to evaluate on, which may be the same one; ends the program where they are not there."""
    name = str(args.dataset_name)
    try:
        configs = [args.dataset_config] if args.dataset_config else get_dataset_config_names(name)
        if len(configs) > 1 and "main" not in configs:
            sys.exit(f"error: --dataset_name {name} has several configs: pass --dataset_config {' or '.join(configs)}.")
        data = load_dataset(name, "main" if "main" in configs else configs[0])
    except (OSError, ValueError, DatasetGenerationError) as error:  # a ConnectionError is an OSError
        sys.exit(f"error: --dataset_name {name}: {why_not_loaded(error)}")
    for option in ("dataset_train_split", "dataset_test_split"):
        if (split := getattr(args, option)) not in data:
            sys.exit(f"error: {name} has no split '{split}'. Splits: {', '.join(data)}. Pass --{option}.")
    return data[args.dataset_train_split], data[args.dataset_test_split]


def why_not_loaded(error: BaseException) -> str:
    """Why a data set could not be loaded, in one line and with what to do."""
    if isinstance(error, ConnectionError) and constants.HF_HUB_OFFLINE:
        return "it is not in the cache, and HF_HUB_OFFLINE forbids to fetch it. Unset that, or pass a --dataset_path."
    message = (str(error.__cause__ or error).strip() or type(error).__name__).splitlines()[0]
    if isinstance(error, DatasetNotFoundError):
        return f"{message} Check the name; for a gated or private one hf auth login or set HF_TOKEN."
    return message
