"""The names in a run: its rewards' in the logs, and its columns': whether they clash, and whether they are there."""

from __future__ import annotations

import difflib
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.checks.findings import Finding, finding_of
from grpo_rewards.checks.reward.functions import PASS_ROLLOUT, is_of_rollout, read_columns, signature_of, unseeing
from grpo_rewards.compose.composite import free_name
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import BY_TRAINER, listed, missing_column, nearest_column, shown
from grpo_rewards.registry.interface import leaves

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
# What data sets call their prompts.
PROMPT_SYNONYMS = ("question", "q", "problem", "query", "instruction", "input", "messages", "text")


def with_distinct_names(rewards: Sequence[Any]) -> tuple[list[Any], list[Finding]]:
    """The rewards of a run with names that differ, and what was done about those that did not.

    A trainer overwrites or averages what has the same name. Of several rewards with one default name the second becomes
    ``name_2``, the third ``name_3``, in the order of the list. A part of a composite becomes ``composite/name`` if
    something else in the run has its name. A name that was given to a reward of the list is never changed: if it is
    there twice, or one reward is there twice, or two plain functions share a name, that is an error.
    """
    renamed, taken = list(rewards), Counter(map(logged_name, rewards))
    findings = [finding_of("names.of_a_table", name) for name in map(logged_name, rewards) if name in TABLE_COLUMNS]
    for name in [name for name, count in taken.items() if count > 1]:
        places = [place for place, one in enumerate(rewards) if logged_name(one) == name]
        same = [rewards[place] for place in places]
        have_usual_names = all(isinstance(one, Reward) and one.has_usual_name for one in same)
        if not have_usual_names or any(one in same[:at] for at, one in enumerate(same)):
            can_be_bound = all(isinstance(one, Reward) for one in same)
            findings.append(finding_of("names.clash" if can_be_bound else "names.clash_of_functions", name))
            continue
        for place in places[1:]:
            new = free_name(name, taken)
            taken[new] += 1
            renamed[place] = rewards[place].bind(name=new)
            findings.append(finding_of("names.renamed", new, old=name))
    seen = {logged_name(one) for one in renamed}
    for place, one in enumerate(renamed):
        below = list(getattr(one, "metric_names", ()))[1:]
        new_names = {name: f"{one.name}/{name}" for name in below if name in seen}
        seen.update(below, new_names.values())
        if new_names:
            renamed[place] = one.renamed(lambda name, new=new_names: new.get(name, name))
            findings += [finding_of("names.renamed", new, old=name) for name, new in sorted(new_names.items())]
    return renamed, findings


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


def is_called(one: Any, columns: Sequence[str]) -> bool:
    """Whether TRL can call a reward or a function on data with these columns."""
    if is_model(one):
        return True
    if isinstance(one, Reward):
        return set(read_columns(one)) <= set(columns)
    return set(read_columns(one)) <= set(columns).difference(HELD_BACK) and not _refused(one, columns)


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
    removes = getattr(args, "remove_unused_columns", None)
    for one in rewards:
        if is_model(one) or isinstance(getattr(one, "func", None), Reward):
            continue  # a partial of a reward takes what the reward does
        name, read, blind = logged_name(one), list(read_columns(one)), unseeing(one, columns, rolled_out)
        if blind is not None:
            yield finding_of("model.unseen", name, message=blind[0], remedy=blind[1])
        if not isinstance(one, Reward):
            if blind is not None and not signature_of(one).takes_of_model:
                continue  # it is to be written in another way
            for held in (held for held in HELD_BACK if held in read):
                yield finding_of("arguments.held_back", name, held=held)
            if refused := _refused(one, columns or ()):
                yield finding_of("arguments.refused", name, refused=listed(refused))
        if columns is None:
            continue
        yield from _missing(name, one, columns, rolled_out)
        # of the others remove_unused_columns leaves those alone that the trainer itself reads
        removed = [column for column in read if removes and column in columns and column not in READ_BY_TRAINER]
        if removed:
            yield finding_of("columns.removed", name, removed=listed(removed))
        elif isinstance(one, Reward) and read and set(read) <= set(columns):
            yield finding_of("columns.read", name, columns=listed(read))
        for leaf in leaves(one):
            for own, column in leaf.renamed_columns.items():
                if column not in columns and column not in leaf.columns:
                    yield finding_of("columns.renamed", leaf.name, own=own, column=column)
    for column in (column for column in columns or () if column in HARMFUL_COLUMNS):
        yield finding_of("columns.harmful", column=column, does=HARMFUL_COLUMNS[column])


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


def _refused(function: Any, columns: Sequence[str]) -> list[str]:
    """What TRL passes to a function that has no argument for it."""
    its = signature_of(function)
    passed = dict.fromkeys([*ALWAYS_PASSED, *(name for name in columns if name not in HELD_BACK)])
    return [] if its.takes_rest else [name for name in passed if name not in its.named]


def prompt_column(data: Mapping[str, Sequence[Any]]) -> Iterator[Finding]:
    """Errors where there is no column ``prompt``, for rows of it that are no prompts, and for texts beside images."""
    if "prompt" not in data:
        near = [one for one in PROMPT_SYNONYMS if one in data] or difflib.get_close_matches("prompt", data, n=1)
        yield finding_of(
            "columns.prompt_elsewhere" if near else "columns.no_prompt",
            columns=listed(data),
            near=near[0] if near else "",
        )
        return
    prompts = data["prompt"]
    if bad := [row for row, one in enumerate(prompts) if not _is_prompt(one)]:
        yield finding_of("prompts.neither", rows=bad, first=shown(prompts[bad[0]]))
    # TRL reads the second where the first is missing, and raises for a text in the step that has it
    images = next((one for one in ("images", "image") if one in data), None)
    texts = [row for row, one in enumerate(prompts) if isinstance(one, str)]
    if images and texts and not all(isinstance(one, list | tuple) and not one for one in data[images]):
        yield finding_of("prompts.texts_beside_images", rows=texts, images=images)


def _is_prompt(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return isinstance(value, str) and bool(value.strip())
    return bool(value) and all(
        isinstance(one, Mapping) and "role" in one and ("content" in one or "tool_calls" in one) for one in value
    )
