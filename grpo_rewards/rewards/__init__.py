"""The catalogue: short functions that turn facts about a completion into points. Importing it registers them.

A new reward goes into the file of its family, and its name into the list below.
"""

from grpo_rewards.rewards.correctness import boxed_answer, final_answer
from grpo_rewards.rewards.format import boxed_format, think_answer_format, think_format
from grpo_rewards.rewards.length import cosine_length, soft_overlong
from grpo_rewards.rewards.pattern import pattern
from grpo_rewards.rewards.repetition import repetition

__all__ = [
    "boxed_answer",
    "boxed_format",
    "cosine_length",
    "final_answer",
    "pattern",
    "repetition",
    "soft_overlong",
    "think_answer_format",
    "think_format",
]
