"""Renames rewards of a run that would log under one name: a trainer overwrites or averages what has the same name."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import Any

from grpo_rewards.compose.composite import free_name
from grpo_rewards.preflight.report import Finding
from grpo_rewards.registry import Reward

__all__ = ["is_model", "logged_name", "with_distinct_names"]

# What TRL's table of completions has; a reward of that name would overwrite it there.
TABLE_COLUMNS = ("step", "prompt", "completion", "advantage")


def with_distinct_names(rewards: Sequence[Any]) -> tuple[list[Any], list[Finding]]:
    """The rewards of a run with names that differ, and what was done about those that did not.

    Of several rewards with one default name the second becomes ``name_2``, the third ``name_3``, in the order of the
    list. A part of a composite becomes ``composite/name`` if something else in the run has its name. A name that was
    given to a reward of the list is never changed: if it is there twice, or one reward is there twice, or two plain
    functions share a name, that is an error.
    """
    findings = [_hiding(name) for name in map(logged_name, rewards) if name in TABLE_COLUMNS]
    renamed = list(rewards)
    taken = Counter(map(logged_name, rewards))
    for name in [name for name, count in taken.items() if count > 1]:
        places = [place for place, one in enumerate(rewards) if logged_name(one) == name]
        if not _may_be_numbered([rewards[place] for place in places]):
            findings.append(_clash(name, all(isinstance(rewards[place], Reward) for place in places)))
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


def _may_be_numbered(same: Sequence[Any]) -> bool:
    """Whether all have their default name and no two are equal, so that they may become name_2, name_3, …"""
    if not all(isinstance(one, Reward) and one.has_usual_name for one in same):
        return False
    return all(one != other for place, one in enumerate(same) for other in same[:place])


def _prefixed(clashing: set[str], prefix: str, name: str) -> str:
    return f"{prefix}/{name}" if name in clashing else name


def _renamed_to(name: str, new: str) -> Finding:
    message = f"two rewards are called '{name}'; one of them is called '{new}' in this run."
    return Finding("fine", "names", message, 'To choose its name yourself, use .bind(name="…").', new)


def _hiding(name: str) -> Finding:
    message = f"a reward is called '{name}', as a column of TRL's table of completions, which it would overwrite."
    return Finding("error", "names", message, f'Give it another name: {name}.bind(name="…").', name)


def _clash(name: str, can_be_bound: bool) -> Finding:
    message = f"two rewards are called '{name}'; their metrics would overwrite one another."
    remedy = f'Rename one: {name}.bind(name="…"), or in YAML "{name}(name=\'…\')".'
    if not can_be_bound:
        remedy = "Rename one: a plain function by its __name__, or make it a reward of another name, reward(name='…')."
    return Finding("error", "names", message, remedy, name)
