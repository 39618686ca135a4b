"""The names in a run: its rewards' in the logs, and its columns': whether they clash, and whether they are there."""

from __future__ import annotations

import difflib
import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.checks.findings import Finding
from grpo_rewards.checks.reward.problems import read_columns
from grpo_rewards.checks.reward.unseeing import PASS_ROLLOUT, is_of_rollout, takes_of_model, unseeing
from grpo_rewards.compose.composite import free_name
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import BY_TRAINER, listed, missing_column, nearest_column, shown
from grpo_rewards.registry.interface import leaves
from grpo_rewards.registry.model_arguments import parameters_of

__all__ = ["check_columns", "is_called", "is_model", "logged_name", "prompt_column", "read_by", "with_distinct_names"]

# What TRL's table of completions has; a reward of that name would overwrite it there.
TABLE_COLUMNS = ("step", "prompt", "completion", "advantage")
# GRPOTrainer names these to remove_unused_columns, and no others.
READ_BY_TRAINER = ("prompt", "image", "images")
# A column of one of these names does harm: TRL overwrites it with its own, or passes an argument of that name.
HARMFUL_COLUMNS = {
    **dict.fromkeys(("trainer_state", "log_extra", "log_metric", "environments"), "overwrites it with its own"),
    **dict.fromkeys(("prompts", "completions"), "passes an argument of that name"),
}
# TRL passes these by keyword to every function; environments only in runs that have some.
ALWAYS_PASSED = ("completions", *(name for name in BY_TRAINER if name != "environments"))
# It takes these columns out of the way, or passes them by another name.
HELD_BACK = ("prompt", "completion", "completion_ids")
PROMPT_COLUMN = "prompt"
# What data sets call their prompts.
PROMPT_SYNONYMS = ("question", "q", "problem", "query", "instruction", "input", "messages", "text")


def with_distinct_names(rewards: Sequence[Any]) -> tuple[list[Any], list[Finding]]:
    """The rewards of a run with names that differ, and what was done about those that did not.

    A trainer overwrites or averages what has the same name. Of several rewards with one default name the second becomes
    ``name_2``, the third ``name_3``, in the order of the list. A part of a composite becomes ``composite/name`` if
    something else in the run has its name. A name that was given to a reward of the list is never changed: if it is
    there twice, or one reward is there twice, or two plain functions share a name, that is an error.
    """
    findings = []
    for name in [name for name in map(logged_name, rewards) if name in TABLE_COLUMNS]:
        message = f"a reward is called '{name}', as a column of TRL's table of completions, which it would overwrite."
        findings.append(Finding("error", "names", message, f'Give it another name: {name}.bind(name="…").', name))
    renamed = list(rewards)
    taken = Counter(map(logged_name, rewards))
    for name in [name for name, count in taken.items() if count > 1]:
        places = [place for place, one in enumerate(rewards) if logged_name(one) == name]
        same = [rewards[place] for place in places]
        has_usual_names = all(isinstance(one, Reward) and one.has_usual_name for one in same)
        if not has_usual_names or any(one == other for at, one in enumerate(same) for other in same[:at]):
            findings.append(_clash(name, all(isinstance(one, Reward) for one in same)))
            continue
        for place in places[1:]:
            new = free_name(name, taken)
            taken[new] += 1
            renamed[place] = rewards[place].bind(name=new)
            findings.append(_renamed_to(name, new))
    seen = {logged_name(one) for one in renamed}
    for place, one in enumerate(renamed):
        below = list(getattr(one, "metric_names", ()))[1:]
        clashing = {name for name in below if name in seen}
        seen.update(below)
        if clashing:
            renamed[place] = one.renamed(functools.partial(_prefixed, clashing, one.name))
            findings += [_renamed_to(name, f"{one.name}/{name}") for name in sorted(clashing)]
            seen.update(f"{one.name}/{name}" for name in clashing)
    return renamed, findings


def _prefixed(clashing: set[str], prefix: str, name: str) -> str:
    return f"{prefix}/{name}" if name in clashing else name


def _renamed_to(name: str, new: str) -> Finding:
    message = f"two rewards are called '{name}'; one of them is called '{new}' in this run."
    return Finding("fine", "names", message, 'To choose its name yourself, use .bind(name="…").', new)


