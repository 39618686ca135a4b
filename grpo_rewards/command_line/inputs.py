"""What several commands take: rewards and plain functions, problems, and the settings of a training."""

from __future__ import annotations

import difflib
import glob
import importlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from grpo_rewards.checks.findings import Finding
from grpo_rewards.command_line.printing import need, refuse
from grpo_rewards.registry import RewardError, get_reward
from grpo_rewards.registry.errors import did_you_mean, listed, shown
from grpo_rewards.scoring.rows import KINDS, columns_in, matching_files

ColumnValues = dict[str, Sequence[Any]]


def load_columns(named: str, split: str | None = None, renamed: Mapping[str, str] | None = None) -> ColumnValues:
    """The columns of a data set, by name.

    Args:
        named: a file (JSON lines, also packed, JSON, CSV, parquet), a pattern such as ``train-*.parquet``, a pipe of
            JSON lines, a folder, or a name on the hub, ``name:configuration`` if it has several.
        split: which split of a folder or of the hub's data; ``train`` by default, or the only one.
        renamed: columns by another name: with ``{"answer": "solution"}`` what is in ``solution`` is ``answer``.

    Raises:
        RewardError: it is not there, cannot be read, or has no such column or split.
    """
    path = Path(named)
    columns: ColumnValues
    if not path.is_dir() and (path.exists() or glob.has_magic(named) or path.name.endswith(KINDS)):
        columns = dict(columns_in(matching_files([named])))
    else:
        columns = _of_datasets(named, path, split)
    for new, old in (renamed or {}).items():
        if old not in columns:
            why = f"{named} has no column '{old}'{did_you_mean(old, columns)} Columns: {listed(columns)}."
            raise RewardError(f"--column {new}={old}: {why}")
        columns[new] = columns.pop(old)
    return columns


def _of_datasets(named: str, path: Path, split: str | None) -> ColumnValues:
    need("trl", "datasets")
    from datasets import load_dataset, load_from_disk

    try:
        if (path / "dataset_info.json").is_file() or (path / "dataset_dict.json").is_file():
            found = load_from_disk(named)
        else:
            name, _, configuration = named.partition(":")
            found = load_dataset(name, configuration or None)
    except Exception as error:  # noqa: BLE001  # datasets raises errors of a dozen libraries
        why, *_ = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        raise RewardError(
            f"{named} is no file, no saved data set, and cannot be loaded from the hub: {why} In a folder of files, "
            "name one, or a pattern such as '*.jsonl'."
        ) from None
    if isinstance(found, Mapping):
        splits = list(found)
        chosen = split or ("train" if "train" in splits or len(splits) != 1 else splits[0])
        if chosen not in splits:
            near = did_you_mean(chosen, splits)
            raise RewardError(f"{named} has no split '{chosen}'{near} Splits: {listed(splits)}.")
        found = found[chosen]
    return dict(found[:])


Spec = Annotated[str, typer.Argument(help="A name, a spec such as 'max_length(max_tokens=256)', or a dotted path.")]
Tokenizer = Annotated[str | None, typer.Option(help="A name or folder, to count the tokens of the text.")]
Renamed = Annotated[
    list[str] | None, typer.Option("--column", metavar="NAME=COLUMN", help="A column by another name: answer=solution.")
]


def renamed_columns(given: Iterable[str] | None) -> dict[str, str]:
    """The names that the data has for columns, by those that rewards have for them. Ends the command if one is none."""
    columns = {}
    for one in given or ():
        name, equals, column = one.partition("=")
        if not (name and equals and column):
            refuse(f"--column {one}: write what the reward calls it, =, and what the data calls it: answer=solution.")
        columns[name] = column
    return columns


# GRPOConfig's own, for what rewards and batches depend on.
SETTINGS_DEFAULTS: dict[str, Any] = {"num_generations": 8, "max_completion_length": 512, "reward_weights": None}


