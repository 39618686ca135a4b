"""A reward that says nothing of a completion, as the text of a module: a control for what a recipe learns."""

from __future__ import annotations

__all__ = ["COIN", "GOLD_REWARDS"]

COIN = """
import random

from grpo_rewards import reward


@reward
def coin(completion: str) -> float:
    return float(random.random() < 0.5)
"""
# of each recipe's default: what says that an answer is right
GOLD_REWARDS = {"gsm8k": "boxed_answer", "competition_math": "boxed_answer", "countdown": "expression_reaches"}
