"""Rewards as metrics of lm-evaluation-harness: what a task's ``process_results`` calls."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grpo_rewards.integrations.reward_calls import metrics_of, one_by_one
from grpo_rewards.registry import Reward

__all__ = ["results_of"]


def results_of(
    *specs: str | Reward, columns: Mapping[str, str] | None = None
) -> Callable[[Mapping[str, Any], Sequence[Any]], dict[str, float]]:
    """The function for ``process_results`` of a task whose ``output_type`` is ``generate_until``.

    It gives each reward under its name, of several generations the mean, and ``<reward>/unscored``: 1 for a document
    that cannot be scored and else 0. Such a document is not in the mean of the reward.

    Args:
        specs: rewards, or their specs.
        columns: what the documents call columns that rewards read, such as ``{"answer": "target"}``.

    Raises:
        RewardError: a spec or an option is wrong, or a reward compares the completions of a group.
    """
    rewards = one_by_one(specs, columns, "lm-evaluation-harness")

    def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
        texts = [text for one in results for text in ([one] if isinstance(one, str) else one)]
        return metrics_of(rewards, texts, doc)

    return process_results
