"""What must be in each generation batch: rewards, masks, advantages, and log-probs of policy and reference."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grpo_rewards.loss.kl import refreshed_reference
from grpo_rewards.loss.ratios import importance_sampling_ratio
from grpo_rewards.loss.trl_check.expected import expected_batch
from whole_step.comparing import FUSED, Findings
from whole_step.forward import Policy
from whole_step.live import Generated, Seen, Weights
from whole_step.reward_functions import said_of

Own = dict[str, Tensor]
OwnRewards = Callable[[dict[str, Any], list[int]], list[float]]  # of a row and the tokens of a completion
OF_REWARDS, OF_PRESENCE = "rewards", "tensors present"
KINDS_OF_TENSORS = {
    "advantages": "advantages in a step",
    "old_per_token_logps": "old log-probs",
    "ref_per_token_logps": "reference log-probs",
    "importance_sampling_ratio": "ratio to the engine",
    "sampling_per_token_logps": "ratio to the engine",
}
OTHER_TENSORS = "tokens and masks"
FROM_A_MODEL = ("old_per_token_logps", "ref_per_token_logps", "importance_sampling_ratio")


def references(seen: Seen) -> list[Weights]:
    """Returns the weights that the reference must have before each step: the first, mixed with the policy if asked."""
    weights, config = [seen.weights[0]], seen.config
    for step in range(1, len(seen.weights)):
        is_due = config.get("sync_ref_model") and step % config["ref_model_sync_steps"] == 0
        now = weights[-1]
        weights.append(refreshed_reference(seen.weights[step], now, config["ref_model_mixup_alpha"]) if is_due else now)
    return weights


def own_batches(ranks: list[Seen], policy: Policy, own_rewards: OwnRewards) -> list[list[Own]]:
    """Returns what each rank's generation batches must be, from tokens, rewards, weights and settings alone."""
    reference = references(ranks[0])
    batches: list[list[Own]] = [[] for _ in ranks]
    for events in zip(*(seen.generated for seen in ranks), strict=True):
        rewards = torch.tensor(
            [own_rewards(*pair) for one in events for pair in zip(_columns(one), one.completions, strict=True)]
        )
        made = [expected_batch(one.settings, replace(one, rewards_per_func=rewards)) for one in events]
        everywhere = torch.stack([one["num_items_in_batch"] for one in made]).sum()
        for rank, (one, batch) in enumerate(zip(events, made, strict=True)):
            batch["num_items_in_batch"] = everywhere
            batch["rewards_per_func"] = rewards
            batch |= _by_models(one, batch, policy, ranks[rank], reference[one.step])
            batches[rank].append(batch)
    return batches


def _columns(one: Generated) -> list[dict[str, Any]]:
    """Returns the rows of the dataset, with the columns that a rollout gave anew, and what was said, twice."""
    extra = one.asked[0].get("extra", {}) if one.asked else {}
    messages = one.turns.messages
    extra = {**extra, "messages": messages, "said": [said_of(some) for some in messages]}
    return [{**row, **{name: column[at] for name, column in extra.items()}} for at, row in enumerate(one.rows)]


def _by_models(one: Generated, batch: Own, policy: Policy, seen: Seen, reference: Weights) -> Own:
    width, temperature = batch["completion_ids"].shape[1], seen.config["temperature"]
    found: Own = {}
    with torch.no_grad():
        if "ref_per_token_logps" in one.settings.by_models:
            policy.load(reference)
            found["ref_per_token_logps"] = policy(one.prompts, one.completions, temperature, width)[0]
        if "old_per_token_logps" in one.settings.by_models:
            policy.load(seen.weights[one.step])
            found["old_per_token_logps"] = policy(one.prompts, one.completions, temperature, width)[0]
    if "importance_sampling_ratio" in one.settings.by_models:
        mask = batch["completion_mask"] * batch.get("tool_mask", 1)
        old, sampled = found["old_per_token_logps"], batch["sampling_per_token_logps"]
        how = [seen.config[f"vllm_importance_sampling_{name}"] for name in ("mode", "clip_min", "clip_max")]
        found["importance_sampling_ratio"] = importance_sampling_ratio(old, sampled, mask, *how)
    return found


def check_batches(findings: Findings, seen: Seen, batches: list[Own]) -> None:
    """Compares what TRL made of each generation with what must be."""
    for at, (one, own) in enumerate(zip(seen.generated, batches, strict=True)):
        where = f"generation {at} on rank {seen.rank}, "
        findings.near(OF_REWARDS, f"{where}of all ranks", one.rewards_per_func, own["rewards_per_func"])
        wanted = own.keys() - {"rewards_per_func"}
        present = {name for name, value in one.batch.items() if value is not None}
        findings.same(OF_PRESENCE, f"{where}names", sorted(present), sorted(wanted))
        compare_tensors(findings, where, one.batch, {name: own[name] for name in wanted})


def compare_tensors(findings: Findings, where: str, theirs: dict[str, Tensor], own: Own) -> None:
    """Compares each tensor of a batch; log-probabilities where the completion's mask is 1."""
    for name, mine in own.items():
        value = theirs.get(name)
        kind = KINDS_OF_TENSORS.get(name, OTHER_TENSORS)
        tolerance = FUSED if name in FROM_A_MODEL else None
        if value is not None and name in FROM_A_MODEL and mine.shape == value.shape == own["completion_mask"].shape:
            counted = own["completion_mask"] != 0
            value, mine = value.masked_fill(~counted, 0.0), mine.masked_fill(~counted, 0.0)
        findings.near(kind, where + name, value, mine, tolerance)