def read_settings(file: str) -> dict[str, Any]:
    """The settings by name, with GRPOConfig's defaults for what they leave out; numbers as numbers.

    Raises:
        RewardError: the file is not there, is no YAML, or holds no settings by name.
    """
    need("recipes", "yaml")
    import yaml

    path = Path(file)
    if not path.is_file():
        raise RewardError(f"--config {file}: there is no such file (in {Path.cwd()}).")
    try:
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise RewardError(f"--config {file} is nested too deeply; it must hold settings by name.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise RewardError(f"--config {file} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(held, dict) or not all(isinstance(name, str) and name.isidentifier() for name in held):
        raise RewardError(f"--config {file} must hold settings by name, such as num_generations: 8.")
    settings = {**SETTINGS_DEFAULTS, **{name: _number(value) for name, value in held.items()}}
    if isinstance(settings.get("reward_funcs"), str):
        settings["reward_funcs"] = [settings["reward_funcs"]]
    if not isinstance(settings.get("reward_funcs", []), list):
        raise RewardError(f"--config {file}: reward_funcs must be a list, not {shown(settings['reward_funcs'])}.")
    batch = settings.get("completions_per_step")  # of recipes: it sets gradient_accumulation_steps
    if isinstance(batch, int) and "per_device_train_batch_size" in settings:
        settings.setdefault("gradient_accumulation_steps", max(batch // settings["per_device_train_batch_size"], 1))
    return settings


def _number(value: Any) -> Any:
    """The value, or the number that YAML 1.1 takes for a text: 1e-6, which the trainers' parsers do read."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


# By package the files with the classes whose fields are settings: of the trainer, the model, the data and the script.
FILES_OF_SETTINGS = {"transformers": ("training_args.py",), "trl": ("trainer/*_config.py", "scripts/*.py")}
FIELD = re.compile(r"^    (\w+):", re.MULTILINE)
# Of recipes, which the package does not bring; a setting of theirs is not misspelt.
OF_RECIPES = frozenset(
    "completions_per_step dataset_path prompt_column answer_column reward_funcs reward_weights".split()
)
ALIKE = 0.85  # of difflib: one letter of ten in another place, or missing


def misspelt(names: Iterable[str]) -> Iterator[Finding]:
    """Warnings about settings that no one reads, where one is nearly called so; other names may be a recipe's own."""
    known = {*_fields(), *OF_RECIPES}
    for name in names if known > OF_RECIPES else ():
        near = difflib.get_close_matches(name, known, n=1, cutoff=ALIKE) if name not in known else []
        if near:
            message = f"the settings have '{name}', which nothing reads; did you mean '{near[0]}'?"
            remedy = f"Write {near[0]}: trl grpo passes over what it does not know."
            yield Finding("warning", "settings", message, remedy)


def _fields() -> Iterator[str]:
    """The fields of the classes in these files, as far as their packages are installed; none of them is imported."""
    for package, patterns in FILES_OF_SETTINGS.items():
        spec = find_spec(package)
        folder = Path(spec.origin or "").parent if spec else Path()
        for file in (file for pattern in patterns if spec for file in folder.glob(pattern)):
            yield from FIELD.findall(file.read_text(encoding="utf-8"))


TRL_FUNCTIONS = ("accuracy_reward", "reasoning_accuracy_reward", "think_format_reward")
OVERLONG = "get_soft_overlong_punishment"
OVERLONG_OPTIONS = {"max_completion_len": 1280, "soft_punish_cache": 256}  # those of its script


def with_trl_names(specs: Iterable[Any]) -> list[Any]:
    """The specs of a file of settings, with TRL's function in place of a name that ``trl grpo`` resolves itself."""
    found: list[Any] = []
    for spec in specs:
        if spec in TRL_FUNCTIONS or spec == OVERLONG:
            need("trl", "trl")
            function = getattr(importlib.import_module("trl.rewards"), spec)
            spec = function(**OVERLONG_OPTIONS) if spec == OVERLONG else function
        found.append(spec)
    return found


def reward_or_function(spec: Any) -> Any:
    """The reward that a spec names, or the plain function that stands at a dotted path, as ``trl grpo`` takes it.

    What is no text is a function already.

    Raises:
        RewardError: there is neither.
    """
    if not isinstance(spec, str):
        return spec
    try:
        return get_reward(spec)
    except RewardError:
        path, _, name = spec.rpartition(".")
        # the registry imported it, and found no reward there
        found = getattr(sys.modules[path], name, None) if path in sys.modules else None
        if not callable(found):
            raise
        return found
