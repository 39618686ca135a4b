"""Rewards in ms-swift: what a file for ``--external_plugins`` calls, so that ``--reward_funcs`` knows them by name."""

from collections.abc import Mapping, Sequence
from typing import Any

from grpo_rewards.checks.setup.all_checks import group_size
from grpo_rewards.checks.setup.names import SetUp
from grpo_rewards.completion_tables import rows_of
from grpo_rewards.integrations.reward_calls import explained, imported
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.scoring.files import bound_to_columns

__all__ = ["add_rewards"]


def add_rewards(*specs: str | Reward, columns: Mapping[str, str] | None = None) -> None:
    """Adds rewards to swift's ``orms`` under their own names, which are those in the logs.

    Args:
        specs: rewards, or their specs.
        columns: what the data set calls columns that they read, such as ``{"answer": "gold"}``.

    Raises:
        RewardError: swift is not installed, a spec or an option is wrong, or swift has a reward of that name.
    """
    rewards = imported("swift.rewards", "pip install 'ms-swift>=4'")
    for reward in bound_to_columns(specs, columns):
        taken = rewards.orms.get(reward.name)
        if taken is not None and taken.__module__ != __name__:
            raise RewardError(
                f"swift has a reward '{reward.name}'. Rename ours: {reward.name}(name='our_{reward.name}')."
            )
        rewards.orms[reward.name] = _plugin(rewards.ORM, reward)


def _plugin(base: Any, reward: Reward) -> type:
    """The class that swift makes an object of, whose name it logs."""

    def begin(self: Any, args: Any = None, **more: Any) -> None:
        base.__init__(self, args, **more)
        run = SetUp([reward], args=args)
        list(group_size(run))
        (self.reward,) = run.rewards

    def call(self: Any, completions: Sequence[str], **given: Any) -> list[float | None]:
        size = len(completions)
        columns = {name: values for name, values in given.items() if isinstance(values, list) and len(values) == size}
        verdicts = explained(
            self.reward,
            completions,
            rows_of(columns),
            prompts=[messages[:-1] for messages in columns["messages"]] if "messages" in columns else None,
            completion_ids=[_flat(ids) for ids in columns.get("response_token_ids", [None])],
            trainer_state=given.get("trainer_state"),
        )
        return [verdict.reward for verdict in verdicts]

    return type(reward.name, (base,), {"__init__": begin, "__call__": call, "__module__": __name__})


def _flat(ids: Any) -> list[int] | None:
    """Token ids, which swift has in a list for each turn where there may be several."""
    return [token for turn in ids for token in (turn if isinstance(turn, list) else [turn])] if ids else None