def _clash(name: str, can_be_bound: bool) -> Finding:
    message = f"two rewards are called '{name}'; their metrics would overwrite one another."
    remedy = f'Rename one: {name}.bind(name="…"), or in YAML "{name}(name=\'…\')".'
    if not can_be_bound:
        remedy = "Rename one: a plain function by its __name__, or make it a reward of another name, reward(name='…')."
    return Finding("error", "names", message, remedy, name)


def logged_name(function: Any) -> str:
    """The name under which TRL logs a reward, a plain function, or a reward model."""
    model_id = getattr(getattr(function, "config", None), "_name_or_path", function)
    if isinstance(model_id, str):
        return model_id.rpartition("/")[2]
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def is_model(one: Any) -> bool:
    """Whether it is a model that gives rewards, or the id of one: TRL tokenizes for these, and passes no columns."""
    return isinstance(one, str) or isinstance(getattr(getattr(one, "config", None), "_name_or_path", None), str)


def read_by(one: Any) -> tuple[str, ...]:
    """The columns that a reward reads, or that a plain function has arguments without a default for."""
    if isinstance(one, Reward):
        return tuple(one.columns)
    return () if is_model(one) else tuple(read_columns(one))


def is_called(one: Any, columns: Sequence[str]) -> bool:
    """Whether TRL can call a reward or a function on data with these columns."""
    if isinstance(one, Reward) or is_model(one):
        return set(read_by(one)) <= set(columns)
    return set(read_by(one)) <= set(columns).difference(HELD_BACK) and not _refused(one, columns)


def check_columns(
    rewards: Sequence[Any], columns: Sequence[str] | None, args: Any = None, rolled_out: bool = False
) -> Iterator[Finding]:
    """Findings about what rewards and plain functions read, and errors for columns that TRL overwrites or refuses.

    Args:
        rewards: rewards, plain functions and models.
        columns: the names of the dataset's columns, or ``None``.
        args: the run's ``GRPOConfig``, or ``None``.
        rolled_out: whether a ``rollout_func`` may return what is no column.
    """
    for one in rewards:
        if is_model(one) or isinstance(getattr(one, "func", None), Reward):
            continue  # a partial of a reward takes what the reward does
        name = logged_name(one)
        found = unseeing(one, columns, rolled_out)
        if found is not None:
            yield Finding("error", "model", f"{name} {found[0]}", found[1], name)
        if not isinstance(one, Reward):
            if found is not None and not takes_of_model(one):
                continue  # it is to be written in another way
            yield from _of_function(name, one, columns or ())
        if columns is not None:
            yield from _missing(name, one, columns, rolled_out)
    if columns is None:
        return
    # with remove_unused_columns only those that the trainer itself reads reach rewards
    removes = getattr(args, "remove_unused_columns", None)
    kept = [name for name in columns if not removes or name in READ_BY_TRAINER]
    for one in rewards:
        name = logged_name(one)
        removed = [column for column in read_by(one) if column in columns and column not in kept]
        if isinstance(one, Reward):
            yield from _of_reward(one, columns, kept)
        if removed:
            message = f"{name} reads {listed(removed)}, which remove_unused_columns takes out of the data before."
            yield Finding("error", "columns", message, "Set remove_unused_columns: false, its default.", name)
    for column in (column for column in columns if column in HARMFUL_COLUMNS):
        remedy = f'Rename it with dataset.rename_column("{column}", "my_{column}") '
        remedy += f'or drop it with dataset.remove_columns("{column}").'
        message = f"the dataset has a column '{column}', and TRL {HARMFUL_COLUMNS[column]}."
        yield Finding("error", "columns", message, remedy)


def _missing(name: str, one: Any, columns: Sequence[str], rolled_out: bool) -> Iterator[Finding]:
    """An error for each column that is read and not there; a note where a rollout may return it."""
    is_reward = isinstance(one, Reward)
    names = {column: own for own, its in one.column_names.items() for column in its} if is_reward else {}
    for column in read_by(one):
        if column in columns or (not is_reward and column in HELD_BACK):
            continue
        near = nearest_column(column, columns)
        if rolled_out or (near is None and is_of_rollout(column)):
            message = f"{name} reads '{column}', which is no column: the rollout_func has to return it."
            yield Finding("note", "columns", message, "" if rolled_out else PASS_ROLLOUT, name)
            continue
        own = names.get(column, column)
        message, remedy = missing_column(name, column, columns, own, can_bind=is_reward)
        if not str(one.__module__).startswith("grpo_rewards.") and near is None:
            if is_reward:
                remedy += f" Is '{own}' a setting, the same for all rows? Write it behind the '*', and bind it."
            remedy += f" Does a rollout_func return it? {PASS_ROLLOUT}"
        yield Finding("error", "columns", message, remedy, name)


