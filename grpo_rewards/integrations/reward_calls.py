"""What the modules of this folder share: a reward by its spec, called on what another program hands over."""

import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from statistics import fmean
from typing import Any

from grpo_rewards.completion.text import from_json
from grpo_rewards.completion_tables import table_of
from grpo_rewards.errors import NoTokenIds
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import TAKEN_BY_TRAINER
from grpo_rewards.scoring.files import rewards_for_files
from grpo_rewards.verdict import Verdict

NO_COLUMNS = TAKEN_BY_TRAINER | {"self", "prompt", "completion"}  # names that a call gives another meaning
UNSCORED = "unscored"  # the end of the metric for completions that could not be scored
_logger = logging.getLogger("grpo_rewards.integrations")


def imported(module: str, remedy: str) -> Any:
    """Another program's module.

    Raises:
        RewardError: it is not there, or something that it needs is not. ``remedy`` is what to do.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise RewardError(f"{module} cannot be imported ({error}): {remedy}.") from error


def one_by_one(specs: Sequence[str | Reward], columns: Mapping[str, str] | None, program: str) -> tuple[Reward, ...]:
    """Rewards for a program that scores one completion at a time. Those that are named by text are looked up once.

    Raises:
        RewardError: a spec, an option or a column is wrong, or a reward compares the completions of a group.
    """
    names = tuple([specs] if isinstance(specs, str | Reward) else specs)
    return _found(names, tuple((columns or {}).items()), f"{program} scores one completion at a time")


@lru_cache(maxsize=256)
def _found(
    specs: tuple[str | Reward, ...], columns: tuple[tuple[str, str], ...], why_no_groups: str
) -> tuple[Reward, ...]:
    return rewards_for_files(specs, dict(columns), why_no_groups)


def columns_in(*parts: Any) -> dict[str, Any]:
    """The columns in mappings, and in texts that are JSON objects. The later ones win, and what is neither has none."""
    columns: dict[str, Any] = {}
    for found in map(from_json, parts):
        if isinstance(found, Mapping):
            columns.update(found)
    return columns


def explained(
    reward: Reward,
    completions: Sequence[Any],
    rows: Sequence[Mapping[str, Any]],
    *,
    prompts: Sequence[Any] | None = None,
    completion_ids: Sequence[Any] | None = None,
    no_ids: str = "The calling program handed over none: leave the reward out there.",
    **given: Any,
) -> list[Verdict]:
    """The verdicts about B completions.

    Args:
        reward: the reward to call.
        completions: B texts or message lists.
        rows: B mappings of columns. One that some row has is ``None`` in the others.
        prompts: B prompts, of which none is handed over if one is missing.
        completion_ids: B lists of token ids; the same.
        no_ids: what to do about it, for the message to whoever has a reward that counts tokens.
        given: ``trainer_state``.

    Raises:
        RewardError: no row has a column that it reads, or it counts tokens and there are no token ids.
    """
    for name, values in (("prompts", prompts), ("completion_ids", completion_ids)):
        if values is not None and all(one is not None for one in values):
            given[name] = [one if isinstance(one, str) else list(one) for one in values]
    columns = {str(name): values for name, values in table_of(rows).items() if name not in NO_COLUMNS}
    try:
        return reward.explain_all(list(completions), **given, **columns)
    except NoTokenIds as error:
        raise NoTokenIds(error.args[0], no_ids) from None  # what it advises is for trainers


def reward_or_zero(reward: Reward, verdict: Verdict, program: str) -> float:
    """The reward as a number: 0 in place of ``None``, of which a warning says the reason once in a process."""
    if verdict.reward is None:
        _warn_once(
            f"{reward.name} could not score a completion ({verdict.reason or 'no reason'}). {program} takes no None: "
            "such completions get 0."
        )
    return verdict.reward or 0.0


@lru_cache
def _warn_once(message: str) -> None:
    _logger.warning(message)


def plain_messages(messages: Any) -> Any:
    """A text as it is, and messages as dicts, where a program has some as objects of pydantic's."""
    if isinstance(messages, str):
        return messages
    return [one if isinstance(one, Mapping | str) else one.model_dump(exclude_none=True) for one in messages]


def metrics_of(
    rewards: Sequence[Reward], completions: Sequence[Any], row: Mapping[str, Any], **given: Any
) -> dict[str, float]:
    """What an evaluation gets of the completions of one row.

    Of each reward its mean under its name, absent if it scored none of them, and ``<reward>/unscored``, which is 1 then
    and else 0. ``given`` is what ``explained`` takes.
    """
    found: dict[str, float] = {}
    for reward in rewards:
        verdicts = explained(reward, completions, [row] * len(completions), **given)
        numbers = [verdict.reward for verdict in verdicts if verdict.reward is not None]
        if numbers:
            found[reward.name] = fmean(numbers)
        found[f"{reward.name}/{UNSCORED}"] = float(not numbers)
    return found
