"""What can be checked before a model is loaded: names, options, columns, weights, and the gold answers themselves."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from grpo_rewards.registry.call import Call, missing_column
from grpo_rewards.registry.errors import RewardError, listed, shown
from grpo_rewards.registry.interface import Reward

__all__ = ["check_answers", "check_rewards"]

PlainFunction = Callable[..., Any]  # a reward as TRL takes it without this package

# TRL hands these over itself and would overwrite a column of that name without a word.
OVERWRITTEN = ("trainer_state", "log_extra", "log_metric", "environments")
# TRL passes these by keyword, so that a column of that name is a TypeError in the first step.
CLASHING = ("prompts", "completions")


def check_rewards(
    reward_funcs: Reward | PlainFunction | Sequence[Reward | PlainFunction],
    *,
    columns: Iterable[str] | None = None,
    weights: Sequence[float] | None = None,
) -> list[Any]:
    """Checks what one run's rewards need, and returns them as a fresh list for ``reward_funcs``.

    Args:
        reward_funcs: rewards, or plain functions as TRL takes them (of these only the name can be checked).
        columns: the dataset's column names, such as ``dataset.column_names``.
        weights: ``GRPOConfig.reward_weights``.

    Raises:
        RewardError: two rewards share a name, an option is not bound, a column is missing or named as TRL's own
            arguments are, the weights do not fit.
    """
    rewards = _as_list(reward_funcs)
    if not rewards:
        raise RewardError("there are no rewards. Name at least one in reward_funcs.")
    for one in rewards:
        if not isinstance(one, str) and not callable(one):
            raise RewardError(f"{shown(one)} is not a reward, it cannot be called.")
        if isinstance(one, str):
            raise RewardError(
                f"{shown(one)} is not a reward; TRL would take it for a model's id. Use get_reward({shown(one)})."
            )
        if isinstance(one, Reward):
            one.check_ready()
    _check_names(rewards)
    if isinstance(columns, str):
        raise RewardError(f"columns must be a list of names, not the string {shown(columns)}.")
    if columns is not None:
        _check_columns(rewards, list(columns))
    if weights is not None:
        _check_weights(rewards, list(weights))
    return rewards


def check_answers(
    reward_funcs: Reward | PlainFunction | Sequence[Reward | PlainFunction], rows: Mapping[str, Sequence[Any]]
) -> dict[str, list[int]]:
    """The rows that rewards cannot score whatever a model writes: by the reward's name, the indices of these rows.

    Looks at the rewards that document the reason ``bad_answer``; a reward that can read every row is not in the result.

    Args:
        rows: columns by name, each with one value per row, such as ``dataset[:]``.
    """
    size = len(next(iter(rows.values()), ()))
    call = Call([""] * size, prompts=[""] * size, completion_ids=[[]] * size, columns=dict(rows))
    unreadable: dict[str, list[int]] = {}
    for one, its_call, its_rows in _asked(_as_list(reward_funcs), call):
        if "bad_answer" in one.reasons:
            verdicts = one.verdicts(its_call)
            bad = [row for row, verdict in zip(its_rows, verdicts, strict=True) if verdict.reason == "bad_answer"]
            if bad:
                unreadable[one.name] = sorted({*unreadable.get(one.name, ()), *bad})
    return unreadable


def _as_list(reward_funcs: Any) -> list[Any]:
    return list(reward_funcs) if isinstance(reward_funcs, list | tuple) else [reward_funcs]


def _asked(rewards: Sequence[Any], call: Call) -> Iterator[tuple[Reward, Call, Sequence[int]]]:
    """The rewards among ``rewards`` and their parts, each with the call that it is given and the rows in that."""
    for one in rewards:
        if isinstance(one, Reward):
            yield one, call, range(call.size)
            for below, its_call, its_rows in one.parts_in(call):
                for part, part_call, part_rows in _asked([below], its_call):
                    yield part, part_call, [its_rows[row] for row in part_rows]


def _check_names(rewards: Sequence[Any]) -> None:
    names = [name for one in rewards for name in (one.metric_names if isinstance(one, Reward) else (_trl_name(one),))]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise RewardError(
            f"two rewards are called '{twice[0]}'; their metrics would overwrite one another. "
            f'Rename one: {twice[0]}.bind(name="…"), or in YAML "{twice[0]}(name=\'…\')".'
        )


def _check_columns(rewards: Sequence[Any], columns: list[str]) -> None:
    for one in rewards:
        for column in one.columns if isinstance(one, Reward) else ():
            if column not in columns:
                raise RewardError(missing_column(one.name, column, columns))
    for column in columns:
        if column in CLASHING or column in OVERWRITTEN:
            what = "passes an argument of that name" if column in CLASHING else "overwrites it with its own"
            raise RewardError(
                f"the dataset has a column '{column}', and TRL {what}. "
                f'Rename it with dataset.rename_column("{column}", "my_{column}") '
                f'or drop it with dataset.remove_columns("{column}").'
            )


def _check_weights(rewards: Sequence[Any], weights: list[Any]) -> None:
    if len(weights) != len(rewards):
        names = listed(one.name if isinstance(one, Reward) else _trl_name(one) for one in rewards)
        raise RewardError(
            f"{len(weights)} reward_weights for {len(rewards)} rewards ({names}). "
            "Give one weight per reward, in their order."
        )
    for weight in weights:
        if isinstance(weight, str | bool) or not hasattr(weight, "__float__") or not math.isfinite(weight):
            raise RewardError(f"reward_weights must be finite numbers, not {shown(weight)}.")


def _trl_name(function: Any) -> str:
    """The name under which TRL logs a plain function."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__name__", type(function).__name__)