def _of_reward(one: Reward, columns: Sequence[str], kept: Sequence[str]) -> Iterator[Finding]:
    """That the columns that a reward reads are there, and warnings for renamed ones that are not."""
    if one.columns and set(one.columns) <= set(kept):
        yield Finding("fine", "columns", f"{one.name} reads {listed(one.columns)}.", reward=one.name)
    for leaf in leaves(one):
        for own, column in leaf.renamed_columns.items():
            if column not in columns and column not in leaf.columns:
                message = f"reward '{leaf.name}' is bound to read '{column}' as '{own}', and there is no such column."
                yield Finding("warning", "columns", message, "It will do without. Mend bind(columns=…).", leaf.name)


def _of_function(name: str, function: Any, columns: Sequence[str]) -> Iterator[Finding]:
    """Errors for a plain function whose first call would be a TypeError."""
    fails = "its first call is a TypeError."
    for held in (held for held in HELD_BACK if held in read_by(function)):
        message = f"{name} takes '{held}', which TRL does not pass: {fails}"
        yield Finding("error", "arguments", message, f"Take '{held}s', a list of one per completion.", name)
    if refused := _refused(function, columns):
        message = f"{name} takes no {listed(refused)}, which TRL passes by keyword: {fails}"
        yield Finding("error", "arguments", message, "Add **kwargs to its arguments.", name)


def _refused(function: Any, columns: Sequence[str]) -> list[str]:
    """What TRL passes to a function that has no argument for it."""
    parameters = parameters_of(function)
    if not parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return []
    by_keyword = [name for name, one in parameters.items() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    passed = dict.fromkeys([*ALWAYS_PASSED, *(name for name in columns if name not in HELD_BACK)])
    return [name for name in passed if name not in by_keyword]


def prompt_column(data: Mapping[str, Sequence[Any]]) -> Iterator[Finding]:
    """Errors where there is no column ``prompt``, for rows of it that are no prompts, and for texts beside images."""
    if PROMPT_COLUMN not in data:
        near = [one for one in PROMPT_SYNONYMS if one in data] or difflib.get_close_matches(PROMPT_COLUMN, data, n=1)
        do = "Add it: one prompt per row, a text or a list of messages."
        if near:
            do = f'Rename one with dataset.rename_column("{near[0]}", "{PROMPT_COLUMN}"). In grpo-rewards commands: '
            do += f"--column {PROMPT_COLUMN}={near[0]}."
        message = (
            f"GRPOTrainer reads column '{PROMPT_COLUMN}', which the dataset does not have. Columns: {listed(data)}."
        )
        yield Finding("error", "columns", message, do)
        return
    prompts = data[PROMPT_COLUMN]
    bad = [row for row, one in enumerate(prompts) if not _is_prompt(one)]
    if bad:
        message = f"{len(bad)} prompts are neither a text nor messages, row {bad[0]} for one: {shown(prompts[bad[0]])}."
        remedy = "Make each a text, or [{'role': 'user', 'content': …}]."
        yield Finding("error", "prompts", message, remedy, rows=tuple(bad))
    # TRL reads the second where the first is missing, and raises for a text in the step that has it
    images = next((one for one in ("images", "image") if one in data), None)
    texts = [row for row, one in enumerate(prompts) if isinstance(one, str)]
    if images and texts and not all(isinstance(one, list | tuple) and not one for one in data[images]):
        beside = f"row {texts[0]} for one, beside the column '{images}': TRL refuses that."
        remedy = f"Make each [{{'role': 'user', 'content': …}}], or drop the column '{images}'."
        yield Finding("error", "prompts", f"{len(texts)} prompts are texts, {beside}", remedy, rows=tuple(texts))


def _is_prompt(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return isinstance(value, str) and bool(value.strip())
    return bool(value) and all(
        isinstance(one, Mapping) and "role" in one and ("content" in one or "tool_calls" in one) for one in value
    )
