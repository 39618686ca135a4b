"""Rewards in verl: a function for ``reward.custom_reward_function``, and a reward manager that hands over more."""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from grpo_rewards.compose.weighing import Weighted
from grpo_rewards.integrations.reward_calls import UNSCORED, columns_in, explained, imported, one_by_one, reward_or_zero
from grpo_rewards.registry import Reward

__all__ = ["compute_score"]  # and RewardManager, whose base is verl's

NO_IDS = (
    "verl hands a reward function none, but this package's manager does: reward.reward_manager.source=importlib "
    "reward.reward_manager.name=RewardManager "
    "reward.reward_manager.module.path=pkg://grpo_rewards.integrations.verl."
)


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward: str | Reward = "boxed_answer",
    columns: Mapping[str, str] | None = None,
    prompt: Any = None,
    completion_ids: Any = None,
    reward_router_address: str | None = None,
    reward_model_tokenizer: Any = None,
) -> dict[str, Any]:
    """The reward of one completion, as verl requests it.

    Args:
        data_source: where the row is from; a column of this name.
        solution_str: the completion.
        ground_truth: the column of this name, and the column ``answer``. Of an object, or of one written as JSON, each
            entry is a column as well; an entry ``answer`` is the answer.
        extra_info: more columns.
        reward: the reward, or its spec, also of a composite.
        columns: what the data calls columns that the reward reads.
        prompt: what the model was prompted with; ``RewardManager`` hands it over.
        completion_ids: the completion's token ids; the same.
        reward_router_address, reward_model_tokenizer: verl's own, and not used.

    Returns:
        ``score``, 0 for a row that cannot be scored; ``pred``, the prediction, unless the reward reads no column to
        compare one with: verl's majority vote would count it; ``<reward>/reason``;
        ``<reward>/unscored``, 1 for such a row and else 0; of ``weighted`` the number of each part, by its name, and
        ``<part>/reason``.
    """
    (scorer,) = one_by_one([reward], columns, "verl")
    truth = {"data_source": data_source, "ground_truth": ground_truth, "answer": ground_truth}
    row = columns_in(extra_info, truth, ground_truth)
    (verdict,) = explained(
        scorer, [solution_str], [row], prompts=[prompt], completion_ids=[completion_ids], no_ids=NO_IDS
    )
    found: dict[str, Any] = {"score": reward_or_zero(scorer, verdict, "verl")}
    if scorer.columns:
        found["pred"] = str(verdict.prediction or "")
    found[f"{scorer.name}/reason"] = verdict.reason
    found[f"{scorer.name}/{UNSCORED}"] = float(verdict.reward is None)
    for part in scorer.parts if isinstance(scorer, Weighted) else ():  # verl wants the same keys of each completion
        found[part.name] = float(verdict.details[part.name] or 0.0)
        found[f"{part.name}/reason"] = verdict.details[f"{part.name}/reason"]
    return found


@cache
def _manager() -> Any:
    naive = imported("verl.experimental.reward_loop.reward_manager.naive", "pip install 'verl>=0.9'")

    class RewardManager(naive.NaiveRewardManager):  # type: ignore[misc, name-defined]
        """Calls ``compute_score`` with the prompt and the token ids, which verl's own managers do not hand over."""

        def __init__(self, config: Any, tokenizer: Any, compute_score: Any, **given: Any) -> None:
            super().__init__(config, tokenizer, compute_score, **given)
            self.options = dict(config.reward.custom_reward_function.get("reward_kwargs") or {})

        async def run_single(self, data: Any) -> dict[str, Any]:
            """The reward of the last sequence in ``data``, and what else ``compute_score`` returns about it."""
            item = data[-1:][0]
            mask, prompt, ids = (item.batch[name] for name in ("attention_mask", "prompts", "responses"))
            ids = ids[: int(mask[-len(ids) :].sum())]  # padded at its end, and the prompt at its beginning
            prompt = prompt[len(prompt) - int(mask[: len(prompt)].sum()) :]
            columns = item.non_tensor_batch
            compute = partial(
                compute_score,
                columns["data_source"],
                self.tokenizer.decode(ids, skip_special_tokens=True),
                columns["reward_model"]["ground_truth"],
                columns_in(columns.get("extra_info"), columns.get("tool_extra_fields")),
                prompt=self.tokenizer.decode(prompt),  # as the model saw it, with a <think> that the template opens
                completion_ids=ids.tolist(),
                **self.options,
            )
            result = await self.loop.run_in_executor(None, compute)
            return {"reward_score": result["score"], "reward_extra_info": result}

    return RewardManager


def __getattr__(name: str) -> Any:
    if name == "RewardManager":
        return _manager()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
