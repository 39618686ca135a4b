"""The names in a run: its rewards' in the logs, and its columns': whether they clash, and whether they are there."""

from __future__ import annotations

import difflib
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from grpo_rewards.checks.findings import Finding, finding_of
from grpo_rewards.checks.reward.functions import PASS_ROLLOUT, is_of_rollout, read_columns, signature_of, unseeing
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import BY_TRAINER, TAKEN_BY_TRAINER, listed, missing_column, nearest_column, shown
from grpo_rewards.registry.interface import leaves

# TRL overwrites a column of one of these names with its own, or passes an argument of that name.
HARMFUL_COLUMNS = TAKEN_BY_TRAINER - {"completion_ids"}
# TRL passes these by keyword to every function; environments only in runs that have some.
ALWAYS_PASSED = ("completions", *(name for name in BY_TRAINER if name != "environments"))
# It takes these columns out of the way, or passes them by another name.
HELD_BACK = ("prompt", "completion", "completion_ids")
# What data sets call their prompts.
PROMPT_SYNONYMS = ("question", "q", "problem", "query", "instruction", "input", "messages", "text")


def with_distinct_names(rewards: Sequence[Any]) -> tuple[list[Any], list[Finding]]:
    """The rewards of a run with names that differ, and what was done about those that did not.

    A trainer overwrites or averages what has the same name. Of several rewards with one default name the second becomes
    ``name_2``, the third ``name_3``, in the order of the list. A part of a composite becomes ``composite/name`` if
    something else in the run has its name. A name that was given to a reward of the list is never changed: if it is
    there twice, or one reward is there twice, or two plain functions share a name, that is an error.
    """
    names = [logged_name(one) for one in rewards]
    taken, renamed, findings = Counter(names), list(rewards), []
    clashing: dict[str, None] = {}
    for place, (name, one) in enumerate(zip(names, rewards, strict=True)):
        if name not in names[:place]:
            continue
        if not isinstance(one, Reward) or not one.has_usual_name or one in rewards[:place]:
            clashing[name] = None
            continue
        new = next(free for number in count(2) if (free := f"{name}_{number}") not in taken)
        taken[new] += 1
        renamed[place] = one.bind(name=new)
        findings.append(finding_of("names.renamed", new, old=name))
    seen = {logged_name(one) for one in renamed}
    for place, one in enumerate(renamed):
        below = list(getattr(one, "metric_names", ()))[1:]
        new_names = {name: f"{one.name}/{name}" for name in below if name in seen}
        seen.update(below, new_names.values())
        if new_names:
            renamed[place] = one.renamed(lambda name, new=new_names: new.get(name, name))
            findings += [finding_of("names.renamed", new, old=name) for name, new in sorted(new_names.items())]
    return renamed, [*findings, *(finding_of("names.clash", name) for name in clashing)]


def bound_in(rewards: Sequence[Any], change: Callable[[Reward], Reward]) -> tuple[list[Any], str]:
    """(the rewards with ``change`` applied to each, also inside composites; the names of those that it changed)."""
    new = [one.mapped(change) if isinstance(one, Reward) else one for one in rewards]
    return new, ", ".join(after.name for before, after in zip(rewards, new, strict=True) if before != after)


def with_unset(reward: Reward, **options: Any) -> Reward:
    """The reward with those of the options bound that it has and nobody has bound by hand."""
    unset = {name: value for name, value in options.items() if reward.options.get(name, value) is None}
    return reward.bind(**unset) if unset else reward


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


def check_columns(rewards: Sequence[Any], columns: Sequence[str] | None, rolled_out: bool = False) -> Iterator[Finding]:
    """Findings about what rewards and plain functions read, and errors for columns that TRL overwrites or refuses.

    Args:
        rewards: rewards, plain functions and models.
        columns: the names of the dataset's columns, or ``None``.
        rolled_out: whether a ``rollout_func`` may return what is no column.
    """
    for one in rewards:
        if is_model(one) or isinstance(getattr(one, "func", None), Reward):
            continue  # a partial of a reward takes what the reward does
        name, read, blind = logged_name(one), list(read_columns(one)), unseeing(one, columns, rolled_out)
        if blind is not None:
            yield finding_of("model.unseen", name, message=blind[0], remedy=blind[1])
        if not isinstance(one, Reward):
            if blind is not None and not signature_of(one).takes_of_model:
                continue  # it is to be written in another way
            yield from _arguments(name, one, columns or ())
        if columns is None:
            continue
        yield from _missing(name, one, columns, rolled_out)
        if isinstance(one, Reward) and read and set(read) <= set(columns):
            yield finding_of("columns.read", name, columns=listed(read))
        for leaf in leaves(one):
            for own, column in leaf.renamed_columns.items():
                if column not in columns and column not in leaf.columns:
                    yield finding_of("columns.renamed", leaf.name, own=own, column=column)
    for column in (column for column in columns or () if column in HARMFUL_COLUMNS):
        yield finding_of("columns.harmful", column=column)


def _arguments(name: str, function: Any, columns: Sequence[str]) -> Iterator[Finding]:
    """Errors for what a plain function takes and TRL does not pass, and for what it passes and the function refuses."""
    its = signature_of(function)
    for held in (held for held in read_columns(function) if held in HELD_BACK):
        yield finding_of("arguments.held_back", name, held=held)
    passed = dict.fromkeys([*ALWAYS_PASSED, *(column for column in columns if column not in HELD_BACK)])
    refused = [one for one in passed if one not in its.named]
    if refused and not its.takes_rest:
        yield finding_of("arguments.refused", name, refused=listed(refused))


def _missing(name: str, one: Any, columns: Sequence[str], rolled_out: bool) -> Iterator[Finding]:
    """An error for each column that is read and not there; a note where a rollout may return it."""
    is_reward = isinstance(one, Reward)
    for column, own in read_columns(one).items():
        if column in columns or (not is_reward and column in HELD_BACK):
            continue
        near = nearest_column(column, columns)
        if rolled_out or (near is None and is_of_rollout(column)):
            yield finding_of("columns.of_rollout", name, column=column, remedy="" if rolled_out else PASS_ROLLOUT)
            continue
        message, remedy = missing_column(name, column, columns, own, can_bind=is_reward)
        if not str(one.__module__).startswith("grpo_rewards.") and near is None:
            if is_reward:
                remedy += f" Is '{own}' a setting, the same for all rows? Write it behind the '*', and bind it."
            remedy += f" Does a rollout_func return it? {PASS_ROLLOUT}"
        yield finding_of("columns.missing", name, message=message, remedy=remedy)


def prompt_column(data: Mapping[str, Sequence[Any]]) -> Iterator[Finding]:
    """An error where there is no column ``prompt``, or for rows of it that are no prompts."""
    if "prompt" not in data:
        near = [one for one in PROMPT_SYNONYMS if one in data] or difflib.get_close_matches("prompt", data, n=1)
        kind = "prompt_elsewhere" if near else "no_prompt"
        yield finding_of(f"columns.{kind}", columns=listed(data), near=listed(near[:1]))
    elif bad := [row for row, one in enumerate(data["prompt"]) if not _is_prompt(one)]:
        yield finding_of("prompts.neither", rows=bad, first=shown(data["prompt"][bad[0]]))


def _is_prompt(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return isinstance(value, str) and bool(value.strip())
    return bool(value) and all(
        isinstance(one, Mapping) and "role" in one and ("content" in one or "tool_calls" in one) for one in value
    )
