"""Rewards in verifiers: a rubric for environments up to 0.3, and a reward of tasks from 0.3 on."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import compress
from typing import Any

from grpo_rewards.integrations.reward_calls import (
    UNSCORED,
    columns_in,
    explained,
    imported,
    one_by_one,
    plain_messages,
    reward_or_zero,
)
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.verdict import Verdict

__all__ = ["rubric", "task_reward"]

KEPT = "grpo_rewards"  # where a rollout's state keeps the verdicts about it


def rubric(
    specs: Sequence[str | Reward], *, weights: Sequence[float] | None = None, columns: Mapping[str, str] | None = None
) -> Any:
    """A ``verifiers.Rubric`` of these rewards, for environments of verifiers up to 0.3.

    Each reward has its name among the metrics, and ``<reward>/unscored`` marks rollouts for which it was ``None``; they
    get 0. ``state["grpo_rewards"]`` keeps reasons and predictions.

    Args:
        specs: rewards, or their specs.
        weights: one for each reward; without them, each counts 1.
        columns: what the rows call columns that rewards read. Columns are ``answer``, the entries of ``info``, and
            other fields of the row; an ``answer`` in ``info`` counts where the row has none.

    Raises:
        RewardError: verifiers is not installed, a spec or an option is wrong, or a reward compares a group.
    """
    kind = getattr(imported("verifiers", "pip install 'verifiers<0.4'"), "Rubric", None)
    if kind is None:
        raise RewardError("this version of verifiers has no rubrics, but tasks: use task_reward, or 'verifiers<0.4'.")
    rewards = one_by_one(specs, columns, "a rubric")
    new = kind(funcs=[_scored(one) for one in rewards], weights=list(weights) if weights else None)
    for one in rewards:
        new.add_metric(_unscored(one))
    return new


def _scored(reward: Reward) -> Callable[..., Awaitable[float]]:
    async def scored(prompt: Any, completion: Any, answer: Any, info: Any, state: Any, **row: Any) -> float:
        steps = state.get("trajectory") or []
        tokens = (steps[0].get("tokens") or {}) if len(steps) == 1 else {}
        # of a row without an answer verifiers gives "": then one in info counts
        columns = columns_in({"answer": answer}, row, info, {"answer": answer} if answer else {})
        verdict = await _verdict(reward, completion, columns, prompt, tokens.get("completion_ids"))
        state.setdefault(KEPT, {})[reward.name] = _recorded(verdict)
        return reward_or_zero(reward, verdict, "A rubric")

    scored.__name__ = reward.name
    return scored


def _unscored(reward: Reward) -> Callable[..., float]:
    def unscored(state: Any) -> float:
        # verifiers goes on where a reward raised, and has logged it: then nothing is kept
        return float(state.get(KEPT, {}).get(reward.name, {}).get("reward") is None)

    unscored.__name__ = f"{reward.name}/{UNSCORED}"
    return unscored


def task_reward(
    spec: str | Reward, *, columns: Mapping[str, str] | None = None
) -> Callable[..., Awaitable[dict[str, float]]]:
    """A reward function of verifiers' tasks, from 0.3 on: under ``vf.reward``, or plugged in by its path.

    A task whose row cannot be scored has no such reward; ``<reward>/unscored`` among the metrics is 1 then.
    ``trace.info["grpo_rewards"]`` keeps reason and prediction.

    Args:
        spec: the reward, or its spec.
        columns: what the task's data calls columns that it reads, such as ``{"answer": "gold"}``.

    Raises:
        RewardError: a spec or an option is wrong, or the reward compares the completions of a group.
    """
    (reward,) = one_by_one([spec], columns, "a task")

    async def scored(task: Any, trace: Any) -> dict[str, float]:
        ids = [token for one in trace.branches[-1:] for token in compress(one.token_ids, one.sampled_mask)]
        verdict = await _verdict(
            reward, list(trace.assistant_messages) or "", task.model_dump(), task.prompt or [], ids or None
        )
        trace.info.setdefault(KEPT, {})[reward.name] = _recorded(verdict)
        trace.record_metric(f"{reward.name}/{UNSCORED}", float(verdict.reward is None))
        return {} if verdict.reward is None else {reward.name: verdict.reward}

    scored.__name__ = reward.name
    return scored


async def _verdict(reward: Reward, completion: Any, row: Mapping[str, Any], prompt: Any, ids: Any) -> Verdict:
    """The verdict of a thread of its own: an event loop that waits for computer algebra serves no other rollout."""
    completions, prompts = [plain_messages(completion)], [plain_messages(prompt)]
    found = await asyncio.to_thread(explained, reward, completions, [row], prompts=prompts, completion_ids=[ids])
    return found[0]


def _recorded(verdict: Verdict) -> dict[str, Any]:
    return {"reward": verdict.reward, "reason": verdict.reason, "prediction": verdict.prediction}
