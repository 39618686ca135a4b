"""Rule-based rewards for TRL: right about mathematics, impossible to stall, with a reason for every number."""

from grpo_rewards.compose import weighted
from grpo_rewards.registry import (
    Reward,
    RewardError,
    batch_reward,
    check_answers,
    check_rewards,
    get_reward,
    list_rewards,
    reward,
)
from grpo_rewards.rewards import (
    boxed_answer,
    boxed_format,
    cosine_length,
    final_answer,
    pattern,
    repetition,
    soft_overlong,
    think_answer_format,
    think_format,
)
from grpo_rewards.verdict import Verdict

__version__ = "0.1.0"

__all__ = [
    "Reward",
    "RewardError",
    "Verdict",
    "batch_reward",
    "boxed_answer",
    "boxed_format",
    "check_answers",
    "check_rewards",
    "cosine_length",
    "final_answer",
    "get_reward",
    "list_rewards",
    "pattern",
    "repetition",
    "reward",
    "soft_overlong",
    "think_answer_format",
    "think_format",
    "weighted",
]
