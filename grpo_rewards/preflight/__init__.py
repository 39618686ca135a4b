"""What can be checked before a model is loaded."""

from grpo_rewards.preflight.checks import check_answers, check_rewards

__all__ = ["check_answers", "check_rewards"]
