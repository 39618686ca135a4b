"""A reward that says nothing of a completion, as the text of a module: a control for what a recipe learns."""

from __future__ import annotations

__all__ = ["COIN", "GOLD_REWARDS"]

COIN = """
import random

from grpo_rewards import batch_reward


@batch_reward  # a reward of one completion that does not look at it is refused
def coin(completions: list[str]) -> list[float]:
    return [float(random.random() < 0.5) for _ in completions]
"""
# of each recipe's default: what says that an answer is right
GOLD_REWARDS = {"gsm8k": "boxed_answer", "competition_math": "boxed_answer", "countdown": "expression_reaches"}
